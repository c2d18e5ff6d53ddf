// The values of documents are JSON values: who imports Documents has them too. They are a floor of their own
// because a client of the API needs them and nothing else of documents (decision 0124).

@_exported public import JSON

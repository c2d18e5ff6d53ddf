// What a program with models imports: the client is part of it.

@_exported public import ReplClient

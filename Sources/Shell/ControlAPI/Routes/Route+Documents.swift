// Endpoints that read and write documents.

import Bytes
import Node

extension Route.Name {
    public static let listDocuments = Route.Name("listDocuments")
    public static let readDocument = Route.Name("readDocument")
    public static let transact = Route.Name("transact")
    public static let streamTransactions = Route.Name("streamTransactions")
    public static let exportDocuments = Route.Name("exportDocuments")
    public static let importDocuments = Route.Name("importDocuments")
}

extension Route {
    static let documentRoutes = [
        Route(
            .listDocuments, "GET", "/v1/spaces/{space}/documents", .readDocuments, tag: .documents,
            "Documents, a page at a time.",
            "All pages show one committed state, that of the first: ask for the next one with its `next` as "
                + "`cursor`. At most 64 cursors are open, each for 10 minutes; over that the oldest goes, "
                + "and its next page is 410 `cursor-expired`. A page ends early when its values are large. "
                + "Other parameters may be repeated beside `cursor`; they must be what they were.",
            parameters: [
                .prefix, .after, .listingCursor, .limit, .reverse, .values, .filter, .order, .explainListing,
                .timeoutSeconds, .atLeast,
            ],
            answer: .json(
                "DocumentPage", "A page; `next` is the `cursor` of the next one.", hasCursor: true,
                example: #"""
                    {"documents":[{"key":"note/1","version":"\#(Example.change)",
                      "value":{"title":"Groceries"}}],
                     "next":null,"explain":{"index":null,"lookedAt":1}}
                    """#),
            also: [.conflict, .gone]
        ) { (request) throws(APIError) in .list(try ListingRequest(request)) },
        Route(
            .readDocument, "GET", "/v1/spaces/{space}/documents/{key…}", .readDocuments, tag: .documents,
            "One document.", "An empty document exists; an absent or deleted one is 404.",
            parameters: [.view, .timeoutSeconds, .atLeast],
            answer: .json(
                "Document", "The document.", hasCursor: true,
                example: #"{"key":"note/1","value":{"title":"Groceries"},"version":"\#(Example.change)"}"#)
        ) { (request) throws(APIError) in .ask(try request.reading()) },
        Route(
            .transact, "POST", "/v1/spaces/{space}/transactions", .writeDocuments, tag: .documents,
            "Writes a transaction.", "Its operations are seen all or none, and are on disk when answered.",
            parameters: [.idempotencyKey, .units],
            body: .json(
                schema: "Transaction",
                example: #"""
                    {"operations":[\#(Example.operation)],
                     "if":[{"document":"note/1","path":["title"],"exists":false}]}
                    """#),
            answer: .json(
                "TransactionAnswer", "The change, null when nothing changed, and the version with it.",
                hasCursor: true, example: Example.written),
            also: [.conflict, .conditionFailed]
        ) { (request) throws(APIError) in
            .take(
                .transact(
                    request.space, idempotencyKey: request.head.header("idempotency-key"), try request.units()
                ))
        },
        Route(
            .streamTransactions, "POST", "/v1/spaces/{space}/transactions:stream", .writeDocuments,
            tag: .documents,
            "Writes a transaction a line.",
            "An answer a line, in order, while the body still arrives. An error does not stop later lines. "
                + "Up to 16 MiB of unread answers are held, then input pauses.",
            parameters: [.units],
            body: .lines(
                schema: "TransactionLine",
                example: #"{"operations":[\#(Example.operation)],"idempotencyKey":"order-4711"}"#),
            answer: .lines("StreamedAnswer", "NDJSON.", example: Example.written)
        ) { (request) throws(APIError) in .streamTransactions(request.space, try request.units()) },
        Route(
            .exportDocuments, "GET", "/v1/spaces/{space}/export", .readDocuments, tag: .documents,
            "All documents.", "Of one committed state, canonical: equal nodes have byte-equal exports.",
            parameters: [.view, .prefix, .timeoutSeconds, .atLeast],
            answer: .lines(
                "ExportLine", "NDJSON.", hasCursor: true,
                example: #"{"key":"note/1","value":{"title":"Groceries"}}"#)
        ) { (request) throws(APIError) in
            .ask(
                .export(request.space, view: try request.view(), prefix: request.query["prefix"] ?? ""))
        },
        Route(
            .importDocuments, "POST", "/v1/spaces/{space}/import", .writeDocuments, tag: .documents,
            "Restores documents from a typed export.",
            "With their kinds, a transaction a line. The first line that fails ends it; those before it are "
                + "kept. A document that is larger than one change may be (1 MiB) is 413 "
                + "`document-too-large`.",
            body: .lines(schema: "TypedLine", example: Example.typedLine),
            answer: .json(
                "ImportAnswer", "All lines are on disk.",
                example: #"{"documents":1,"change":"\#(Example.change)","version":"\#(Example.change)"}"#),
            also: [.conflict]
        ) { .importDocuments($0.space) },
    ]
}

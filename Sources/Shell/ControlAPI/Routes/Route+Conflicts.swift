// Endpoints of what concurrent writes left: which values lost, and which shall stay.

import Bytes
import Node

extension Route.Name {
    public static let listConflicts = Route.Name("listConflicts")
    public static let resolveConflict = Route.Name("resolveConflict")
}

extension Route {
    static let conflictRoutes = [
        Route(
            .listConflicts, "GET", "/v1/spaces/{space}/conflicts", .readDocuments, tag: .documents,
            "Places where concurrent writes left more than one value.",
            "Each with the value that shows and those that lost, which stay readable until the place is "
                + "written again. A page of one committed state: whatever it finds, it reads the documents "
                + "that it passes.",
            parameters: [
                .conflictDocument, .prefix, .conflictAfter, .conflictLimit, .timeoutSeconds, .atLeast,
            ],
            answer: .json(
                "ConflictPage", "A page; `next` is the `after` of the next one.", hasCursor: true,
                example: #"""
                    {"conflicts":[{"document":"note/1","path":["title"],
                     "shown":{"value":"Shopping","kind":"register","author":\#(author),
                      "timestamp":1795382700000},
                     "others":[{"value":"Groceries","kind":"register","author":\#(author),
                     "timestamp":1795382600000}]}],"next":null}
                    """#)
        ) { (request) throws(APIError) in .ask(try request.conflicts()) },
        Route(
            .resolveConflict, "POST", "/v1/spaces/{space}/conflicts:resolve", .writeDocuments,
            tag: .documents,
            "Ends the conflicts of a place.",
            "Either by number, 0 the value that shows, then the others as they are listed; or by a value of "
                + "its own, written as `set` does. With `version` only if the document did not change since. "
                + "Of a container that stays the identity stays too.",
            body: .json(
                schema: "Resolution", example: #"{"document":"note/1","path":["title"],"take":1}"#),
            answer: .json(
                "TransactionAnswer",
                "The change, null when there was nothing to end, and the version with it.",
                hasCursor: true, example: Example.written),
            also: [.conflict, .conditionFailed]
        ) { .take(.resolveConflict($0.space)) },
    ]

    private static let author = #"{"device":"\#(Example.device)","name":"attic"}"#
}

// Endpoints of the indexes that are declared on this node.

import Bytes
import Node

extension Route.Name {
    public static let listIndexes = Route.Name("listIndexes")
    public static let getIndex = Route.Name("getIndex")
    public static let declareIndex = Route.Name("declareIndex")
    public static let dropIndex = Route.Name("dropIndex")
}

extension Route {
    static let indexRoutes = [
        Route(
            .listIndexes, "GET", "/v1/spaces/{space}/indexes", .readSpace, tag: .documents,
            "The indexes of a space.", "In the order of their names. Each node declares its own.",
            answer: .json("IndexList", "The indexes.", example: #"{"indexes":[\#(indexExample)]}"#)
        ) { .ask(.indexes($0.space)) },
        Route(
            .getIndex, "GET", "/v1/spaces/{space}/indexes/{name}", .readSpace, tag: .documents,
            "One index.", "While it is being built, `documents` says how far that came.",
            answer: .json("DeclaredIndex", "The index.", example: indexExample)
        ) { .ask(.index($0.space, name: $0.item.string)) },
        Route(
            .declareIndex, "PUT", "/v1/spaces/{space}/indexes/{name}", .unrestricted, tag: .documents,
            "Declares an index.",
            "On this node: `where` and `order` over its path use it as soon as it is built. The name has "
                + "1 to 64 letters, digits, `.`, `_` or `-`; a space has at most 16 indexes. 409 "
                + "`index-exists`: one of this name has another path or prefix.",
            body: .json(schema: "IndexRequest", example: #"{"path":["owner"],"prefix":"task/"}"#),
            answer: .json(
                "DeclaredIndex", "It is being built.", status: 201, or: (200, "It was declared already."),
                example: #"""
                    {"name":"owners","path":["owner"],"prefix":"task/","state":"building","documents":0}
                    """#),
            also: [.conflict]
        ) { .take(.declareIndex($0.space, name: $0.item.string)) },
        Route(
            .dropIndex, "DELETE", "/v1/spaces/{space}/indexes/{name}", .unrestricted, tag: .documents,
            "Drops an index.", "No find uses it from now on; what it takes on disk goes in the background.",
            answer: .json("Done", "Done.", example: "{}")
        ) { .ask(.dropIndex($0.space, name: $0.item.string)) },
    ]

    private static let indexExample =
        #"{"name":"owners","path":["owner"],"prefix":"task/","state":"ready","documents":1000000}"#
}

// Refusals about declared indexes.

import Documents
import Node

extension APIError {
    init(_ refusal: IndexRefusal) {
        switch refusal {
        case .absent(let name):
            self.init(
                404, "no-such-index", "no index \"\(name)\" of this space on this node",
                hint: "see GET /v1/spaces/{space}/indexes; each node declares its own")
        case .exists(let name):
            self.init(
                409, "index-exists", "an index \"\(name)\" with another path or prefix is declared",
                hint: "take another name, or drop that one first")
        case .invalidName(let name):
            self.init(
                422, "invalid-name", "\"\(name)\" is no name of an index",
                hint: "use 1 to \(NodeLimits.indexNameBytesMax) letters, digits, . _ or -")
        }
    }

    static func badIndexPath() -> APIError {
        APIError(
            422, "wrong-path", "no index can be made of this path and prefix",
            hint:
                "a path has 1 to \(DocumentLimits.nestingMax) keys and indexes, and no element ids; a prefix "
                + "has at most \(DocumentLimits.documentKeyBytesMax) bytes")
    }
}

// Declared indexes as JSON.

import JSON
import Node

extension JSONWriter {
    mutating func index(_ index: IndexReport) {
        object {
            $0.member("name", index.name)
            $0.list("path", index.definition.path) { $0.pathElement($1) }
            $0.name("prefix")
            $0.string(index.definition.prefix)
            $0.member("state", index.isReady ? "ready" : "building")
            $0.member("documents", index.documents)
        }
    }
}

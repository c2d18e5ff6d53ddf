// Edits of a part, as operations under the value's writer. They cannot fail for what others have done: where
// another kind shows than the program has a type for (another version of it wrote there), the edit replaces
// it. What is left are mistakes of the program, which stop it.

import Bytes
import Causality
import Documents

extension ReplicatingPart {
    /// A request of the control API, with the path of this part.
    mutating func edit(_ verb: OperationRequest.Verb, in kind: ContainerKind?) {
        let request = OperationRequest(document: Held.documentKey, path: path, verb: verb)
        author(in: kind) { document, stamp throws(AuthorError) in
            try document.author(
                request, dot: stamp.dot, timestamp: stamp.timestamp, context: stamp.context,
                wantsPatches: false
            ).operations
        }
    }

    /// The same for a kind that a verb does not make by itself.
    mutating func edit(_ verb: OperationRequest.Verb, making kind: ContainerKind) {
        if document.kind(at: path) != kind { edit(.make(kind), in: kind) }
        edit(verb, in: kind)
    }

    mutating func insert(_ values: [ReplicatingShown], at index: Int) {
        let (path, typed) = (path, values.map(\.typed))
        author(in: .list) { document, stamp throws(AuthorError) in
            try document.author(
                inserting: typed, at: index, of: path, dot: stamp.dot, timestamp: stamp.timestamp,
                context: stamp.context)
        }
    }

    private mutating func author(
        in kind: ContainerKind?,
        _ make: (inout Document, OperationStamp) throws(AuthorError) -> [Operation]
    ) {
        prepare()
        do throws(AuthorError) {
            try history.held.author(openWriter(), make)
        } catch {
            replace(error, with: kind)
            do throws(AuthorError) {
                try history.held.author(openWriter(), make)
            } catch {
                preconditionFailure("this cannot be in a replicating value: \(error)")
            }
        }
    }

    /// Makes room where another kind shows.
    private mutating func replace(_ error: AuthorError, with kind: ContainerKind?) {
        switch error {
        case .wrongKind, .noSuchPlace: break
        default: preconditionFailure("this cannot be in a replicating value: \(error)")
        }
        for depth in path.indices.dropFirst() {
            guard case .key = path[depth], document.kind(at: Array(path[..<depth])) != .map else { continue }
            replace(at: Array(path[..<depth]), with: .map)
        }
        if let kind, document.isShown(at: path), document.kind(at: path) != kind {
            replace(at: path, with: kind)
        }
    }

    private mutating func replace(at path: [PathElement], with kind: ContainerKind) {
        let request = OperationRequest(
            document: Held.documentKey, path: path, verb: .restore(ReplicatingShown.nothing(of: kind).typed))
        do throws(AuthorError) {
            try history.held.author(openWriter()) { document, stamp throws(AuthorError) in
                try document.author(
                    request, dot: stamp.dot, timestamp: stamp.timestamp, context: stamp.context,
                    wantsPatches: false
                ).operations
            }
        } catch {
            preconditionFailure("this cannot be in a replicating value: \(error)")
        }
    }

    /// The history is this value's alone.
    private mutating func prepare() {
        if !isKnownUniquelyReferenced(&history) { history = History(history.held) }
    }

    /// A writer that this value may write under, which has begun.
    private mutating func openWriter() -> Writer {
        if let writer, writer.begin(at: history.held.version[writer.replica]) { return writer }
        let fresh = Writer()
        let isOpen = fresh.begin(at: .none)
        precondition(isOpen, "a new writer is written under already")
        writer = fresh
        return fresh
    }
}

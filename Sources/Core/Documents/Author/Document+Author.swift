// Turns requests into operations. The planner only reads the document: when it throws, nothing has changed;
// when it returns, the operations are applied like anybody's, so that the next request of the transaction
// sees them.

import Bytes
public import Causality

/// What a request became.
public struct Authored: Hashable, Sendable {
    /// Empty when the request changes nothing.
    public let operations: [Operation]
    /// From the plain value before the request to the one after it.
    public let patches: [Patch]

    public init(operations: [Operation], patches: [Patch]) {
        self.operations = operations
        self.patches = patches
    }
}

extension Document {
    /// Makes the operations of one request and applies them. `dot` is the next free dot of the author's log,
    /// `timestamp` and `context` those of the change; the context must cover all of the document but the
    /// author's own log. On a throw the document is unchanged, but requests of the transaction that went
    /// before stay applied. The limits of a whole change are the caller's to check.
    public mutating func author(
        _ request: OperationRequest, dot: Dot, timestamp: Timestamp, context: VersionVector,
        wantsPatches: Bool = true
    ) throws(AuthorError) -> Authored {
        precondition(request.document == key, "a request for \(request.document) in \(key)")
        if isIncomplete { throw .incomplete }
        if case .spliceUTF16 = request.verb {
            return try author(
                try inScalars(request), dot: dot, timestamp: timestamp, context: context,
                wantsPatches: wantsPatches)
        }
        var batch = PatchBatch(wantsPatches: wantsPatches)
        let first = OperationStamp(dot: dot, timestamp: timestamp, context: context)
        if let operations = try splice(request, first, &batch) {
            return Authored(operations: operations, patches: finish(batch))
        }
        switch write(request, first, &batch) {
        case .nothing: return Authored(operations: [], patches: [])
        case .operation(let operation): return Authored(operations: [operation], patches: finish(batch))
        case .general: break
        }
        if request.verb.editsText { state.unfoldTexts() }
        if isIncomplete { throw .incomplete }
        let operations = try plan(request, dot: dot)
        var stamps: [OperationStamp] = []
        stamps.reserveCapacity(operations.count)
        var next = dot
        for operation in operations {
            let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
            assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
            stamps.append(stamp)
            next = next.advanced(by: operation.sequenceCount)
        }
        let patches = apply(operations, stamps: stamps, wantsPatches: wantsPatches)
        return Authored(operations: operations, patches: patches)
    }

    /// A request in the units of the core.
    private mutating func inScalars(_ request: OperationRequest) throws(AuthorError) -> OperationRequest {
        guard case .spliceUTF16(let index, let delete, let insert) = request.verb else { return request }
        guard index >= 0, delete >= 0 else { throw .invalidValue("index and delete are not negative") }
        var splice = (index: index, delete: delete)
        // Where no text is shown the general road says what is wrong, or makes one.
        if let content = state.text(at: request.path) {
            guard
                let inside = state.contents.texts[content].inScalars(
                    UTF16Splice(index: index, delete: delete))
            else {
                if state.contents.texts[content].isBroken {
                    state.hasBrokenText = true
                    throw .incomplete
                }
                let count = state.contents.texts[content].utf16Count
                let (end, isOver) = index.addingReportingOverflow(delete)
                if isOver || end > count { throw .indexPastEnd(index: index, count: count) }
                throw .invalidValue("index and delete stand between characters, not inside a surrogate pair")
            }
            splice = inside
        }
        return OperationRequest(
            document: request.document, path: request.path,
            verb: .splice(index: splice.index, delete: splice.delete, insert: insert))
    }

    // Apart from `author`, so that the planner's copy of the state is gone before the state changes in place.
    private func plan(_ request: OperationRequest, dot: Dot) throws(AuthorError) -> [Operation] {
        let length = key.utf8Count
        guard length > 0 else { throw .invalidValue("a document's key has at least one byte") }
        try Planner.check(length, DocumentLimits.documentKeyBytesMax, "document key bytes")
        var planner = Planner(state: state, document: key, next: dot)
        try planner.plan(request)
        for operation in planner.operations {
            try Planner.check(
                operation.sequenceCount, DocumentLimits.changeOperationsMax, "elements of one operation")
        }
        return planner.operations
    }
}

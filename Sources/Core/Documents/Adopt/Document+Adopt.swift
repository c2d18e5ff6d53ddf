// A void change is adopted by merging its operations into the document as it is (LIFECYCLE 1, decision 0172),
// one after the other, each seeing what the earlier ones became.

public import Causality

extension Document {
    /// Makes an operation of a void change again, as far as that takes nothing that is newer or that its
    /// author had not seen, and applies it. `original`: when and on what it was made; `dot`, `timestamp` and
    /// `context` are those of the change that adopts it, as in `author`. `released`: what the checkpoint
    /// before the standing one holds, where the document is in its base. The document is complete.
    public mutating func adopt<Past: AdoptionPast>(
        _ operation: Operation, _ original: OperationStamp, _ past: inout Past, dot: Dot,
        timestamp: Timestamp, context: VersionVector, released: VersionVector = VersionVector(),
        wantsPatches: Bool = true
    ) -> Adopted {
        precondition(operation.document == key && !isIncomplete, "\(operation.document) in \(key)")
        if operation.editsText { state.unfoldTexts() }
        // A text that cannot be read is none to write into.
        if isIncomplete {
            return Adopted(authored: Authored(operations: [], patches: []), copies: [], refusal: .gone)
        }
        // What follows reads the state's copy: it is gone before the state changes in place.
        let (operations, copies, refusal) = plan(operation, original, &past, dot, released)
        var stamps: [OperationStamp] = []
        stamps.reserveCapacity(operations.count)
        var next = dot
        for operation in operations {
            let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
            assert(operation.isStaticallyValid(stamp), "adopted an invalid operation: \(operation)")
            stamps.append(stamp)
            next = next.advanced(by: operation.sequenceCount)
        }
        let patches = apply(operations, stamps: stamps, wantsPatches: wantsPatches)
        return Adopted(
            authored: Authored(operations: operations, patches: patches), copies: copies, refusal: refusal)
    }

    private func plan<Past: AdoptionPast>(
        _ operation: Operation, _ original: OperationStamp, _ past: inout Past, _ dot: Dot,
        _ released: VersionVector
    ) -> ([Operation], [AdoptedRange], AdoptionRefusal?) {
        var adopter = Adopter(
            state: state, document: key, stamp: original, released: released, next: dot, past: past)
        adopter.adopt(operation.body)
        past = adopter.past
        return (adopter.operations, adopter.copies, adopter.refusal)
    }
}

extension Operation {
    fileprivate var editsText: Bool {
        guard case .act(_, let action) = body else { return false }
        return switch action {
        case .insertText, .deleteText: true
        default: false
        }
    }
}

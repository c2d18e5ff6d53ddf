// One document of a space: a map that everybody can change at the same time (DESIGN 6). It is a value: the
// same executed operations give an equal document and equal snapshot bytes, whatever the order in which they
// arrived (within causal order).
//
// Change it in place (`documents[key]?.apply(…)`). A copy that is kept while the original changes costs the
// size of the parts that change, once.

public import Bytes

/// A document and everything that its operations have made.
public struct Document: Sendable {
    public let key: Key
    /// Operations of a newer version touched it: shown as it is without them, and refuses local writes until
    /// it is rebuilt after the upgrade.
    public var isIncomplete: Bool { hasSkipped || state.hasBrokenText }
    private var hasSkipped = false
    var state = DocumentState()

    /// A document that nothing has happened to: absent.
    public init(key: Key) { self.key = key }

    init(key: Key, isIncomplete: Bool, state: DocumentState) {
        self.key = key
        hasSkipped = isIncomplete
        self.state = state
    }

    /// Executes all operations of one change that touch this document, at once. Each must be statically valid
    /// with its stamp and of this document; everything that its context covers must have been applied or be
    /// void, and no operation is applied twice. Returns the patches that take the plain value before to the
    /// one after; none when `wantsPatches` is false.
    public mutating func apply(
        _ operations: [Operation], stamps: [OperationStamp], wantsPatches: Bool = true
    ) -> [Patch] {
        precondition(operations.count == stamps.count, "a stamp for each operation")
        var batch = PatchBatch(wantsPatches: wantsPatches)
        for (operation, stamp) in zip(operations, stamps) {
            precondition(operation.document == key, "an operation of \(operation.document) in \(key)")
            state.apply(operation, stamp, &batch)
        }
        return finish(batch)
    }

    /// The same for one operation, when nobody wants patches.
    public mutating func apply(_ operation: Operation, _ stamp: OperationStamp) {
        precondition(operation.document == key, "an operation of \(operation.document) in \(key)")
        var batch = PatchBatch(wantsPatches: false)
        state.apply(operation, stamp, &batch)
        for slot in batch.emptied { state.freeIfEmpty(slot) }
    }

    /// A change of this document was skipped whole because it holds unknown operations.
    public mutating func markIncomplete() { hasSkipped = true }

    /// True when the document is there: created and not deleted. `{}` is there.
    public var isVisible: Bool { state.shownRoot != nil }

    /// The patches of a batch; frees the slots that it emptied.
    mutating func finish(_ batch: consuming PatchBatch) -> [Patch] {
        let patches = batch.recorder.map { state.patches(from: $0) } ?? []
        for slot in batch.emptied { state.freeIfEmpty(slot) }
        return patches
    }
}

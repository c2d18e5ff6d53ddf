// The registers of a slot: every write that no later write or clear of the slot had in its context. More than one
// means concurrent writes; the winner shows and the others are conflicts. No tombstones: what is covered is dropped,
// and by causal order it cannot come back.

import Causality

/// One surviving register write.
struct RegisterWrite: Hashable, Sendable {
    let value: Scalar
    let priority: Priority
    /// What a new container would have got in its author's view; never recomputed.
    let generation: Generation
}

/// The surviving writes of one slot.
struct Registers: Sendable {
    /// In place because nearly every slot has at most one. Nil only when `others` is empty.
    private var first: RegisterWrite?
    private var others: [RegisterWrite] = []

    init() {}

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }

    mutating func add(_ write: RegisterWrite) {
        if first == nil { first = write } else { others.append(write) }
    }

    /// A write, a clear, or the deletion of the element drops what its author had seen.
    mutating func removeCovered(by stamp: OperationStamp) {
        if !others.isEmpty { others.removeAll { stamp.covers($0.priority.dot) } }
        if let write = first, stamp.covers(write.priority.dot) { first = others.popLast() }
    }

    func forEach(_ body: (RegisterWrite) -> Void) {
        if let first { body(first) }
        for write in others { body(write) }
    }

    /// Ascending by dot: the order of snapshots.
    var sorted: [RegisterWrite] {
        guard let first else { return [] }
        return ([first] + others).sorted { $0.priority.dot < $1.priority.dot }
    }
}

// The registers of a slot: every write that no later write or clear of the slot had in its context. More than
// one means concurrent writes; the winner shows and the others are conflicts. No tombstones: what is covered
// is dropped, and by causal order it cannot come back.

import Bytes
import Causality

/// One surviving register write.
struct RegisterWrite: Hashable, Comparable, Sendable {
    let value: Scalar
    let priority: Priority
    /// What a new container would have got in its author's view; never recomputed.
    let generation: Generation

    static func < (left: RegisterWrite, right: RegisterWrite) -> Bool {
        (left.generation, left.priority) < (right.generation, right.priority)
    }
}

/// The surviving writes of one slot.
struct Registers: Sendable {
    /// The greatest by (generation, priority): what shows if no container does. In place because nearly every
    /// slot has at most one write. Nil only when `others` is empty.
    private(set) var winner: RegisterWrite?
    private var others: [RegisterWrite] = []

    init() {}

    var isEmpty: Bool { winner == nil }
    var count: Int { winner == nil ? 0 : 1 + others.count }

    mutating func add(_ write: RegisterWrite) {
        guard let best = winner else {
            winner = write
            return
        }
        if isPlanted("winner-by-arrival") {
            others.append(best)
            winner = write
            return
        }
        others.append(min(best, write))
        winner = max(best, write)
    }

    /// A write, a clear, or the deletion of the element drops what its author had seen.
    mutating func removeCovered(by stamp: OperationStamp) {
        if !others.isEmpty { others.removeAll { stamp.covers($0.priority.dot) } }
        guard let write = winner, stamp.covers(write.priority.dot) else { return }
        winner = others.max()
        others.removeAll { $0 == winner }
    }

    func forEach(_ body: (RegisterWrite) -> Void) {
        if let winner { body(winner) }
        for write in others { body(write) }
    }

    /// Ascending by dot: the order of snapshots.
    var sorted: [RegisterWrite] {
        guard let winner else { return [] }
        return ([winner] + others).sorted { $0.priority.dot < $1.priority.dot }
    }
}

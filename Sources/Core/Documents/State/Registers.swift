// The registers of a slot: every write that no later write or clear of the slot had in its context. More than
// one means concurrent writes; the winner shows and the others are conflicts. No tombstones: what is covered
// is dropped, and by causal order it cannot come back.
//
// A write covers the earlier ones of its own log, so a replica has at most one here: thousands of replicas
// that write one slot at once are found by their names, not by looking at all of them.

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

    fileprivate var replica: ReplicaID { priority.dot.replica }
}

/// The surviving writes of one slot.
struct Registers: Sendable {
    /// The greatest by (generation, priority): what shows if no container does. In place because nearly every
    /// slot has at most one write. Nil only when `others` is empty.
    private(set) var winner: RegisterWrite?
    /// Of other replicas than the winner's.
    private var others: [ReplicaID: RegisterWrite] = [:]

    init() {}

    var isEmpty: Bool { winner == nil }
    var count: Int { winner == nil ? 0 : 1 + others.count }

    /// A write: what its author had seen goes, and it is one of those that are left. O(1) but for contexts.
    mutating func write(_ write: RegisterWrite, by stamp: OperationStamp) {
        removeCoveredOthers(by: stamp)
        if let best = winner, stamp.covers(best.priority.dot) {
            if best < write {
                // Above the former winner is above all: no need to look at the others.
                winner = write
                return
            }
            promote()
        }
        add(write)
    }

    /// Adds what no known write covers; there is none of its replica.
    mutating func add(_ write: RegisterWrite) {
        guard let best = winner else {
            winner = write
            return
        }
        if isPlanted("winner-by-arrival") {
            others[best.replica] = best
            winner = write
            return
        }
        let lesser = min(best, write)
        others[lesser.replica] = lesser
        winner = max(best, write)
    }

    /// A clear, or the deletion of the element, drops what its author had seen.
    mutating func removeCovered(by stamp: OperationStamp) {
        removeCoveredOthers(by: stamp)
        if let best = winner, stamp.covers(best.priority.dot) { promote() }
    }

    /// Looks at the fewer of the others and the replicas that the author had seen.
    private mutating func removeCoveredOthers(by stamp: OperationStamp) {
        if others.isEmpty { return }
        if others.count <= stamp.context.count {
            others = others.filter { !stamp.covers($0.value.priority.dot) }
            return
        }
        func remove(_ replica: ReplicaID) {
            if let write = others[replica], stamp.covers(write.priority.dot) { others[replica] = nil }
        }
        remove(stamp.dot.replica)
        for entry in stamp.context.entries { remove(entry.replica) }
    }

    /// The greatest of the others is the winner now. O(others).
    private mutating func promote() {
        winner = others.values.max()
        if let winner { others[winner.replica] = nil }
    }

    func forEach(_ body: (RegisterWrite) -> Void) {
        if let winner { body(winner) }
        for write in others.values { body(write) }
    }

    /// Ascending by dot: the order of snapshots.
    var sorted: [RegisterWrite] {
        guard let winner else { return [] }
        if others.isEmpty { return [winner] }
        return ([winner] + others.values).sorted { $0.priority.dot < $1.priority.dot }
    }
}

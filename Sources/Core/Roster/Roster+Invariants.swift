// What always holds of a roster; called by tests and the simulator after every step.

import Bytes
import Causality
import Wire

extension Roster {
    /// Stops the process when something is broken. O(operations × heads).
    public func checkInvariants() {
        precondition(!entries.isEmpty && entries.count == indices.count && entries.count == isStanding.count)
        precondition(entries[0].operation.id == space.raw && entries[0].operation.body.isGenesis)
        var named: Set<Bytes32> = []
        for (index, entry) in entries.enumerated() {
            precondition(indices[entry.operation.id] == index, "index of \(entry.operation.id)")
            precondition(entry.parents.allSatisfy { $0 < index && entries[$0].depth < entry.depth })
            precondition(entry.parents.map { entries[$0].operation.id } == entry.operation.heads)
            precondition(index == 0 || !entry.operation.heads.isEmpty, "a second genesis")
            precondition(entry.supersedes.allSatisfy { $0 < index } && entry.basis.allSatisfy { $0 < index })
            named.formUnion(entry.operation.heads)
        }
        precondition(!heads.isEmpty && zip(heads, heads.dropFirst()).allSatisfy { $0 < $1 }, "heads ascend")
        precondition(Set(heads) == Set(indices.keys).subtracting(named), "heads are what nothing names")
        precondition(
            !restrictions.isEmpty || isStanding.allSatisfy { $0 }, "nothing falls without a restriction")
        for (heads, view) in views {
            precondition(
                view.tops.allSatisfy { view.reachable.contains($0.index) && indices[$0.id] == $0.index })
            precondition(heads.allSatisfy { head in indices[head].map(view.reachable.contains) ?? false })
        }
        waiting.checkInvariants()
        precondition(waiting.wanted.allSatisfy { indices[$0] == nil }, "nothing waits for what is held")
    }
}

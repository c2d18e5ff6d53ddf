// What always holds of a roster; called by tests and the simulator after every step.

import Bytes
import Causality
import Wire

extension Roster {
    /// Stops the process when something is broken. O(operations × heads).
    public func checkInvariants() {
        precondition(!entries.isEmpty && entries.count == indices.count)
        precondition(operation(at: 0).id == space.raw && operation(at: 0).body.isGenesis)
        var named: Set<Bytes32> = []
        for (index, entry) in entries.enumerated() {
            let operation = operation(at: Int32(index))
            precondition(indices[entry.id] == Int32(index), "index of \(entry.id)")
            precondition(operation.author == entry.author && Effect(operation.body) == entry.effect)
            precondition(
                entry.parents.allSatisfy { Int($0) < index && entries[Int($0)].depth < entry.depth })
            precondition(entry.parents.map { entries[Int($0)].id } == operation.heads)
            precondition(index == 0 || !operation.heads.isEmpty, "a second genesis")
            precondition(entry.covered <= index + 1, "what came later is no ancestor")
            precondition(
                entry.supersedes.allSatisfy { Int($0) < index } && entry.basis.allSatisfy { Int($0) < index })
            named.formUnion(operation.heads)
        }
        precondition(
            ordered.count == entries.count
                && zip(ordered, ordered.dropFirst()).allSatisfy { precedes($0, $1) },
            "the order of all")
        precondition(
            zip(standingHeads, standingHeads.dropFirst()).allSatisfy { $0 < $1 }
                && standingHeads.allSatisfy { indices[$0] != nil })
        precondition(!heads.isEmpty && zip(heads, heads.dropFirst()).allSatisfy { $0 < $1 }, "heads ascend")
        precondition(Set(heads) == Set(indices.keys).subtracting(named), "heads are what nothing names")
        precondition(!restrictions.isEmpty || standing == Standing(), "nothing falls without a restriction")
        precondition(
            standing == judged(nil), "what stands was not judged again when something was added")
        precondition(
            zip(acts, acts.dropFirst()).allSatisfy { !isSenior($1, to: $0) }
                && acts.count == entries.count { $0.effect.isAct }, "acts by seniority")
        precondition(restricting.count == restrictions.values.reduce(0) { $0 + $1.count })
        for (heads, view) in views {
            precondition(
                view.tops.allSatisfy {
                    view.reachable.contains(Int($0.index)) && indices[$0.id] == $0.index
                })
            precondition(
                heads.allSatisfy { head in indices[head].map { view.reachable.contains(Int($0)) } ?? false })
            view.reachable.checkInvariants()
        }
        waiting.checkInvariants()
        precondition(waiting.wanted.allSatisfy { indices[$0] == nil }, "nothing waits for what is held")
    }
}

// What a peer lacks. Each side sends a summary of what it holds; the other answers with everything that is
// not an ancestor of it. Need is computed from the summary alone, nothing is remembered between links (DESIGN
// 9).

public import Bytes
import Causality
public import Wire

extension Roster {
    /// Every operation, so that each comes after all it names; the same order on every replica with the same
    /// set.
    public func operations() -> [RosterOperation] { operations(missingFrom: []) }

    /// What somebody lacks who holds `ids` and therefore their ancestors; each after all it names. Ids that
    /// are not known here say nothing. O(n log n).
    public func operations(missingFrom ids: some Sequence<Bytes32>) -> [RosterOperation] {
        var held = ReachableSet()
        var next = ids.compactMap { indices[$0] }
        while let index = next.popLast() {
            if held.insert(index) { next.append(contentsOf: entries[index].parents) }
        }
        return entries.indices.filter { !held.contains($0) }.sorted(by: precedes).map {
            entries[$0].operation
        }
    }

    /// What must be held before the operation can be added, and the operation itself last; empty when
    /// unknown.
    public func operations(upTo id: Bytes32) -> [RosterOperation] {
        var wanted = ReachableSet()
        var next = indices[id].map { [$0] } ?? []
        while let index = next.popLast() {
            if wanted.insert(index) { next.append(contentsOf: entries[index].parents) }
        }
        return entries.indices.filter { wanted.contains($0) }.sorted(by: precedes).map {
            entries[$0].operation
        }
    }

    /// Ids from which another side can tell what is lacking here: heads, then ever sparser towards the
    /// genesis, so that two that went apart find a common ancestor soon; at most `RosterLimits.summaryMax`.
    public func summary() -> [Bytes32] {
        var ids = Array(heads.prefix(RosterLimits.summaryMax / 2))
        let ordered = entries.indices.sorted(by: precedes)
        var (back, step) = (1, 1)
        while back < ordered.count, ids.count < RosterLimits.summaryMax - 1 {
            let id = entries[ordered[ordered.count - 1 - back]].operation.id
            if !ids.contains(id) { ids.append(id) }
            if ids.count > RosterLimits.summaryMax / 2 { step *= 2 }
            back += step
        }
        if !ids.contains(space.raw) { ids.append(space.raw) }
        return ids
    }

    /// Those that are not held here, ascending: what to ask the sender for.
    public func missing(of ids: some Sequence<Bytes32>) -> [Bytes32] {
        Set(ids).filter { indices[$0] == nil }.sorted()
    }

    /// Heads that waiting operations lack, ascending.
    public var wantedHeads: [Bytes32] { waiting.wanted }
}

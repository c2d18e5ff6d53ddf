// What a peer lacks. Each side sends a summary of what it holds; the other answers with everything that is
// not an ancestor of it. Need is computed from the summary alone, nothing is remembered between links (DESIGN
// 9).

public import Bytes
public import Causality
public import Wire

extension Roster {
    /// Every operation, so that each comes after all it names; the same order on every replica with the same
    /// set. Reads them all: for what has to have them at once.
    public func operations() -> [RosterOperation] { ordered.map(operation(at:)) }

    /// What somebody lacks who holds `ids` and therefore their ancestors; each after all it names. Ids that
    /// are not known here say nothing. O(what they do not hold) when they are recent.
    public func operations(missingFrom ids: some Sequence<Bytes32>) -> [RosterOperation] {
        places(missingFrom: ids).map { operation(at: $0.index) }
    }

    /// The same as places to read them from later (`bytes(at:)`): a roster may be large, and a link slow.
    public func places(missingFrom ids: some Sequence<Bytes32>) -> [RosterPlace] {
        let held = reachable(from: ids.compactMap { indices[$0] })
        return entries.indices.dropFirst(held.first).filter { !held.contains($0) }.map {
            RosterPlace(index: Int32($0))
        }
    }

    /// The same; with `last` only these operations and what they were made on.
    public func places(missingFrom ids: some Sequence<Bytes32>, upTo last: [Bytes32]?) -> [RosterPlace] {
        let all = places(missingFrom: ids)
        guard let last else { return all }
        let wanted = reachable(from: last.compactMap { indices[$0] })
        return all.filter { wanted.contains(Int($0.index)) }
    }

    /// What must be held before the operation can be added, and the operation itself last; empty when
    /// unknown.
    public func places(upTo id: Bytes32) -> [RosterPlace] {
        let wanted = reachable(from: indices[id].map { [$0] } ?? [])
        return entries.indices.filter { wanted.contains($0) }.map { RosterPlace(index: Int32($0)) }
    }

    /// All, by arrival.
    public var places: [RosterPlace] { entries.indices.map { RosterPlace(index: Int32($0)) } }

    public func operations(at places: some Sequence<RosterPlace>) -> [RosterOperation] {
        places.map { operation(at: $0.index) }
    }

    /// The canonical bytes of an operation of this roster.
    public func bytes(at place: RosterPlace) -> [UInt8] { bytes[entries[Int(place.index)].place] }

    public func byteCount(at place: RosterPlace) -> Int { Int(entries[Int(place.index)].place.count) }

    /// How many of these one frame should hold, so that who looks at them is soon done with it: at least one.
    public func pieceLength(of places: ArraySlice<RosterPlace>) -> Int {
        var (count, bytes) = (0, 0)
        for place in places.prefix(RosterLimits.pieceOperationsMax) {
            bytes += byteCount(at: place)
            if count > 0, bytes > RosterLimits.pieceBytesMax { break }
            count += 1
        }
        return count
    }

    /// These and all their ancestors.
    func reachable(from indices: [Int32]) -> ReachableSet {
        var reachable = ReachableSet()
        var next = indices
        while let index = next.popLast() {
            guard reachable.insert(Int(index)) else { continue }
            reachable.cover(Int(entries[Int(index)].covered))
            next.append(contentsOf: entries[Int(index)].parents)
        }
        return reachable
    }

    /// Ids from which another side can tell what is lacking here: heads, a few before them, then ever sparser
    /// towards the genesis, so that two that went apart find a common ancestor soon; at most
    /// `RosterLimits.summaryMax`. Two that are nearly level pay little to see it, others get at most about
    /// twice what they lack.
    public func summary() -> [Bytes32] {
        var ids = Array(heads.prefix(RosterLimits.summaryMax / 2))
        let doublesFrom = ids.count + RosterLimits.summaryNearest
        var (back, step) = (1, 1)
        while back < ordered.count, ids.count < RosterLimits.summaryMax - 1 {
            let id = entries[Int(ordered[ordered.count - 1 - back])].id
            if !ids.contains(id) { ids.append(id) }
            if ids.count >= doublesFrom { step *= 2 }
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

    /// Authors of operations that wait for this one, ascending.
    public func authors(waitingFor operation: Bytes32) -> [DeviceID] {
        waiting.authors(waitingFor: operation).sorted()
    }
}

/// Where an operation stands in the roster that gave this, for as long as that roster grows.
public struct RosterPlace: Hashable, Sendable {
    let index: Int32
}

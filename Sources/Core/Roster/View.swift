// The roster operations that an author had seen: what is reachable from some heads. Rights are judged in it,
// so that an answer never depends on what else had arrived meanwhile (THREATS.md, I8).

public import Bytes

/// A set of operations that holds the ancestors of each of its own. It belongs to the roster that made it and
/// stays valid while that roster grows.
public struct View: Hashable, Sendable {
    /// The maximal operations, ascending: keep these to have the view again (`Roster.view(heads:)`).
    public var heads: [Bytes32] { tops.map(\.id) }

    struct Top: Hashable, Sendable {
        let id: Bytes32
        let index: Int32
    }

    /// Ascending by id, none an ancestor of another.
    let tops: [Top]
    /// The tops and all their ancestors.
    let reachable: ReachableSet

    init(tops: [Top], reachable: ReachableSet) {
        self.tops = tops
        self.reachable = reachable
    }

    /// Everything that either holds: the view of a change that names new heads is the union with its log's
    /// last one.
    public func union(_ other: View) -> View {
        // A top of one is a top of both unless the other has it below a top of its own.
        let mine = tops.filter { !other.reachable.contains(Int($0.index)) || other.tops.contains($0) }
        let others = other.tops.filter { !reachable.contains(Int($0.index)) }
        var both = reachable
        both.formUnion(other.reachable)
        return View(tops: (mine + others).sorted { $0.id < $1.id }, reachable: both)
    }

    /// True when it holds everything that `other` holds.
    public func covers(_ other: View) -> Bool {
        other.tops.allSatisfy { reachable.contains(Int($0.index)) }
    }
}

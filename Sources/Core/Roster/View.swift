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
    /// What stands among them.
    let standing: Standing

    init(tops: [Top], reachable: ReachableSet, standing: Standing) {
        self.tops = tops
        self.reachable = reachable
        self.standing = standing
    }

    /// The rest follows from the tops.
    public static func == (left: View, right: View) -> Bool { left.tops == right.tops }
    public func hash(into hasher: inout Hasher) { hasher.combine(tops) }
}

// The spans of an order in a B+tree: struct nodes in arrays, named by their index, so that an edit allocates
// nothing but now and then a node, and a copy of the whole is four buffers. The slots of all leaves stand in
// one array, those of all branches in another: inside the nodes, as inline arrays, a read of one was a copy
// of all. Nodes are never removed: positions never are (DESIGN 6), and spans only melt together inside a
// leaf. Leaf 0 is always the first leaf.

/// A B+tree of spans with sums of visible and total positions, and minima of gap levels and depths.
struct SequenceTree: Sendable {
    /// Slots of a leaf, and of a branch.
    static let capacity = 16

    struct Leaf: Sendable {
        var count = 0
        /// Branch above; -1 at the root.
        var parent: Int32 = -1
        var previous: Int32 = -1
        var next: Int32 = -1
        /// Of all spans; equal to this leaf's entry in its parent.
        var summary = SequenceSummary()
    }

    struct Child: Sendable {
        var handle: Int32 = -1
        var summary = SequenceSummary()
    }

    struct Branch: Sendable {
        var count = 0
        var parent: Int32 = -1
        /// True when the children are leaves.
        var isAboveLeaves: Bool
    }

    /// A position: the span in a leaf, and which of its positions.
    struct Location: Equatable, Sendable {
        var leaf: Int
        var slot: Int
        var offset: Int
    }

    var leaves: ContiguousArray<Leaf> = []
    var branches: ContiguousArray<Branch> = []
    /// The slots of the leaves and of the branches; see `at`.
    var spans: ContiguousArray<SequenceSpan> = []
    var children: ContiguousArray<Child> = []
    /// The topmost branch; -1 while there is at most one leaf.
    var root = -1
    var lastLeaf = -1
    /// The leaf that was edited last and the visible positions before it: edits come in neighbourhoods.
    var recentLeaf = -1
    var recentVisibleBefore = 0

    init() {}

    var summary: SequenceSummary {
        if root < 0 { return leaves.isEmpty ? SequenceSummary() : leaves[0].summary }
        return sum(of: root)
    }

    /// Where a slot of a node stands in `spans` or `children`.
    func at(_ node: Int, _ slot: Int) -> Int { node &* Self.capacity &+ slot }

    func span(at location: Location) -> SequenceSpan { spans[at(location.leaf, location.slot)] }
    func gap(at location: Location) -> Int { span(at: location).gap(at: location.offset) }
    func depth(at location: Location) -> Int { span(at: location).depth + location.offset }

    var first: Location? { leaves.isEmpty ? nil : Location(leaf: 0, slot: 0, offset: 0) }
    var last: Location? {
        guard lastLeaf >= 0 else { return nil }
        let slot = leaves[lastLeaf].count - 1
        return Location(leaf: lastLeaf, slot: slot, offset: spans[at(lastLeaf, slot)].count - 1)
    }

    /// The next position; nil after the last.
    func next(after location: Location) -> Location? {
        if location.offset + 1 < spans[at(location.leaf, location.slot)].count {
            return Location(leaf: location.leaf, slot: location.slot, offset: location.offset + 1)
        }
        if location.slot + 1 < leaves[location.leaf].count {
            return Location(leaf: location.leaf, slot: location.slot + 1, offset: 0)
        }
        let next = Int(leaves[location.leaf].next)
        return next < 0 ? nil : Location(leaf: next, slot: 0, offset: 0)
    }

    /// The position before; nil before the first.
    func previous(before location: Location) -> Location? {
        if location.offset > 0 {
            return Location(leaf: location.leaf, slot: location.slot, offset: location.offset - 1)
        }
        var (leaf, slot) = (location.leaf, location.slot - 1)
        if slot < 0 {
            leaf = Int(leaves[leaf].previous)
            guard leaf >= 0 else { return nil }
            slot = leaves[leaf].count - 1
        }
        return Location(leaf: leaf, slot: slot, offset: spans[at(leaf, slot)].count - 1)
    }

    // MARK: Ranks

    /// Positions before this one. O(log n).
    func rank(of location: Location) -> Int {
        var sum = location.offset
        for slot in 0..<location.slot { sum += spans[at(location.leaf, slot)].count }
        climb(from: location.leaf) { branch, place in
            for index in 0..<place { sum += children[at(branch, index)].summary.total }
        }
        return sum
    }

    /// Visible positions before this one. O(log n), O(1) in the leaf that was edited last.
    func visibleRank(of location: Location) -> Int {
        let span = span(at: location)
        var sum = visibleBefore(leaf: location.leaf) + (span.isVisible ? location.offset : 0)
        for slot in 0..<location.slot { sum += spans[at(location.leaf, slot)].visibleCount }
        return sum
    }

    func visibleBefore(leaf: Int) -> Int {
        if leaf == recentLeaf { return recentVisibleBefore }
        var sum = 0
        climb(from: leaf) { branch, place in
            for index in 0..<place { sum += children[at(branch, index)].summary.visible }
        }
        return sum
    }

    /// The position with this many positions before it; must be below the total. O(log n).
    func location(atRank rank: Int) -> Location {
        var rest = rank
        let leaf = descend { summary in
            if rest < summary.total { return true }
            rest -= summary.total
            return false
        }
        for slot in 0..<leaves[leaf].count {
            let count = spans[at(leaf, slot)].count
            if rest < count { return Location(leaf: leaf, slot: slot, offset: rest) }
            rest -= count
        }
        preconditionFailure("rank \(rank) of \(summary.total)")
    }

    /// The visible position with this many visible ones before it; must be below the visible total. O(log n).
    func location(atVisible index: Int) -> Location {
        var rest = index
        var leaf = recentLeaf
        if leaf >= 0, index >= recentVisibleBefore,
            index - recentVisibleBefore < leaves[leaf].summary.visible
        {
            rest = index - recentVisibleBefore
        } else {
            leaf = descend { summary in
                if rest < summary.visible { return true }
                rest -= summary.visible
                return false
            }
        }
        for slot in 0..<leaves[leaf].count {
            let count = spans[at(leaf, slot)].visibleCount
            if rest < count { return Location(leaf: leaf, slot: slot, offset: rest) }
            rest -= count
        }
        preconditionFailure("visible index \(index) of \(summary.visible)")
    }

    /// From the root to the first leaf whose summary is accepted on every level.
    private func descend(_ accept: (SequenceSummary) -> Bool) -> Int {
        var node = root
        guard node >= 0 else { return 0 }
        while true {
            let count = branches[node].count
            var place = 0
            while place < count - 1, !accept(children[at(node, place)].summary) { place += 1 }
            let child = Int(children[at(node, place)].handle)
            if branches[node].isAboveLeaves { return child }
            node = child
        }
    }

    /// Calls `visit` with each branch above a leaf and the place in it, upwards.
    private func climb(from leaf: Int, _ visit: (_ branch: Int, _ place: Int) -> Void) {
        var (child, branch) = (leaf, Int(leaves[leaf].parent))
        while branch >= 0 {
            visit(branch, place(of: child, in: branch))
            (child, branch) = (branch, Int(branches[branch].parent))
        }
    }

    func place(of child: Int, in branch: Int) -> Int {
        var place = 0
        while Int(children[at(branch, place)].handle) != child { place += 1 }
        return place
    }

    func sum(of branch: Int) -> SequenceSummary {
        var sum = SequenceSummary()
        for place in 0..<branches[branch].count {
            sum.add(children[at(branch, place)].summary)
        }
        return sum
    }
}

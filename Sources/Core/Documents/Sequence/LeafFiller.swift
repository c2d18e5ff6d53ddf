// Spans in sequence order become a tree: leaves filled one after the other, branches above them level by
// level.

/// Spans on their way into leaves.
struct LeafFiller {
    /// Leaves keep some room, so that the first edits do not split each of them.
    static let fill = 15

    var leaves: ContiguousArray<SequenceTree.Leaf> = []
    var spans: ContiguousArray<SequenceSpan> = []
    private var used = fill

    /// Room for so many spans, and no more: growing would leave half of it unused.
    init(_ count: Int) {
        let leafCount = (count + Self.fill - 1) / Self.fill
        leaves.reserveCapacity(leafCount)
        spans.reserveCapacity(leafCount * SequenceTree.capacity)
    }

    /// The leaf that the next span goes to.
    var nextLeaf: Int32 { Int32(used == Self.fill ? leaves.count : leaves.count - 1) }

    mutating func add(_ span: SequenceSpan) {
        if used == Self.fill {
            var leaf = SequenceTree.Leaf()
            leaf.previous = Int32(leaves.count - 1)
            if !leaves.isEmpty { leaves[leaves.count - 1].next = Int32(leaves.count) }
            leaves.append(leaf)
            spans.append(contentsOf: repeatElement(.unused, count: SequenceTree.capacity))
            used = 0
        }
        let leaf = leaves.count - 1
        spans[leaf &* SequenceTree.capacity &+ used] = span
        leaves[leaf].summary.add(span)
        used += 1
        leaves[leaf].count = used
    }
}

extension SequenceTree {
    /// The tree over filled leaves.
    init(_ filler: consuming LeafFiller) {
        self.init()
        leaves = filler.leaves
        spans = filler.spans
        lastLeaf = leaves.count - 1
        guard leaves.count > 1 else { return }
        var level = leaves.indices.map { Child(handle: Int32($0), summary: leaves[$0].summary) }
        var isAboveLeaves = true
        repeat {
            level = addBranches(above: level, isAboveLeaves)
            isAboveLeaves = false
        } while level.count > 1
        root = Int(level[0].handle)
    }

    private mutating func addBranches(above level: [Child], _ isAboveLeaves: Bool) -> [Child] {
        var above: [Child] = []
        for start in stride(from: 0, to: level.count, by: LeafFiller.fill) {
            let new = branches.count
            var branch = Branch(isAboveLeaves: isAboveLeaves)
            branch.count = min(LeafFiller.fill, level.count - start)
            branches.append(branch)
            children.append(contentsOf: repeatElement(Child(), count: Self.capacity))
            for place in 0..<branch.count {
                let child = level[start + place]
                children[at(new, place)] = child
                let handle = Int(child.handle)
                if isAboveLeaves {
                    leaves[handle].parent = Int32(new)
                } else {
                    branches[handle].parent = Int32(new)
                }
            }
            above.append(Child(handle: Int32(new), summary: sum(of: new)))
        }
        return above
    }
}

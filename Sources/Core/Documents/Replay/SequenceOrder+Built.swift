// A built list of atoms becomes an order: spans as long as they can be, leaves filled one after the other,
// branches above them level by level, and the index from dots to leaves in one pass.

import Causality

extension SequenceOrder {
    /// The order of all positions of a builder.
    init(_ builder: SequenceBuilder, replicas table: [ReplicaID]) {
        self.init()
        // 1. Numbers of the replicas that have a position here.
        var numbers = ContiguousArray<Int32>(repeating: -1, count: table.count)
        for atom in builder.atoms.indices where builder.atoms[atom].isHeld {
            let replica = Int(builder.replica(of: Int32(atom)))
            if numbers[replica] < 0 { numbers[replica] = number(of: table[replica]) }
        }
        // 2. Spans in order, and the leaf of each atom.
        var filler = LeafFiller()
        var leafOfAtom = ContiguousArray<Int32>(repeating: -1, count: builder.atoms.count)
        var pending: SequenceSpan?
        var next = builder.first
        while next >= 0 {
            let atom = builder.atoms[Int(next)]
            let origin = builder.origin(of: next)
            let span = SequenceSpan(
                sequence: builder.starts[Int(next)],
                origin: origin.isNone
                    ? .end
                    : SequenceOrigin(replica: numbers[Int(origin.replica)], sequence: origin.sequence),
                count: builder.count(of: next), depth: Int(atom.depth), gap: Int(atom.gap),
                replica: numbers[Int(builder.replica(of: next))], isLeftChild: atom.isLeftChild,
                isVisible: !atom.isHidden)
            if var longer = pending, longer.continues(with: span) {
                longer.count += span.count
                longer.gap = span.gap
                pending = longer
            } else {
                if let pending { filler.add(pending) }
                pending = span
            }
            leafOfAtom[Int(next)] = filler.nextLeaf
            next = atom.next
        }
        if let pending { filler.add(pending) }
        tree = SequenceTree(filler)
        // 3. Steps of the index, replica by replica: atoms ascend in the order of their sequences.
        for atom in builder.atoms.indices where leafOfAtom[atom] >= 0 {
            let number = Int(numbers[Int(builder.replica(of: Int32(atom)))])
            let start = builder.starts[atom]
            indexes[number].append(
                start..<start + UInt64(builder.count(of: Int32(atom))), to: Int(leafOfAtom[atom]))
        }
    }
}

/// Spans on their way into leaves.
struct LeafFiller {
    /// Leaves keep some room, so that the first edits do not split each of them.
    static let fill = 13

    var leaves: ContiguousArray<SequenceTree.Leaf> = []
    var spans: ContiguousArray<SequenceSpan> = []
    private var used = fill

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

// What must always hold of an order; tests call it after every step. Linear with large factors, never in what
// ships.

import Causality

extension SequenceOrder {
    /// Stops with the broken invariant. Checks the B+tree, the indexes, and the order against the rule of
    /// FugueMax.
    func checkInvariants() {
        tree.checkInvariants()
        precondition(replicas.count == numbers.count && replicas.count == indexes.count, "replica tables")
        for index in indexes { index.checkInvariants() }
        for leaf in tree.leaves.indices {
            for slot in 0..<tree.leaves[leaf].count {
                let span = tree.spans[tree.at(leaf, slot)]
                for sequence in [span.sequence, span.endSequence - 1] {
                    let found = indexes[Int(span.replica)].leaf(of: sequence).leaf
                    precondition(
                        found == leaf, "index of \(span.replica):\(sequence) is \(found), not \(leaf)")
                }
                if !span.origin.isEnd {
                    precondition(
                        location(span.origin.replica, span.origin.sequence) != nil, "origin of \(span)")
                }
            }
        }
        checkSiblings()
    }

    /// Rebuilds the tree from depths and gaps and compares siblings by the rule.
    private func checkSiblings() {
        struct Node {
            var dot: Dot
            var origin: Dot?
            var depth: Int
            var isLeft: Bool
        }
        var nodes: [Node] = []
        var gaps: [Int] = []
        forEachSpan { span in
            for offset in 0..<span.count {
                let dot = publicDot(
                    SequenceOrigin(replica: span.replica, sequence: span.sequence + UInt64(offset)))
                let origin = span.origin.isEnd ? nil : publicDot(span.origin)
                nodes.append(
                    Node(
                        dot: dot, origin: origin, depth: span.depth + offset,
                        isLeft: span.isLeftChild && offset == 0))
                gaps.append(span.gap(at: offset))
            }
        }
        let rank = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1.dot, $0) })
        // Per open level: the root once it is passed, and the siblings passed on the side that is being read.
        var open: [(root: Int?, left: Int?, right: Int?)] = [(nil, nil, nil)]
        var gap = 0
        for (index, node) in nodes.enumerated() {
            while open.count - 1 > gap {
                let closed = open.removeLast()
                precondition(closed.root != nil, "a subtree before \(node.dot) has no root")
            }
            while open.count - 1 < node.depth { open.append((nil, nil, nil)) }
            precondition(open[node.depth].root == nil, "\(node.dot) is a second root")
            open[node.depth].root = index
            let parent = node.depth - 1
            if node.isLeft {
                precondition(parent > 0 && open[parent].root == nil, "\(node.dot) is no left child")
                if let sibling = open[parent].left {
                    precondition(nodes[sibling].dot < node.dot, "left siblings at \(node.dot)")
                }
                open[parent].left = index
            } else {
                precondition(parent == 0 || open[parent].root != nil, "\(node.dot) is no right child")
                if let sibling = open[parent].right.map({ nodes[$0] }) {
                    let (a, b) = (sibling.origin.flatMap { rank[$0] }, node.origin.flatMap { rank[$0] })
                    let isSorted = a == b ? sibling.dot < node.dot : (a ?? .max) > (b ?? .max)
                    precondition(isSorted, "right siblings at \(node.dot)")
                }
                open[parent].right = index
            }
            gap = gaps[index]
            precondition(
                gap <= node.depth && (gap >= 0) == (index < nodes.count - 1), "gap after \(node.dot)")
        }
        precondition(open.dropFirst().allSatisfy { $0.root != nil }, "a subtree has no root at the end")
    }
}

extension SequenceTree {
    func checkInvariants() {
        guard !leaves.isEmpty else { return }
        var (leaf, before, previous, seen) = (0, 0, -1, 0)
        while leaf >= 0 {
            let node = leaves[leaf]
            var sum = SequenceSummary()
            for slot in 0..<node.count { sum.add(spans[at(leaf, slot)]) }
            precondition(node.count > 0 && sum == node.summary, "leaf \(leaf): \(sum), kept \(node.summary)")
            precondition(Int(node.previous) == previous, "links at leaf \(leaf)")
            precondition(leaf != recentLeaf || recentVisibleBefore == before, "the remembered leaf \(leaf)")
            before += sum.visible
            seen += 1
            (previous, leaf) = (leaf, Int(node.next))
        }
        precondition(
            seen == leaves.count && previous == lastLeaf, "\(seen) of \(leaves.count) leaves are linked")
        for (index, branch) in branches.enumerated() {
            for place in 0..<branch.count {
                let child = children[at(index, place)]
                let handle = Int(child.handle)
                let parent = branch.isAboveLeaves ? leaves[handle].parent : branches[handle].parent
                let below = branch.isAboveLeaves ? leaves[handle].summary : sum(of: handle)
                precondition(Int(parent) == index, "parent of \(handle)")
                precondition(
                    child.summary == below, "branch \(index) at \(place): \(child.summary), is \(below)")
            }
            precondition((branch.parent < 0) == (index == root), "top of branch \(index)")
        }
    }
}

// Where an insertion goes. Mostly its origins are neighbours and the place is between them. Else its siblings
// are found by searches on gap levels: those of a right child lie between the left origin and the end of its
// subtree, those of a left child between the start of the right origin's subtree and itself, and they are
// searched in halves, so that ten thousand replicas which insert at one place cost little each.

import Causality

extension SequenceOrder {
    /// A place for a span, and what the span becomes there.
    struct InsertionPoint {
        /// The position that the span will stand after; nil at the start.
        let previous: SequenceTree.Location?
        /// The level of the gap between `previous` and the span.
        let previousGap: Int
        let depth: Int
        let gap: Int
        let isLeftChild: Bool
    }

    func place(
        _ left: SequenceTree.Location?, _ right: SequenceTree.Location?, _ origin: SequenceOrigin, _ dot: Dot
    ) -> InsertionPoint {
        let leftDepth = left.map { tree.depth(at: $0) } ?? 0
        let leftGap = left.map { tree.gap(at: $0) } ?? (tree.first == nil ? -1 : 0)
        if right == (left.map { tree.next(after: $0) } ?? tree.first) {
            // Neighbours. The right one is below the left one iff nothing but the left one is above the gap.
            if let right, leftGap == leftDepth {
                let depth = tree.depth(at: right)
                return InsertionPoint(
                    previous: left, previousGap: leftGap, depth: depth + 1, gap: depth, isLeftChild: true)
            }
            return InsertionPoint(
                previous: left, previousGap: leftDepth, depth: leftDepth + 1, gap: leftGap, isLeftChild: false
            )
        }
        // One past the last position below the left origin.
        let leftRank = left.map { tree.rank(of: $0) } ?? -1
        let leftEnd = left.map { tree.rank(of: tree.firstGap(below: leftDepth, from: $0)) + 1 } ?? totalCount
        if let right {
            let rank = tree.rank(of: right)
            if leftRank < rank, rank < leftEnd { return leftChildPlace(of: right, rank, dot) }
        }
        return rightChildPlace(leftDepth, leftRank + 1..<leftEnd, origin, dot)
    }

    private func leftChildPlace(of parent: SequenceTree.Location, _ parentRank: Int, _ dot: Dot)
        -> InsertionPoint
    {
        let depth = tree.depth(at: parent)
        let start = tree.lastGap(below: depth, before: parent).map { tree.rank(of: $0) + 1 } ?? 0
        let rank = searchSiblings(start..<parentRank, depth: depth) { publicDot(at: $0) < dot }
        let previous = rank == 0 ? nil : tree.location(atRank: rank - 1)
        let previousGap = rank == start ? previous.map { tree.gap(at: $0) } ?? 0 : depth
        return InsertionPoint(
            previous: previous, previousGap: previousGap, depth: depth + 1, gap: depth, isLeftChild: true)
    }

    private func rightChildPlace(
        _ depth: Int, _ range: Range<Int>, _ origin: SequenceOrigin, _ dot: Dot
    ) -> InsertionPoint {
        let originRank = rank(of: origin)
        let rank = searchSiblings(range, depth: depth) { sibling in
            let siblingOrigin = tree.span(at: sibling).origin
            if siblingOrigin == origin { return publicDot(at: sibling) < dot }
            return self.rank(of: siblingOrigin) > originRank
        }
        let previous = rank == 0 ? nil : tree.location(atRank: rank - 1)
        let gap =
            rank < range.upperBound
            ? depth : previous.map { tree.gap(at: $0) } ?? (tree.first == nil ? -1 : 0)
        return InsertionPoint(
            previous: previous, previousGap: depth, depth: depth + 1, gap: gap, isLeftChild: false)
    }

    private func rank(of origin: SequenceOrigin) -> Int {
        guard !origin.isEnd, let location = location(origin.replica, origin.sequence) else { return .max }
        return tree.rank(of: location)
    }

    /// `range` holds the subtrees of all children of one side of a parent of this depth. The rank where those
    /// end for whose roots `isBefore` holds.
    private func searchSiblings(
        _ range: Range<Int>, depth: Int, isBefore: (SequenceTree.Location) -> Bool
    ) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = tree.location(atRank: low + (high - low) / 2)
            let before = tree.lastGap(below: depth + 1, before: middle)
            let start = before.flatMap { tree.next(after: $0) } ?? tree.first
            guard let start, let sibling = tree.first(atMostDeep: depth + 1, from: start) else {
                preconditionFailure("no sibling of depth \(depth + 1) in \(low)..<\(high)")
            }
            if isBefore(sibling) {
                low = tree.rank(of: tree.firstGap(below: depth + 1, from: middle)) + 1
            } else {
                high = tree.rank(of: start)
            }
        }
        return low
    }

    // MARK: Spans

    /// Puts a span at its place; the visible index of its first position.
    mutating func put(_ span: SequenceSpan, at place: InsertionPoint) -> Int {
        let replica = Int(span.replica)
        let sequences = span.sequence..<span.endSequence
        guard let previous = place.previous else {
            guard !tree.leaves.isEmpty else {
                indexes[replica].assign(sequences, to: tree.append(span))
                return 0
            }
            put(span, leaf: 0, slot: 0)
            return 0
        }
        let (leaf, slot) = (previous.leaf, previous.slot)
        tree.remember(leaf: leaf)
        var before = tree.span(at: previous)
        let index = tree.visibleRank(of: previous) + (before.isVisible ? 1 : 0)
        if previous.offset < before.count - 1 {
            if tree.hasRoom(leaf: leaf, for: 2) {
                let rest = before.split(at: previous.offset + 1)
                tree.replace(leaf: leaf, slot: slot, with: before, span, rest)
                indexes[replica].assign(sequences, to: leaf)
            } else {
                splitSpan(at: SequenceTree.Location(leaf: leaf, slot: slot, offset: previous.offset + 1))
                let moved = found(before.replica, before.sequence)
                put(span, leaf: moved.leaf, slot: moved.slot + 1)
            }
            return index
        }
        before.gap = place.previousGap
        if before.continues(with: span) {
            before.count += span.count
            before.gap = span.gap
            tree.change(leaf: leaf, slot: slot) { $0 = before }
            indexes[replica].assign(sequences, to: leaf)
        } else if tree.hasRoom(leaf: leaf, for: 1) {
            tree.replace(leaf: leaf, slot: slot, with: before, span)
            indexes[replica].assign(sequences, to: leaf)
        } else {
            tree.change(leaf: leaf, slot: slot) { $0 = before }
            put(span, leaf: leaf, slot: slot + 1)
        }
        return index
    }

    mutating func put(_ span: SequenceSpan, leaf: Int, slot: Int) {
        let place = tree.makeRoom(leaf: leaf, slot: slot)
        if let new = place.newLeaf {
            for slot in 0..<tree.leaves[new].count {
                let moved = tree.spans[tree.at(new, slot)]
                indexes[Int(moved.replica)].assign(moved.sequence..<moved.endSequence, to: new)
            }
        }
        tree.put(span, leaf: place.leaf, slot: place.slot)
        indexes[Int(span.replica)].assign(span.sequence..<span.endSequence, to: place.leaf)
    }

    /// Splits a span before the position of the location.
    mutating func splitSpan(at location: SequenceTree.Location) {
        var rest = SequenceSpan.unused
        tree.change(leaf: location.leaf, slot: location.slot) { rest = $0.split(at: location.offset) }
        put(rest, leaf: location.leaf, slot: location.slot + 1)
    }

    func found(_ replica: Int32, _ sequence: UInt64) -> SequenceTree.Location {
        guard let location = location(replica, sequence) else {
            preconditionFailure("the index lost \(replica):\(sequence)")
        }
        return location
    }
}

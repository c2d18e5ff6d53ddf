// The order of positions in texts, lists and ordered sets (FugueMax; Weidner and Kleppmann, "The Art of the
// Fugue"). Positions form a tree below the start: a position stands after its left children and before its
// right ones. An insertion names the two positions that it was made between, its origins. It becomes a left
// child of the right origin when that one stands below the left origin already, else a right child of the
// left origin. Left children are ordered by dot; right ones by their right origin, later first, then by dot.
// Concurrent insertions never interleave, whether they were typed forwards or backwards.
//
// For origins that no honest author names the same rule holds: an unknown left origin counts as the start, an
// unknown right one as the end, and "below" means: after the left origin and in its subtree.

import Bytes
import Causality

/// An order of positions, each named by a dot and visible or not. A value; equal histories in any causal
/// order of delivery give equal bytes. Whoever calls has checked that origins and ranges are in the
/// operation's context (`OperationStamp.covered`), or replicas would differ.
struct SequenceOrder: Sendable {
    /// The replicas that occur, in the order of arrival; spans and indexes use their numbers.
    var replicas: ContiguousArray<ReplicaID> = []
    var numbers: [ReplicaID: Int32] = [:]
    /// By number of the replica.
    var indexes: ContiguousArray<DotIndex> = []
    var tree = SequenceTree()
    /// The replica of the last edit, as the next one is mostly its too; -1 at first.
    var recentNumber: Int32 = -1

    init() {}

    var totalCount: Int { tree.summary.total }
    var visibleCount: Int { tree.summary.visible }
    func contains(_ dot: Dot) -> Bool { location(of: dot) != nil }
    func isVisible(_ dot: Dot) -> Bool { location(of: dot).map { tree.span(at: $0).isVisible } ?? false }

    /// Inserts `count` positions, chained: each has the one before as its left origin, all the same right
    /// origin. Returns the visible index of the first (where it would be, when it is not visible); nil and no
    /// change when one of them is known already. O(log n), O(log² n) among siblings.
    @discardableResult
    mutating func insert(first: Dot, count: Int, left: Dot?, right: Dot?, visible: Bool) -> Int? {
        let room = SequenceNumber.max.value
        guard count > 0, first.sequence > .none, first.sequence.value <= room, UInt64(count) <= room,
            !containsAny(DotRange(first.replica, first.sequence, first.sequence + (count - 1)))
        else { return nil }
        let origins = (left: left.flatMap { location(of: $0) }, right: right.flatMap { location(of: $0) })
        let replica = number(of: first.replica)
        let origin = origins.right.map { dot(at: $0) } ?? .end
        let place = place(origins.left, origins.right, origin, first)
        let span = SequenceSpan(
            sequence: first.sequence.value, origin: origin, count: count, depth: place.depth, gap: place.gap,
            replica: replica, isLeftChild: place.isLeftChild, isVisible: visible)
        return put(span, at: place)
    }

    /// True when a dot of the range is known.
    private func containsAny(_ range: DotRange) -> Bool {
        guard let replica = knownNumber(of: range.replica), range.first.value < indexes[Int(replica)].end
        else {
            return false
        }
        return piece(replica, range.first.value..<range.last.value + 1) != nil
    }

    // MARK: Queries

    /// The position at a visible index, which must be below `visibleCount`.
    func dot(atVisibleIndex index: Int) -> Dot { publicDot(at: tree.location(atVisible: index)) }

    /// Visible positions before this one, whether it is visible or not; nil when it is unknown.
    func visibleIndex(of dot: Dot) -> Int? { location(of: dot).map { tree.visibleRank(of: $0) } }

    /// The origins of an insertion that shall stand at this visible index (0 through `visibleCount`).
    func origins(forInsertionAtVisibleIndex index: Int) -> (left: Dot?, right: Dot?) {
        origins(after: index == 0 ? nil : tree.location(atVisible: index - 1))
    }

    /// The origins of an insertion directly after a position (nil: at the start); an unknown one counts as
    /// nil.
    func origins(after left: Dot?) -> (left: Dot?, right: Dot?) {
        origins(after: left.flatMap { location(of: $0) })
    }

    private func origins(after left: SequenceTree.Location?) -> (left: Dot?, right: Dot?) {
        guard let left else { return (nil, tree.first.map { publicDot(at: $0) }) }
        return (publicDot(at: left), tree.next(after: left).map { publicDot(at: $0) })
    }

    /// The dots of the visible positions of an index range, in sequence order, neighbours merged.
    func visibleRanges(in range: Range<Int>) -> [DotRange] {
        precondition(range.lowerBound >= 0 && range.upperBound <= visibleCount, "\(range) of \(visibleCount)")
        guard !range.isEmpty else { return [] }
        var result: [DotRange] = []
        var rest = range.count
        var location = tree.location(atVisible: range.lowerBound)
        while true {
            let span = tree.span(at: location)
            if span.isVisible {
                let count = min(rest, span.count - location.offset)
                append(span, from: location.offset, count, to: &result)
                rest -= count
                if rest == 0 { return result }
            }
            location.offset = span.count - 1
            guard let next = tree.next(after: location) else { return result }
            location = next
        }
    }

    /// The visible positions in sequence order, as ranges of consecutive dots (neighbours may not be merged).
    func forEachVisible(_ body: (DotRange) -> Void) {
        forEach { range, isVisible in if isVisible { body(range) } }
    }

    /// All positions in sequence order, as ranges of consecutive dots (neighbours may not be merged).
    func forEach(_ body: (_ range: DotRange, _ isVisible: Bool) -> Void) {
        forEachSpan { body(range(of: $0, from: 0, $0.count), $0.isVisible) }
    }

    func forEachSpan(_ body: (SequenceSpan) -> Void) {
        var leaf = tree.leaves.isEmpty ? -1 : 0
        while leaf >= 0 {
            for slot in 0..<tree.leaves[leaf].count { body(tree.spans[tree.at(leaf, slot)]) }
            leaf = Int(tree.leaves[leaf].next)
        }
    }

    // MARK: Dots and locations

    func location(of dot: Dot) -> SequenceTree.Location? {
        guard let replica = knownNumber(of: dot.replica) else { return nil }
        return location(replica, dot.sequence.value)
    }

    func location(_ replica: Int32, _ sequence: UInt64) -> SequenceTree.Location? {
        let leaf = indexes[Int(replica)].leaf(of: sequence).leaf
        guard leaf >= 0 else { return nil }
        for slot in 0..<tree.leaves[leaf].count
        where tree.spans[tree.at(leaf, slot)].contains(replica, sequence) {
            let offset = Int(sequence - tree.spans[tree.at(leaf, slot)].sequence)
            return SequenceTree.Location(leaf: leaf, slot: slot, offset: offset)
        }
        return nil
    }

    func dot(at location: SequenceTree.Location) -> SequenceOrigin {
        let span = tree.span(at: location)
        return SequenceOrigin(replica: span.replica, sequence: span.sequence + UInt64(location.offset))
    }

    func publicDot(at location: SequenceTree.Location) -> Dot { publicDot(dot(at: location)) }

    func publicDot(_ dot: SequenceOrigin) -> Dot {
        Dot(replicas[Int(dot.replica)], SequenceNumber(dot.sequence))
    }

    func range(of span: SequenceSpan, from offset: Int, _ count: Int) -> DotRange {
        let first = SequenceNumber(span.sequence) + offset
        return DotRange(replicas[Int(span.replica)], first, first + (count - 1))
    }

    private func append(_ span: SequenceSpan, from offset: Int, _ count: Int, to ranges: inout [DotRange]) {
        let range = range(of: span, from: offset, count)
        if let last = ranges.last, last.replica == range.replica, last.last + 1 == range.first {
            ranges[ranges.count - 1] = DotRange(last.replica, last.first, range.last)
        } else {
            ranges.append(range)
        }
    }

    func knownNumber(of replica: ReplicaID) -> Int32? {
        if recentNumber >= 0, replicas[Int(recentNumber)] == replica { return recentNumber }
        return numbers[replica]
    }

    mutating func number(of replica: ReplicaID) -> Int32 {
        if let known = knownNumber(of: replica) {
            recentNumber = known
            return known
        }
        let new = Int32(replicas.count)
        recentNumber = new
        numbers[replica] = new
        replicas.append(replica)
        indexes.append(DotIndex())
        return new
    }
}

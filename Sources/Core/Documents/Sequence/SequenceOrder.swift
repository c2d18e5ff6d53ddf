// The order of positions in texts, lists and ordered sets (FugueMax; Weidner and Kleppmann, "The Art of the Fugue").
// Positions form a tree below the start: a position stands after its left children and before its right ones. An
// insertion names the two positions that it was made between, its origins. It becomes a left child of the right
// origin when that one stands below the left origin already, else a right child of the left origin. Left children
// are ordered by dot; right ones by their right origin, later first, then by dot. Concurrent insertions never
// interleave, whether they were typed forwards or backwards.
//
// For origins that no honest author names the same rule holds: an unknown left origin counts as the start, an unknown
// right one as the end, and "below" means: after the left origin and in its subtree.

import Bytes
import Causality

/// An order of positions, each named by a dot and visible or not. A value; equal histories in any causal order of
/// delivery give equal bytes. Whoever calls has checked that origins and ranges are in the operation's context
/// (`OperationStamp.covered`), or replicas would differ.
struct SequenceOrder: Sendable {
    /// The replicas that occur, in the order of arrival; runs and indexes use their numbers.
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
    func contains(_ dot: Dot) -> Bool { cursor(of: dot) != nil }
    func isVisible(_ dot: Dot) -> Bool { cursor(of: dot).map { tree.run(at: $0).isVisible } ?? false }

    /// Inserts `count` positions, chained: each has the one before as its left origin, all the same right origin.
    /// Returns the visible index of the first (where it would be, when it is not visible); nil and no change when it
    /// is known already. O(log n), O(log² n) among siblings.
    @discardableResult
    mutating func insert(first: Dot, count: Int, left: Dot?, right: Dot?, visible: Bool) -> Int? {
        let room = SequenceNumber.max.value
        guard count > 0, first.sequence > .none, first.sequence.value <= room, UInt64(count) <= room,
            !contains(first)
        else { return nil }
        let origins = (left: left.flatMap { cursor(of: $0) }, right: right.flatMap { cursor(of: $0) })
        let replica = number(of: first.replica)
        let origin = origins.right.map { dot(at: $0) } ?? .end
        let place = place(origins.left, origins.right, origin, first)
        let run = SequenceRun(
            sequence: first.sequence.value, origin: origin, count: count, depth: place.depth, gap: place.gap,
            replica: replica, isLeftChild: place.isLeftChild, isVisible: visible)
        return put(run, at: place)
    }

    // MARK: Queries

    /// The position at a visible index, which must be below `visibleCount`.
    func dot(atVisibleIndex index: Int) -> Dot { publicDot(at: tree.cursor(atVisible: index)) }

    /// Visible positions before this one, whether it is visible or not; nil when it is unknown.
    func visibleIndex(of dot: Dot) -> Int? { cursor(of: dot).map { tree.visibleRank(of: $0) } }

    /// The origins of an insertion that shall stand at this visible index (0 through `visibleCount`).
    func origins(forInsertionAtVisibleIndex index: Int) -> (left: Dot?, right: Dot?) {
        origins(after: index == 0 ? nil : tree.cursor(atVisible: index - 1))
    }

    /// The origins of an insertion directly after a position (nil: at the start); an unknown one counts as nil.
    func origins(after left: Dot?) -> (left: Dot?, right: Dot?) {
        origins(after: left.flatMap { cursor(of: $0) })
    }

    private func origins(after left: SequenceTree.Cursor?) -> (left: Dot?, right: Dot?) {
        guard let left else { return (nil, tree.first.map { publicDot(at: $0) }) }
        return (publicDot(at: left), tree.next(after: left).map { publicDot(at: $0) })
    }

    /// The dots of the visible positions of an index range, in sequence order, neighbours merged.
    func visibleRanges(in range: Range<Int>) -> [DotRange] {
        precondition(range.lowerBound >= 0 && range.upperBound <= visibleCount, "\(range) of \(visibleCount)")
        guard !range.isEmpty else { return [] }
        var result: [DotRange] = []
        var rest = range.count
        var cursor = tree.cursor(atVisible: range.lowerBound)
        while true {
            let run = tree.run(at: cursor)
            if run.isVisible {
                let count = min(rest, run.count - cursor.offset)
                append(run, from: cursor.offset, count, to: &result)
                rest -= count
                if rest == 0 { return result }
            }
            cursor.offset = run.count - 1
            guard let next = tree.next(after: cursor) else { return result }
            cursor = next
        }
    }

    /// The visible positions in sequence order, as ranges of consecutive dots (neighbours may not be merged).
    func forEachVisible(_ body: (DotRange) -> Void) {
        forEach { range, isVisible in if isVisible { body(range) } }
    }

    /// All positions in sequence order, as ranges of consecutive dots (neighbours may not be merged).
    func forEach(_ body: (_ range: DotRange, _ isVisible: Bool) -> Void) {
        forEachRun { body(range(of: $0, from: 0, $0.count), $0.isVisible) }
    }

    func forEachRun(_ body: (SequenceRun) -> Void) {
        var leaf = tree.leaves.isEmpty ? -1 : 0
        while leaf >= 0 {
            for slot in 0..<tree.leaves[leaf].count { body(tree.runs[tree.at(leaf, slot)]) }
            leaf = Int(tree.leaves[leaf].next)
        }
    }

    // MARK: Dots and cursors

    func cursor(of dot: Dot) -> SequenceTree.Cursor? {
        guard let replica = knownNumber(of: dot.replica) else { return nil }
        return cursor(replica, dot.sequence.value)
    }

    func cursor(_ replica: Int32, _ sequence: UInt64) -> SequenceTree.Cursor? {
        let leaf = indexes[Int(replica)].leaf(of: sequence).leaf
        guard leaf >= 0 else { return nil }
        for slot in 0..<tree.leaves[leaf].count
        where tree.runs[tree.at(leaf, slot)].contains(replica, sequence) {
            let offset = Int(sequence - tree.runs[tree.at(leaf, slot)].sequence)
            return SequenceTree.Cursor(leaf: leaf, slot: slot, offset: offset)
        }
        return nil
    }

    func dot(at cursor: SequenceTree.Cursor) -> SequenceOrigin {
        let run = tree.run(at: cursor)
        return SequenceOrigin(replica: run.replica, sequence: run.sequence + UInt64(cursor.offset))
    }

    func publicDot(at cursor: SequenceTree.Cursor) -> Dot { publicDot(dot(at: cursor)) }

    func publicDot(_ dot: SequenceOrigin) -> Dot {
        Dot(replicas[Int(dot.replica)], SequenceNumber(dot.sequence))
    }

    func range(of run: SequenceRun, from offset: Int, _ count: Int) -> DotRange {
        let first = SequenceNumber(run.sequence) + offset
        return DotRange(replicas[Int(run.replica)], first, first + (count - 1))
    }

    private func append(_ run: SequenceRun, from offset: Int, _ count: Int, to ranges: inout [DotRange]) {
        let range = range(of: run, from: offset, count)
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

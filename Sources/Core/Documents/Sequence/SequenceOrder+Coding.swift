// An order in a snapshot: its spans in sequence order, as long as they can be, so that the same positions in
// the same states give the same bytes however they arrived. The shape of the tree is coded as brackets: how
// many subtrees end between two spans and how many begin.
//
//     count of replicas, each 16 bytes, ascending
//     count of spans, each:
//         replica         number in that list
//         sequence        zigzag, relative to the end of the replica's previous span here (1 at first)
//         count · 2 + 1 if visible
//         closed, opened  levels from the depth before to the gap, and from the gap to this depth
//         origin          0 the end; else 1 + number of its replica, and zigzag sequence relative as above

import Bytes
import Causality

extension SequenceOrder {
    private static let positionsMax = 1 << 60

    /// Spans as long as they can be, in sequence order: equal for equal states.
    func forEachLongestSpan(_ body: (SequenceSpan) -> Void) {
        var pending: SequenceSpan?
        forEachSpan { span in
            if var long = pending, long.continues(with: span) {
                long.count += span.count
                long.gap = span.gap
                pending = long
                return
            }
            if let pending { body(pending) }
            pending = span
        }
        if let pending { body(pending) }
    }

    func encode(into writer: inout ByteWriter) {
        let sorted = replicas.indices.sorted { replicas[$0] < replicas[$1] }
        var place = ContiguousArray(repeating: 0, count: replicas.count)
        writer.varint(sorted.count)
        for (index, number) in sorted.enumerated() {
            replicas[number].raw.encode(into: &writer)
            place[number] = index
        }
        var spanCount = 0
        forEachLongestSpan { _ in spanCount += 1 }
        writer.varint(spanCount)
        var expected = ContiguousArray<UInt64>(repeating: 1, count: replicas.count)
        var (depth, gap) = (0, 0)
        forEachLongestSpan { span in
            let replica = Int(span.replica)
            writer.varint(place[replica])
            writer.zigzag(Int64(span.sequence) - Int64(expected[replica]))
            expected[replica] = span.endSequence
            writer.varint(UInt64(span.count) << 1 | (span.isVisible ? 1 : 0))
            writer.varint(depth - gap)
            writer.varint(span.depth - gap)
            (depth, gap) = (span.lastDepth, span.gap)
            guard !span.origin.isEnd else { return writer.varint(0) }
            let origin = Int(span.origin.replica)
            writer.varint(place[origin] + 1)
            writer.zigzag(Int64(span.origin.sequence) - Int64(expected[origin]))
        }
    }

    /// Reads what `encode` wrote. Total: no input traps, and memory is bounded by the bytes that are there.
    /// It refuses second forms, dots named twice, brackets that do not match and origins that are not in the
    /// order; it does not check that siblings are sorted (a snapshot comes from our own disk).
    init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init()
        let replicaCount = try reader.count(limit: reader.remaining / Bytes16.byteCount, field: "replicas")
        for _ in 0..<replicaCount {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let last = replicas.last, replica <= last { throw .notCanonical(field: "replicas") }
            _ = number(of: replica)
        }
        // A span has at least 6 bytes, 5 when its origin is the end.
        let spanCount = try reader.count(limit: reader.remaining / 5, field: "spans")
        var expected = ContiguousArray<UInt64>(repeating: 1, count: replicaCount)
        var brackets = SequenceBrackets()
        var previous: SequenceSpan?
        for _ in 0..<spanCount {
            var span = try Self.readHead(&reader, &expected)
            let closed = try reader.count(limit: brackets.depth, field: "closed")
            let opened = try reader.count(limit: reader.remaining + 1, field: "opened")
            span.depth = brackets.depth - closed + opened
            span.isLeftChild = try brackets.add(closed: closed, opened: opened, count: span.count)
            span.origin = try Self.readOrigin(&reader, expected)
            span.gap = span.depth + span.count - 1
            if var previous {
                previous.gap = span.depth - opened
                if previous.continues(with: span) { throw .notCanonical(field: "spans") }
                try addLast(previous)
            }
            previous = span
        }
        try brackets.finish()
        if var previous {
            previous.gap = -1
            try addLast(previous)
        }
        try checkReferences()
    }

    private static func readHead(
        _ reader: inout ByteReader, _ expected: inout ContiguousArray<UInt64>
    ) throws(DecodeFault) -> SequenceSpan {
        let replica = try readNumber(&reader, below: expected.count)
        let sequence = try readSequence(&reader, relativeTo: expected[replica])
        let packed = try reader.count(limit: positionsMax, field: "span length")
        let count = packed >> 1
        let room = SequenceNumber.max.value - sequence
        guard count > 0, UInt64(count) - 1 <= room else { throw .outOfRange(field: "span length") }
        expected[replica] = sequence + UInt64(count)
        return SequenceSpan(
            sequence: sequence, origin: .end, count: count, depth: 0, gap: 0, replica: Int32(replica),
            isLeftChild: false, isVisible: packed & 1 == 1)
    }

    private static func readOrigin(
        _ reader: inout ByteReader, _ expected: ContiguousArray<UInt64>
    ) throws(DecodeFault) -> SequenceOrigin {
        let number = try readNumber(&reader, below: expected.count + 1)
        guard number > 0 else { return .end }
        let sequence = try readSequence(&reader, relativeTo: expected[number - 1])
        return SequenceOrigin(replica: Int32(number - 1), sequence: sequence)
    }

    private static func readNumber(_ reader: inout ByteReader, below end: Int) throws(DecodeFault) -> Int {
        let value = try reader.varint()
        guard value < UInt64(end) else { throw .outOfRange(field: "replica") }
        return Int(value)
    }

    private static func readSequence(
        _ reader: inout ByteReader, relativeTo base: UInt64
    ) throws(DecodeFault) -> UInt64 {
        let (value, isOverflow) = Int64(base).addingReportingOverflow(try reader.zigzag())
        guard !isOverflow, value > 0, UInt64(value) <= SequenceNumber.max.value else {
            throw .outOfRange(field: "sequence")
        }
        return UInt64(value)
    }

    private mutating func addLast(_ span: SequenceSpan) throws(DecodeFault) {
        let sequences = span.sequence..<span.endSequence
        guard totalCount <= Self.positionsMax else { throw .outOfRange(field: "span length") }
        guard piece(span.replica, sequences) == nil else { throw .notCanonical(field: "spans") }
        let leaf = tree.append(span)
        indexes[Int(span.replica)].assign(sequences, to: leaf)
    }

    /// Every replica of the list has a position, every origin is one.
    private func checkReferences() throws(DecodeFault) {
        for index in indexes where index.end == 0 { throw .notCanonical(field: "replicas") }
        for leaf in tree.leaves.indices {
            for slot in 0..<tree.leaves[leaf].count {
                let origin = tree.spans[tree.at(leaf, slot)].origin
                if !origin.isEnd, location(origin.replica, origin.sequence) == nil {
                    throw .outOfRange(field: "origin")
                }
            }
        }
    }
}

/// Follows the brackets of an order: which subtrees are open, and of which the root has already been passed.
struct SequenceBrackets {
    /// Open subtrees inside each other, outermost first, in groups.
    private struct Group {
        var levels: Int
        /// True when their roots were passed: what opens inside now is a right child.
        let isPassed: Bool
        /// Side of the outermost level; the further ones of a group that is not passed are left children.
        let isLeft: Bool
    }

    private var groups: [Group] = []
    private(set) var depth = 0

    /// The next span: subtrees that end before it, subtrees that begin, positions. Returns whether its first
    /// position is a left child.
    mutating func add(closed: Int, opened: Int, count: Int) throws(DecodeFault) -> Bool {
        try close(closed)
        var isLeft = true
        if opened == 0 {
            // It is the root that an open subtree was waiting for.
            guard let last = groups.last, !last.isPassed else { throw .outOfRange(field: "opened") }
            groups.removeLast()
            if last.levels > 1 {
                groups.append(Group(levels: last.levels - 1, isPassed: false, isLeft: last.isLeft))
            } else {
                isLeft = last.isLeft
            }
            depth -= 1
        } else {
            let isInsidePassed = groups.last?.isPassed ?? true
            if opened == 1 { isLeft = !isInsidePassed }
            if opened > 1 {
                groups.append(Group(levels: opened - 1, isPassed: false, isLeft: !isInsidePassed))
                depth += opened - 1
            }
        }
        if let last = groups.last, last.isPassed {
            groups[groups.count - 1].levels += count
        } else {
            groups.append(Group(levels: count, isPassed: true, isLeft: isLeft))
        }
        depth += count
        return isLeft
    }

    /// After the last span every subtree that is open must have its root.
    mutating func finish() throws(DecodeFault) { try close(depth) }

    private mutating func close(_ levels: Int) throws(DecodeFault) {
        var rest = levels
        while rest > 0 {
            guard let last = groups.last, last.isPassed else { throw .outOfRange(field: "closed") }
            let taken = min(rest, last.levels)
            groups[groups.count - 1].levels -= taken
            if groups[groups.count - 1].levels == 0 { groups.removeLast() }
            rest -= taken
            depth -= taken
        }
    }
}

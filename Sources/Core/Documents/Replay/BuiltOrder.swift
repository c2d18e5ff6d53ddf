// An order as a history left it, until the first edit: its spans in sequence order, packed, and nothing of
// what they were built from. Most documents that are fetched are only read, and half of what they would hold
// otherwise is how they came to be.

import Causality

/// Spans that wait to become a tree.
struct BuiltOrder: Sendable {
    /// 28 bytes for one span.
    struct Span: Sendable {
        var sequence: Int32
        var originSequence: Int32
        var depth: Int32
        var gap: Int32
        /// Numbers of the history's table; -1 for the end.
        var replica: Int32
        var originReplica: Int32
        /// Positions · 4 + 2 for a left child + 1 if visible.
        fileprivate var packed: UInt32

        init(
            sequence: Int32, count: Int32, depth: Int32, gap: Int32, replica: Int32, isLeftChild: Bool,
            isVisible: Bool
        ) {
            precondition(count > 0 && count < 1 << 30, "\(count) positions")
            (self.sequence, self.depth, self.gap, self.replica) = (sequence, depth, gap, replica)
            (originReplica, originSequence) = (-1, 0)
            packed = UInt32(count) << 2 | (isLeftChild ? 2 : 0) | (isVisible ? 1 : 0)
        }

        var count: Int { Int(packed >> 2) }

        /// Takes the next span in when it continues this one; see `SequenceSpan.continues`.
        mutating func absorb(_ next: Span) -> Bool {
            let last = depth &+ Int32(packed >> 2) &- 1
            guard sequence &+ Int32(packed >> 2) == next.sequence, replica == next.replica,
                (packed ^ next.packed) & 1 == 0, next.packed & 2 == 0, gap == last, next.depth == last &+ 1,
                originReplica == next.originReplica, originSequence == next.originSequence
            else { return false }
            packed &+= next.packed & ~3
            gap = next.gap
            return true
        }
    }

    /// Spans of one chunk: small beside an order, so that none of it grows by being copied.
    private static let chunkSpans = 1_000

    private var chunks: ContiguousArray<ContiguousArray<Span>> = []
    /// The chunk that is being filled, and the span that may still grow.
    private var chunk: ContiguousArray<Span> = []
    private var last: Span?
    private(set) var count = 0
    let replicas: [ReplicaID]

    init(replicas: [ReplicaID]) { self.replicas = replicas }

    /// Adds the next span, to the last one if it continues that.
    mutating func append(_ span: Span) {
        if last?.absorb(span) == true { return }
        flush()
        last = span
    }

    /// After the last span.
    mutating func finish() {
        flush()
        last = nil
        chunks.append(chunk)
        chunk = []
    }

    /// Puts the span that may still grow into its chunk.
    private mutating func flush() {
        guard let last else { return }
        if chunk.count == Self.chunkSpans {
            chunks.append(chunk)
            chunk = []
            // The first one grows, as most texts are short.
            chunk.reserveCapacity(Self.chunkSpans)
        }
        chunk.append(last)
        count += 1
    }

    func forEach(_ body: (Span) -> Void) {
        for chunk in chunks { for span in chunk { body(span) } }
    }
}

extension SequenceOrder {
    /// The order of these spans: leaves filled one after the other, branches above them level by level, and
    /// the index from dots to leaves in one pass.
    init(_ built: BuiltOrder) {
        self.init()
        var numbers = ContiguousArray<Int32>(repeating: -1, count: built.replicas.count)
        var filler = LeafFiller(built.count)
        // Where a span's step in the index comes, the span's length, and its leaf.
        var steps: ContiguousArray<(replica: Int32, sequence: Int32, count: Int32, leaf: Int32)> = []
        steps.reserveCapacity(built.count)
        built.forEach { span in
            number(span.replica, &numbers, built.replicas)
            if span.originReplica >= 0 { number(span.originReplica, &numbers, built.replicas) }
            steps.append((span.replica, span.sequence, Int32(span.count), filler.nextLeaf))
            filler.add(span.unpacked(numbers))
        }
        tree = SequenceTree(filler)
        steps.sort { ($0.replica, $0.sequence) < ($1.replica, $1.sequence) }
        for step in steps {
            let start = UInt64(step.sequence)
            indexes[Int(numbers[Int(step.replica)])].append(
                start..<start + UInt64(step.count), to: Int(step.leaf))
        }
    }
}

extension SequenceOrder {
    private mutating func number(
        _ replica: Int32, _ numbers: inout ContiguousArray<Int32>, _ table: [ReplicaID]
    ) {
        if numbers[Int(replica)] < 0 { numbers[Int(replica)] = number(of: table[Int(replica)]) }
    }
}

extension BuiltOrder.Span {
    fileprivate func unpacked(_ numbers: ContiguousArray<Int32>) -> SequenceSpan {
        let origin =
            originReplica < 0
            ? SequenceOrigin.end
            : SequenceOrigin(replica: numbers[Int(originReplica)], sequence: UInt64(originSequence))
        return SequenceSpan(
            sequence: UInt64(sequence), origin: origin, count: count, depth: Int(depth), gap: Int(gap),
            replica: numbers[Int(replica)], isLeftChild: packed & 2 == 2, isVisible: packed & 1 == 1)
    }
}

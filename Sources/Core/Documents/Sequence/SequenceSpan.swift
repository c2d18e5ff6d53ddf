// A span: consecutive dots of one replica, each the right child of the one before, standing together in the
// order and all visible or all hidden. Typing makes chains, so a text of a hundred thousand edits is some
// thousand spans.
//
// How the tree is kept without pointers: each position has a *depth* (children of the start have 1), and each
// *gap* between two neighbours has a level, the depth of their last common ancestor (a position counts as its
// own ancestor; the start has 0; the gap after the last position has -1). With minima of both in a B+tree,
// the subtree of a position, its siblings and "is it below?" are each one search. An insertion changes two
// gaps.
//
//     tree      a ── right: b, d     b ── left: x
//     order     a 1 x 2 b 1 d -1     with the level of the gap after each
//     depths    a 1, b 2, x 3, d 2

/// One span of an order. `gap` belongs to its last position; the gaps inside are the depths of the positions
/// before.
struct SequenceSpan: Sendable {
    /// Of the first position.
    var sequence: UInt64
    /// Right origin that all positions share (for a left child it is the parent).
    var origin: SequenceOrigin
    /// Positions, at least 1.
    var count: Int
    /// Of the first position; the next have one more each.
    var depth: Int
    /// Level of the gap after the last position; at most `lastDepth`.
    var gap: Int
    /// Which replica, by its number in the order's table.
    var replica: Int32
    /// Of the first position; the others are right children.
    var isLeftChild: Bool
    var isVisible: Bool

    /// What unused slots hold.
    static let unused = SequenceSpan(
        sequence: 0, origin: .end, count: 0, depth: 0, gap: 0, replica: -1, isLeftChild: false,
        isVisible: false)

    var endSequence: UInt64 { sequence + UInt64(count) }
    var lastDepth: Int { depth + count - 1 }
    var visibleCount: Int { isVisible ? count : 0 }
    var gapMin: Int { count > 1 ? min(depth, gap) : gap }

    /// Level of the gap after the position at `offset`.
    func gap(at offset: Int) -> Int { offset == count - 1 ? gap : depth + offset }

    func contains(_ replica: Int32, _ sequence: UInt64) -> Bool {
        self.replica == replica && self.sequence <= sequence && sequence < endSequence
    }

    /// True when `next`, standing directly after this span, may become part of it.
    func continues(with next: SequenceSpan) -> Bool {
        endSequence == next.sequence && replica == next.replica && isVisible == next.isVisible
            && !next.isLeftChild && gap == lastDepth && next.depth == lastDepth + 1 && origin == next.origin
    }

    /// Cuts off the positions from `offset` on, as a span of their own.
    mutating func split(at offset: Int) -> SequenceSpan {
        precondition(0 < offset && offset < count, "split at \(offset) of \(count)")
        var rest = self
        rest.sequence += UInt64(offset)
        rest.depth += offset
        rest.count -= offset
        rest.isLeftChild = false
        count = offset
        gap = lastDepth
        return rest
    }
}

/// A right origin: a position that is in the order, or the end.
struct SequenceOrigin: Equatable, Sendable {
    /// -1 for the end.
    let replica: Int32
    let sequence: UInt64

    static let end = SequenceOrigin(replica: -1, sequence: 0)
    var isEnd: Bool { replica < 0 }
}

/// What a part of the order adds up to.
struct SequenceSummary: Equatable, Sendable {
    var visible = 0
    var total = 0
    /// The least gap level and the least depth in the part.
    var gapMin = Int.max
    var depthMin = Int.max

    mutating func add(_ span: SequenceSpan) {
        visible += span.visibleCount
        total += span.count
        gapMin = min(gapMin, span.gapMin)
        depthMin = min(depthMin, span.depth)
    }

    mutating func add(_ part: SequenceSummary) {
        visible += part.visible
        total += part.total
        gapMin = min(gapMin, part.gapMin)
        depthMin = min(depthMin, part.depthMin)
    }
}

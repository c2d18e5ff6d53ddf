// Showing and hiding positions. A text is full of letters that were typed and taken back, one after the
// other, so a piece at the border of a span mostly just moves the border to a neighbour that has the other
// state already.

import Causality

extension SequenceOrder {
    /// Shows or hides the known positions of a range. `changed` is called for each group that appeared or
    /// disappeared, with visible indexes that are right when the groups are applied one after another.
    /// Returns how many spans it looked at. O(log n) each.
    @discardableResult
    mutating func setVisible(
        _ range: DotRange, _ visible: Bool, changed: (_ visibleIndex: Int, _ count: Int) -> Void
    ) -> DeleteLooks {
        var looks = DeleteLooks()
        guard let replica = knownNumber(of: range.replica) else { return looks }
        recentNumber = replica
        let end = min(range.last.value, indexes[Int(replica)].end) + 1
        var next = range.first.value
        while next < end, let piece = piece(replica, next..<end) {
            next = piece.sequences.upperBound
            looks.all += 1
            let span = tree.span(at: piece.location)
            guard span.isVisible != visible else {
                looks.inVain += 1
                continue
            }
            tree.remember(leaf: piece.location.leaf)
            let index = tree.visibleRank(of: piece.location)
            flip(span, at: piece.location, piece.sequences.count)
            changed(index, piece.sequences.count)
        }
        return looks
    }

    /// Shows or hides `count` positions from the location on, which lie in `span`.
    private mutating func flip(_ span: SequenceSpan, at location: SequenceTree.Location, _ count: Int) {
        let (leaf, slot) = (location.leaf, location.slot)
        let (first, end) = (location.offset, location.offset + count)
        if first == 0, end == span.count {
            tree.change(leaf: leaf, slot: slot) { $0.isVisible.toggle() }
            tree.meld(leaf: leaf, slot: slot)
            return
        }
        var (before, middle, after) = (span, span, span)
        if first > 0 { middle = before.split(at: first) }
        if end < span.count { after = middle.split(at: count) }
        middle.isVisible.toggle()
        if first == 0, slot > 0, tree.meldBorder(leaf: leaf, slot: slot - 1, taking: middle, leaving: after) {
            return
        }
        if end == span.count, tree.meldBorder(leaf: leaf, slot: slot, leaving: before, giving: middle) {
            return
        }
        let isInside = first > 0 && end < span.count
        if tree.hasRoom(leaf: leaf, for: isInside ? 2 : 1) {
            if isInside {
                tree.replace(leaf: leaf, slot: slot, with: before, middle, after)
            } else {
                tree.replace(
                    leaf: leaf, slot: slot, with: first > 0 ? before : middle, first > 0 ? middle : after)
            }
            return
        }
        // A full leaf: split the span piece by piece, finding it again in between.
        var place = location
        if end < span.count {
            place.offset = end
            splitSpan(at: place)
            place = found(span.replica, middle.sequence)
        }
        if first > 0 {
            place.offset = first
            splitSpan(at: place)
            place = found(span.replica, middle.sequence)
        }
        tree.change(leaf: place.leaf, slot: place.slot) { $0.isVisible.toggle() }
    }

    /// The first held positions of a range of sequences that lie in one span.
    func piece(
        _ replica: Int32, _ range: Range<UInt64>
    ) -> (sequences: Range<UInt64>, location: SequenceTree.Location)? {
        var next = range.lowerBound
        while next < range.upperBound {
            let (leaf, end) = indexes[Int(replica)].leaf(of: next)
            var best: (slot: Int, start: UInt64)?
            if leaf >= 0 {
                for slot in 0..<tree.leaves[leaf].count {
                    let span = tree.spans[tree.at(leaf, slot)]
                    guard span.replica == replica, span.endSequence > next else { continue }
                    let start = max(span.sequence, next)
                    if best.map({ start < $0.start }) ?? true { best = (slot, start) }
                    if start == next { break }
                }
            }
            guard let best, best.start < min(end, range.upperBound) else {
                next = end
                continue
            }
            let span = tree.spans[tree.at(leaf, best.slot)]
            let location = SequenceTree.Location(
                leaf: leaf, slot: best.slot, offset: Int(best.start - span.sequence))
            return (best.start..<min(span.endSequence, range.upperBound), location)
        }
        return nil
    }
}

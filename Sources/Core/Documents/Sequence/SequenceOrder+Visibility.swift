// Showing and hiding positions. A text is full of letters that were typed and taken back, one after the other, so a
// piece at the border of a run mostly just moves the border to a neighbour that has the other state already.

import Causality

extension SequenceOrder {
    /// Shows or hides the known positions of a range. `changed` is called for each group that appeared or
    /// disappeared, with visible indexes that are right when the groups are applied one after another.
    /// O(log n) a run.
    mutating func setVisible(
        _ range: DotRange, _ visible: Bool, changed: (_ visibleIndex: Int, _ count: Int) -> Void
    ) {
        guard let replica = knownNumber(of: range.replica) else { return }
        recentNumber = replica
        let end = min(range.last.value, indexes[Int(replica)].end) + 1
        var next = range.first.value
        while next < end, let piece = piece(replica, next..<end) {
            next = piece.sequences.upperBound
            let run = tree.run(at: piece.cursor)
            guard run.isVisible != visible else { continue }
            tree.remember(leaf: piece.cursor.leaf)
            let index = tree.visibleRank(of: piece.cursor)
            flip(run, at: piece.cursor, piece.sequences.count)
            changed(index, piece.sequences.count)
        }
    }

    /// Shows or hides `count` positions from the cursor on, which lie in `run`.
    private mutating func flip(_ run: SequenceRun, at cursor: SequenceTree.Cursor, _ count: Int) {
        let (leaf, slot) = (cursor.leaf, cursor.slot)
        let (first, end) = (cursor.offset, cursor.offset + count)
        if first == 0, end == run.count {
            tree.change(leaf: leaf, slot: slot) { $0.isVisible.toggle() }
            tree.meld(leaf: leaf, slot: slot)
            return
        }
        var (before, middle, after) = (run, run, run)
        if first > 0 { middle = before.split(at: first) }
        if end < run.count { after = middle.split(at: count) }
        middle.isVisible.toggle()
        if first == 0, slot > 0, tree.meldBorder(leaf: leaf, slot: slot - 1, taking: middle, leaving: after) {
            return
        }
        if end == run.count, tree.meldBorder(leaf: leaf, slot: slot, leaving: before, giving: middle) {
            return
        }
        let isInside = first > 0 && end < run.count
        if tree.hasRoom(leaf: leaf, for: isInside ? 2 : 1) {
            if isInside {
                tree.replace(leaf: leaf, slot: slot, with: before, middle, after)
            } else {
                tree.replace(
                    leaf: leaf, slot: slot, with: first > 0 ? before : middle, first > 0 ? middle : after)
            }
            return
        }
        // A full leaf: split the run piece by piece, finding it again in between.
        var place = cursor
        if end < run.count {
            place.offset = end
            splitRun(at: place)
            place = found(run.replica, middle.sequence)
        }
        if first > 0 {
            place.offset = first
            splitRun(at: place)
            place = found(run.replica, middle.sequence)
        }
        tree.change(leaf: place.leaf, slot: place.slot) { $0.isVisible.toggle() }
    }

    /// The first held positions of a range of sequences that lie in one run.
    func piece(
        _ replica: Int32, _ range: Range<UInt64>
    ) -> (sequences: Range<UInt64>, cursor: SequenceTree.Cursor)? {
        var next = range.lowerBound
        while next < range.upperBound {
            let (leaf, end) = indexes[Int(replica)].leaf(of: next)
            var best: (slot: Int, start: UInt64)?
            if leaf >= 0 {
                for slot in 0..<tree.leaves[leaf].count {
                    let run = tree.runs[tree.at(leaf, slot)]
                    guard run.replica == replica, run.endSequence > next else { continue }
                    let start = max(run.sequence, next)
                    if best.map({ start < $0.start }) ?? true { best = (slot, start) }
                    if start == next { break }
                }
            }
            guard let best, best.start < min(end, range.upperBound) else {
                next = end
                continue
            }
            let run = tree.runs[tree.at(leaf, best.slot)]
            let cursor = SequenceTree.Cursor(
                leaf: leaf, slot: best.slot, offset: Int(best.start - run.sequence))
            return (best.start..<min(run.endSequence, range.upperBound), cursor)
        }
        return nil
    }
}

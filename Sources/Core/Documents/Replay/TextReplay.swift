// What a history does to one text, as runs: an insertion of any length, a deletion of consecutive dots.
// Typing a word one change a character is one run here. The runs are collected first and the order is built
// from all of them at once (`SequenceBuilder`), so that nothing is split and melted again character by
// character.

import Bytes
import Causality

/// One run.
struct TextRun: Sendable {
    /// First dot of the insertion, or of what is deleted.
    var first: ReplayDot
    var count: Int
    /// Of an insertion.
    var left = ReplayDot.none
    var right = ReplayDot.none
    /// Where its characters begin in the history's text; -1 for a deletion.
    var text: Int
    /// Their bytes.
    var byteCount = 0

    var isDeletion: Bool { text < 0 }
    var end: UInt64 { first.sequence + UInt64(count) }
    var isASCII: Bool { byteCount == count }
}

/// The runs of one text in a causal order.
struct TextReplay: Sendable {
    private(set) var runs: ContiguousArray<TextRun> = []

    mutating func insert(
        _ first: ReplayDot, count: Int, left: ReplayDot, right: ReplayDot, text: Int, byteCount: Int
    ) {
        if let last = runs.last, !last.isDeletion, last.end == first.sequence,
            last.first.replica == first.replica, left.replica == first.replica,
            left.sequence &+ 1 == first.sequence, right == last.right, last.text + last.byteCount == text
        {
            runs[runs.count - 1].count += count
            runs[runs.count - 1].byteCount += byteCount
            return
        }
        runs.append(
            TextRun(first: first, count: count, left: left, right: right, text: text, byteCount: byteCount))
    }

    mutating func delete(_ first: ReplayDot, count: Int) {
        if let last = runs.last, last.isDeletion, last.first.replica == first.replica {
            if last.end == first.sequence {
                runs[runs.count - 1].count += count
                return
            }
            if first.sequence + UInt64(count) == last.first.sequence {
                runs[runs.count - 1].first = first
                runs[runs.count - 1].count += count
                return
            }
        }
        runs.append(TextRun(first: first, count: count, text: -1))
    }
}

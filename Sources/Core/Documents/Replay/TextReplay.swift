// What a history does to one text, as runs: an insertion of any length, a deletion of consecutive dots.
// Typing a word one change a character is one run here. The runs are collected first and the order is built
// from all of them at once (`SequenceBuilder`), so that nothing is split and melted again character by
// character. Deletions wait for all insertions: a deleted character stays deleted, so when it is deleted
// changes nothing.
//
// A long history is mostly waiting for memory, so runs are small: sequences are below 2^31. A log that has
// passed that goes the general road.

import Bytes
import Causality

/// An insertion. Replicas are numbers of the history's table, -1 for none.
struct TextRun: Sendable {
    /// First dot.
    var replica: Int32
    var sequence: Int32
    var count: Int32
    /// Origins.
    var leftReplica: Int32
    var left: Int32
    var rightReplica: Int32
    var right: Int32
    /// Where its characters begin in the history's text, and their bytes.
    var text: Int32
    var byteCount: Int32

    var end: Int32 { sequence &+ count }
    var isASCII: Bool { byteCount == count }
}

/// A deletion of consecutive dots.
struct DeletedRun: Sendable {
    var replica: Int32
    var sequence: Int32
    var count: Int32

    var end: Int32 { sequence &+ count }
}

/// The runs of one text: insertions in a causal order, and what is deleted in the end.
struct TextReplay: Sendable {
    private(set) var runs: ContiguousArray<TextRun> = []
    private(set) var deleted: ContiguousArray<DeletedRun> = []

    var isEmpty: Bool { runs.isEmpty && deleted.isEmpty }

    mutating func reserve(runs runCount: Int, deleted deletedCount: Int) {
        runs.reserveCapacity(runCount)
        deleted.reserveCapacity(deletedCount)
    }

    /// False when a number is too large for a run.
    mutating func insert(
        _ first: ReplayDot, count: Int, left: ReplayDot, right: ReplayDot, text: Int, byteCount: Int
    ) -> Bool {
        let limit = UInt64(Int32.max)
        guard first.sequence + UInt64(count) <= limit, left.sequence < limit, right.sequence < limit,
            text + byteCount <= Int(limit)
        else { return false }
        let run = TextRun(
            replica: first.replica, sequence: Int32(first.sequence), count: Int32(count),
            leftReplica: left.replica, left: Int32(left.sequence), rightReplica: right.replica,
            right: Int32(right.sequence), text: Int32(text), byteCount: Int32(byteCount))
        if let last = runs.last, last.end == run.sequence, last.replica == run.replica,
            run.leftReplica == run.replica, run.left &+ 1 == run.sequence,
            isPlanted("run-forgets-right")
                || run.rightReplica == last.rightReplica && run.right == last.right,
            last.text &+ last.byteCount == run.text
        {
            runs[runs.count - 1].count &+= run.count
            runs[runs.count - 1].byteCount &+= run.byteCount
        } else {
            runs.append(run)
        }
        return true
    }

    /// False when a number is too large for a run.
    mutating func delete(_ first: ReplayDot, count: Int) -> Bool {
        let limit = UInt64(Int32.max)
        guard first.sequence <= limit, UInt64(count) <= limit - first.sequence else { return false }
        let run = DeletedRun(replica: first.replica, sequence: Int32(first.sequence), count: Int32(count))
        if let last = deleted.last, last.replica == run.replica {
            if last.end == run.sequence {
                deleted[deleted.count - 1].count &+= run.count
                return true
            }
            if run.end == last.sequence {
                deleted[deleted.count - 1].sequence = run.sequence
                deleted[deleted.count - 1].count &+= run.count
                return true
            }
        }
        deleted.append(run)
        return true
    }
}

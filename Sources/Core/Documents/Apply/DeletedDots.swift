// Where the deletes of one change have been in a list or text. Nobody honest deletes a thing twice in one
// change. A hostile change of a mebibyte names all of a list a hundred thousand times, and each time all that
// is dead in it, or that a concurrent edit keeps alive, would be looked at again.
//
// The operations of a change have one context. So a later delete removes nothing where an earlier one has
// been, except from an element that this change edited in between: `remove` says so. As long as deletes find
// what they delete, nothing is noted: what each looks at is gone afterwards.

import Causality

/// What a delete looked at: positions of a list, spans of a text.
struct DeleteLooks: Sendable {
    var all = 0
    /// Those that are after it as they were before.
    var inVain = 0
}

/// The dots of one container that a delete of this change named, as far as looking there again would be in
/// vain.
struct DeletedDots: Sendable {
    private static let (other, deleted) = (0, 1)

    /// Of each replica, `deleted` or `other`.
    private var marks: [ReplicaID: DotIndex] = [:]

    init() {}

    var isEmpty: Bool { marks.isEmpty }

    /// Deletes a range: `delete` is called for the parts of it where no delete has been. Returns how much was
    /// looked at. O(log n) a part, and there are two more parts for each range and each edit at most.
    mutating func visit(_ range: DotRange, _ delete: (DotRange) -> DeleteLooks) -> Int {
        if marks.isEmpty {
            let looks = delete(range)
            if looks.inVain > 0 { mark(range) }
            return looks.all
        }
        let parts = parts(of: range)
        var looks = DeleteLooks()
        for part in parts {
            let more = delete(part)
            looks.all += more.all
            looks.inVain += more.inVain
        }
        // Finding the parts costs as well: the next one finds none.
        if looks.inVain > 0 || parts != [range] { mark(range) }
        return looks.all + parts.count
    }

    /// An edit by this change: the next delete has something to remove again.
    mutating func remove(_ dot: Dot) {
        let sequence = dot.sequence.value
        guard let known = marks[dot.replica]?.leaf(of: sequence), known.leaf == Self.deleted else { return }
        marks[dot.replica]?.assign(sequence..<sequence + 1, to: Self.other)
    }

    /// What of a range no delete has been at, ascending.
    private func parts(of range: DotRange) -> [DotRange] {
        guard let index = marks[range.replica] else { return [range] }
        var parts: [DotRange] = []
        var next = range.first.value
        while next <= range.last.value {
            let (mark, end) = index.leaf(of: next)
            let last = min(end - 1, range.last.value)
            if mark != Self.deleted {
                parts.append(DotRange(range.replica, SequenceNumber(next), SequenceNumber(last)))
            }
            next = last + 1
        }
        return parts
    }

    private mutating func mark(_ range: DotRange) {
        let sequences = range.first.value..<range.last.value + 1
        func mark(in index: inout DotIndex) {
            // What lies between two marks would belong to the first of them.
            if index.end < sequences.lowerBound {
                index.append(index.end..<sequences.lowerBound, to: Self.other)
            }
            index.assign(sequences, to: Self.deleted)
        }
        mark(in: &marks[range.replica, default: DotIndex()])
    }
}

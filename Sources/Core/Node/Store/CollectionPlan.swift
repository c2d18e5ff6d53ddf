// What of a log goes when it is collected, worked out once for both stores (`LogStore.collect`): the
// stretches between the sections that stay.
//
//     boundaries     ├──────────┼──────────┼──────────┼──────────┤          ├─
//     kept                      └── kept ──┘                    cut = through
//     runs go        ══════════            ══════════ ══════════
//     seals go       ═════════╪            ═════════╪ ═════════      not the cut's, not the kept section's
//     boundaries go  │                                │              not those around what is kept

public import Causality
public import Wire

/// The sequences of one log in which runs, boundaries and seals are deleted.
public struct CollectionPlan: Sendable {
    /// From `first` through `last`, which is not before `first`.
    public struct Stretch: Hashable, Sendable {
        public let first: SequenceNumber
        public let last: SequenceNumber

        /// True when a run of these sequences lies inside.
        public func holds(_ first: SequenceNumber, _ last: SequenceNumber) -> Bool {
            self.first <= first && last <= self.last
        }
    }

    public let replica: ReplicaID
    public let through: SequenceNumber
    /// Ascending, without overlap. A run goes when all of it lies in one of them.
    public let runs: [Stretch]
    /// Where the last sequence of a boundary lies that goes.
    public let boundaries: [Stretch]
    /// Where the last sequence of a seal lies that goes.
    public let seals: [Stretch]

    /// `keeping`: whole sections of this log, in any order; ranges of others and after `through` do not
    /// matter.
    public init(of replica: ReplicaID, through: SequenceNumber, keeping: [DotRange]) {
        precondition(through > .none, "\(replica) is cut before its beginning")
        self.replica = replica
        self.through = through
        let kept = keeping.filter { $0.replica == replica && $0.first <= through }
            .sorted { $0.first < $1.first }
        // The boundary before a kept section stays with it, so does the one at its end.
        runs = Self.stretches(between: kept.map { ($0.first, $0.last) }, through: through)
        seals = Self.stretches(between: kept.map { ($0.first, $0.last) }, through: through.previous)
        boundaries = Self.stretches(
            between: kept.map { ($0.first.previous, $0.last) }, through: through.previous)
    }

    private static func stretches(
        between kept: [(first: SequenceNumber, last: SequenceNumber)], through end: SequenceNumber
    ) -> [Stretch] {
        var found: [Stretch] = []
        var next = SequenceNumber.none + 1
        for (first, last) in kept {
            if first > next, next <= end {
                found.append(Stretch(first: next, last: min(first.previous, end)))
            }
            next = max(next, last + 1)
        }
        if next <= end { found.append(Stretch(first: next, last: end)) }
        return found
    }

    /// Traps unless the log may be cut here: it is held up to there, nothing that is gone is asked for, and
    /// there is a boundary to read it from.
    public func check(cut: SequenceNumber, head: SequenceNumber, hasBoundary: Bool) {
        precondition(
            through >= cut && through <= head,
            "\(replica), held from \(cut) through \(head), is cut at \(through)")
        precondition(hasBoundary, "\(replica) has no boundary at \(through), where it is cut")
    }
}

extension BoundaryRecord {
    /// Traps unless a log that is held so far can begin here.
    public func checkStart(of replica: ReplicaID, heldThrough head: SequenceNumber, seal: Seal?) {
        precondition(
            last > .none && head <= last, "\(replica) is held through \(head), and begins at \(last)")
        precondition(
            seal.map { $0.replica == replica && $0.last == last } ?? true,
            "\(replica) begins at \(last), with a seal of \(String(describing: seal?.last))")
    }
}

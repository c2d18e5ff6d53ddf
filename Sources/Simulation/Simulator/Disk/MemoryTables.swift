// The tables of the in-memory store, as plain values: a reader is a copy. They mirror the SQLite schema table
// by table, so that a difference between the two stores shows where to look.

import Bytes
import Causality
import Node
import Wire

/// Everything a node keeps.
public struct MemoryTables: Sendable {
    var meta: [String: [UInt8]] = [:]
    var spaces: [SpaceID: Space] = [:]

    /// Everything of one space; goes with it.
    struct Space: Sendable {
        var record: SpaceRecord
        var roster: [[UInt8]] = []
        var logs: [ReplicaID: Log] = [:]
        /// Ascending by position.
        var commits: [CommitRecord] = []
        var touching: [Key: [CommitRecord]] = [:]
        /// The documents of each change that is kept, as it named them.
        var touched: [CommitPosition: [Key]] = [:]
        /// The last position of changes that were collected: none is used twice.
        var floor = CommitPosition.start
        /// Canonical bytes of all runs.
        var logBytes = 0
        /// Those with a record of their own; `shown` looks at bases too.
        var documents = SortedTable<Key, DocumentRecord>()
        /// How many documents are visible, by a record of their own or their base's.
        var visibleCount = 0
        var snapshots: [Key: SnapshotRecord] = [:]
        var bases = SortedTable<Key, BaseRecord>()
        var baseBytes = 0
        var candidates = SortedTable<Key, CandidateRecord>()
        var pages: [PageSet: SortedTable<Key, PageRecord>] = [:]
        var idempotency: [Key: IdempotencyRecord] = [:]
        var forks = SortedTable<ReplicaID, ForkRecord>()
        var skipped = SortedTable<CommitPosition, SkippedRecord>()
        var indexes = SortedTable<IndexNumber, IndexRecord>()
        var entries: [IndexNumber: SortedTable<IndexPlace, IndexEntry>] = [:]
        var indexed: [Key: [IndexNumber: [UInt8]]] = [:]

        /// The record as it reads: changes that were appended since it was written have moved its position.
        var current: SpaceRecord {
            var record = record
            record.position = max(record.position, floor, commits.last?.position ?? .start)
            return record
        }
    }

    /// Everything of one log.
    struct Log: Sendable {
        /// Ascending, without overlap.
        var runs: [StoredRun] = []
        var boundaries = SortedTable<SequenceNumber, BoundaryRecord>()
        var seals = SortedTable<SequenceNumber, KeptSeal>()
        /// It is read from the boundary there; `.none`: it is whole.
        var cut = SequenceNumber.none

        var head: SequenceNumber { max(cut, runs.last?.last ?? .none) }
    }

    /// A seal; a boundary's stays for ever.
    struct KeptSeal: Sendable {
        let seal: Seal
        let isBoundary: Bool
    }

    /// The index of the first element for which `isPast` holds; it holds for all after that one.
    static func firstIndex<Element>(in list: [Element], where isPast: (Element) -> Bool) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(list[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

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
        var documents = SortedTable<Key, DocumentRecord>()
        /// How many of `documents` are visible.
        var visibleCount = 0
        var snapshots: [Key: SnapshotRecord] = [:]
        var idempotency: [Key: IdempotencyRecord] = [:]
        var forks = SortedTable<ReplicaID, ForkRecord>()
        var skipped = SortedTable<CommitPosition, SkippedRecord>()
        var indexes = SortedTable<IndexNumber, IndexRecord>()
        var entries: [IndexNumber: SortedTable<IndexPlace, IndexEntry>] = [:]
        var indexed: [Key: [IndexNumber: [UInt8]]] = [:]

        /// The record as it reads: changes that were appended since it was written have moved its position.
        var current: SpaceRecord {
            var record = record
            record.position = max(record.position, commits.last?.position ?? .start)
            return record
        }
    }

    /// Everything of one log.
    struct Log: Sendable {
        /// Ascending, without overlap.
        var runs: [StoredRun] = []
        var boundaries = SortedTable<SequenceNumber, BoundaryRecord>()
        var seals = SortedTable<SequenceNumber, KeptSeal>()

        var head: SequenceNumber { runs.last?.last ?? .none }
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

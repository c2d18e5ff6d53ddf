// The tables of the in-memory store, as plain values: a reader is a copy. They mirror the SQLite schema table
// by table, so that a difference between the two stores shows where to look.

import Bytes
import Causality
import Node
import Wire

/// Everything a node keeps.
struct MemoryTables: Sendable {
    var meta: [String: [UInt8]] = [:]
    var spaces: [SpaceID: Space] = [:]

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

        /// The record as it reads: changes that were appended since it was written have moved its position.
        var current: SpaceRecord {
            var record = record
            record.position = max(record.position, commits.last?.position ?? .start)
            return record
        }
    }

    struct Log: Sendable {
        /// Ascending, without overlap.
        var runs: [StoredRun] = []
        var boundaries = SortedTable<SequenceNumber, BoundaryRecord>()
        var seals = SortedTable<SequenceNumber, KeptSeal>()

        var head: SequenceNumber { runs.last?.last ?? .none }
    }

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

extension MemoryTables {
    func heads(_ space: SpaceID) -> VersionVector {
        let logs = spaces[space]?.logs ?? [:]
        return VersionVector(
            logs.map { VersionVector.Entry($0.key, $0.value.head) }.sorted { $0.replica < $1.replica })
    }

    func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int) -> [StoredRun] {
        let runs = spaces[space]?.logs[replica]?.runs ?? []
        var (found, bytes) = ([StoredRun](), 0)
        for run in runs[Self.firstIndex(in: runs) { $0.last >= from }...] {
            found.append(run)
            bytes += run.bytes.count
            if bytes > bytesMax { break }
        }
        return found
    }

    func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber) -> Int {
        let runs = spaces[space]?.logs[replica]?.runs ?? []
        return runs[Self.firstIndex(in: runs) { $0.first > sequence }...].reduce(0) { $0 + $1.changes }
    }

    func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int) -> [Seal] {
        var found: [Seal] = []
        spaces[space]?.logs[replica]?.seals.visit(from: from) { entry in
            guard found.count < limit else { return false }
            found.append(entry.value.seal)
            return true
        }
        return found
    }

    func commits(in list: [CommitRecord], after position: CommitPosition, limit: Int) -> [CommitRecord] {
        Array(list[Self.firstIndex(in: list) { $0.position > position }...].prefix(limit))
    }

    /// Gives a change another status, in commit order and beside each of its documents.
    static func mark(
        _ record: CommitRecord, touching keys: [Key], as status: ChangeStatus, in space: inout Space
    ) {
        func change(_ list: inout [CommitRecord]) {
            let index = firstIndex(in: list) { $0.position >= record.position }
            guard index < list.count, list[index].position == record.position else { return }
            list[index] = CommitRecord(
                position: record.position, replica: record.replica, first: record.first, last: record.last,
                status: status)
        }
        change(&space.commits)
        for key in keys { change(&space.touching[key, default: []]) }
    }

    func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int) -> [DocumentRecord] {
        var found: [DocumentRecord] = []
        spaces[space]?.documents.visit(from: max(prefix, after ?? prefix)) { entry in
            guard found.count < limit, entry.name.hasPrefix(prefix) else { return false }
            if entry.value.isVisible, after.map({ $0 < entry.name }) ?? true { found.append(entry.value) }
            return true
        }
        return found
    }
}

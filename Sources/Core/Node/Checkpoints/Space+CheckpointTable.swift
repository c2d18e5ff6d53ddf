// The table of a checkpoint, as this node's own logs give it: where each log stands at the witness. Whoever
// holds what the checkpoint covers makes the same bytes, so the hash in the operation says whether both mean
// the same logs.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// The rows of what is covered, which is held, if only as a branch. `closed`: as its author knew it.
    /// `previous`: the checkpoint that this one follows. O(section) a log that has moved on since, O(1) for
    /// others.
    mutating func table(
        covering covered: VersionVector, closed: ClosedLogs, following previous: Bytes32?,
        in store: some StoreReading
    ) throws(StoreFailure) -> CheckpointTable {
        let before = before(previous)
        let ended = Set(
            checkpoints.agreement.endedLogs(in: covered, following: previous, logs: logs.authors))
        var rows: [CheckpointTable.Row] = []
        rows.reserveCapacity(covered.count)
        for entry in covered.entries {
            let head =
                if let known = headInBase(of: entry.replica, at: entry.last) { known } else {
                    try head(of: entry.replica, at: entry.last, in: store)
                }
            let proven = closed[entry.replica]?.first
            let hasEnded = proven.map { $0 > entry.last } ?? true && ended.contains(entry.replica)
            rows.append(
                CheckpointTable.Row(
                    replica: entry.replica, declaration: head.declaration, last: entry.last,
                    previousLast: before[entry.replica], timestamp: head.timestamp, chainHash: head.chainHash,
                    boundary: hasEnded ? head.end(at: entry.last) : head.boundary,
                    closedAt: hasEnded ? entry.last + 1 : proven,
                    acknowledged: checkpoints.agreement.acknowledged(
                        in: entry.replica, through: entry.last, following: previous)))
        }
        return CheckpointTable(rows: rows)
    }

    fileprivate struct Head {
        let declaration: Change.Declaration
        let timestamp: Timestamp
        let chainHash: Bytes32
        let boundary: CheckpointTable.Boundary?

        /// Where a log that ended begins, once nothing before it is kept. Of another branch, in which no
        /// change ends there, it is no boundary, and no table of anybody's either.
        func end(at last: SequenceNumber) -> CheckpointTable.Boundary {
            .init(position: BoundaryPosition(last: last, timestamp: timestamp), chainHash: chainHash)
        }
    }

    /// The end of a log by the base here, where that holds another branch than this node's log, or more.
    private func headInBase(of replica: ReplicaID, at last: SequenceNumber) -> Head? {
        guard isElsewhere(replica), let row = baseTable?.row(of: replica), row.last == last
        else { return nil }
        return Head(
            declaration: row.declaration, timestamp: row.timestamp, chainHash: row.chainHash,
            boundary: row.boundary)
    }

    /// A log as it was at the end of a change.
    private func head(
        of replica: ReplicaID, at last: SequenceNumber, in store: some StoreReading
    ) throws(StoreFailure) -> Head {
        if let log = logs[replica], log.last == last { return Head(log) }
        let stored = try store.boundary(id, replica, before: last + 1)
        let boundary = try stored.map { stored throws(StoreFailure) in try store.decoded(stored, of: replica)
        }
        if let boundary, boundary.position.last == last {
            return Head(
                declaration: boundary.declaration, timestamp: boundary.position.timestamp,
                chainHash: boundary.chainHash, boundary: .init(boundary))
        }
        let part = try store.stretch(
            of: LogID(id, replica), from: (boundary?.position.last ?? .none) + 1, through: last)
        do throws(LogFault) {
            return Head(try LogState(recovering: replica, in: id, from: boundary, [part.bytes]))
        } catch {
            throw .unreadable(.log(replica), error)
        }
    }
}

extension Space.Head {
    fileprivate init(_ log: LogState) {
        self.init(
            declaration: log.declaration, timestamp: log.timestamp, chainHash: log.chainHash,
            boundary: log.boundary.map { .init($0) })
    }
}

extension CheckpointTable.Boundary {
    fileprivate init(_ boundary: LogBoundary) {
        self.init(position: boundary.position, chainHash: boundary.chainHash)
    }
}

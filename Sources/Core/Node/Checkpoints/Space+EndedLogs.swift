// Logs that their devices left for another one: a restored box, a copy. A checkpoint whose table says so
// closes each behind its end (LIFECYCLE 2, trap 8; decision 0244). From then on nothing of it is read any
// more, so it is let go whole where its last section would stay otherwise, and begins at its end. Once the
// checkpoint before holds it too, vectors do not name it any more:
//
//     r ends in W(C)    closed at its end, held and told to there
//     r ends in V(C)    gone: rows are let go, no vector names it; who names it is told its end

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// Documents are about to be made on this base: logs that ended there are closed here too. What is held
    /// behind an end is late, and is judged so with all else that is.
    mutating func endLogs(by base: Bytes32) {
        guard let table = checkpoints.agreement.table(of: base) else { return }
        if let standing = documents.bases.standing, !checkpoints.agreement.follows(base, standing.id) {
            // A rival ended these logs. It let go only what the checkpoint before both of them holds.
            for replica in exceptions.reopen(beside: table) {
                if let log = logs[replica] { logs.raise(replica, to: closings.counted(replica) ?? log.last) }
            }
        }
        for replica in exceptions.end(by: table) {
            guard let last = closings.counted(replica) else { continue }
            lower(replica, to: last)
        }
    }

    /// Devices that wrote on behind the end of a log.
    var authorsBehindEnds: Set<DeviceID> {
        var authors: Set<DeviceID> = []
        for replica in exceptions.ended.replicas {
            guard let log = logs[replica], let closing = exceptions.ended[replica],
                log.last > closing.trunkLast
            else { continue }
            authors.insert(log.declaration.device)
        }
        return authors
    }

    /// Where a log begins that ended by the standing checkpoint and is held to its end; nil: it goes on,
    /// something stands behind its end, or another branch of it is held.
    func endOfLog(_ replica: ReplicaID) -> LogBoundary? {
        guard let standing = documents.bases.standing,
            let row = checkpoints.agreement.table(of: standing.id)?.row(of: replica), row.hasEnded,
            let log = logs[replica], log.last == row.last, log.chainHash == row.chainHash,
            !forks.others.contains(replica), let boundary = row.boundary
        else { return nil }
        return LogBoundary(
            position: boundary.position, chainHash: boundary.chainHash, declaration: row.declaration)
    }

    /// A log that ended is about to be let go to its end: it is read from there on.
    mutating func beginAtEnd(
        _ replica: ReplicaID, _ end: LogBoundary, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.store.addBoundary(
            id, replica, BoundaryRecord(last: end.position.last, state: end.encoded()))
        try logs.begin(replica, at: end)
        if closings.isGone(replica) { logs.lower(replica, to: .none) }
    }

    /// All that is known here: what is held, and the logs that are gone to their ends. Contexts name it, so
    /// that an operation goes on taking what it was made on.
    var known: VersionVector {
        if exceptions.gone.isEmpty { return held }
        var known = held
        known.join(exceptions.gone)
        return known
    }

    /// True when whoever holds this came to the checkpoint that documents are made on here: it holds an
    /// acknowledgement of that, which was made on all that the checkpoint holds.
    func isPastBase(_ vector: VersionVector) -> Bool {
        guard let standing = documents.bases.standing else { return true }
        return checkpoints.agreement.acknowledgements(ofOrAfter: standing.id).contains { devices in
            devices.values.joined().contains { one in
                vector.contains(one.dot) && closings[one.dot.replica] == nil
            }
        }
    }
}

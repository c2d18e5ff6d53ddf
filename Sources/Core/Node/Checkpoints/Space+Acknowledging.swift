// What this node says of checkpoints in its own log: a mark that a checkpoint is made on, and that it agrees
// with one. Such a change touches no document and gives no watcher a line.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// Writes an acknowledgement, or a mark for nil, as a change of its own, made on all that is held. Not to
    /// a log that ends by what is acknowledged, as that of a copy may: what stands behind an end is not
    /// passed on, and counts for nobody.
    mutating func acknowledge(
        _ checkpoint: Bytes32?, by device: DeviceID, _ entropy: inout Entropy, at now: Instant,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> Dot {
        var draft = try transaction.writing { transaction throws(StoreFailure) in
            if let checkpoint, let own = ownReplica, checkpoints.agreement.ends(own, by: checkpoint) {
                logs.retireOwn()
            }
            try openOwnLog(of: device, &entropy, in: &transaction)
            return try self.draft(at: now, touching: [], isWhole: true, from: &transaction)
        }
        draft.add(.acknowledging(checkpoint))
        let outcome = try finish(draft, naming: checkpoint, cursors: epoch, in: &transaction)
        guard let change = outcome.change else { preconditionFailure("an acknowledgement that says nothing") }
        return change
    }

    /// A log acknowledges what stands before anything else is written to it, so that nothing in it is late:
    /// that of a newcomer, of who was absent, and each new one.
    mutating func payAcknowledgement(
        by device: DeviceID, _ entropy: inout Entropy, at now: Instant, cursors epoch: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) {
        guard let standing = documents.bases.standing, let replica = ownReplica,
            checkpoints.paid != AcknowledgedLog(replica: replica, checkpoint: standing.id)
        else { return }
        if let owed = checkpoints.agreement.owed(by: replica, of: device), owed == standing.id {
            _ = try acknowledge(owed, by: device, &entropy, at: now, cursors: epoch, in: &transaction)
        }
        checkpoints.paid = AcknowledgedLog(replica: replica, checkpoint: standing.id)
    }
}

/// A log that acknowledges a checkpoint.
struct AcknowledgedLog: Hashable, Sendable {
    let replica: ReplicaID
    let checkpoint: Bytes32
}

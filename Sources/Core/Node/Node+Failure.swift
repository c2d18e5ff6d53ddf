// What happens when a batch cannot be committed. A full disk is survived: the value is made again from the
// store, so memory never shows what is not durable. A failed sync is not: the kernel may have dropped dirty
// pages and report success next time, so the process stops (as PostgreSQL learned in 2018).

import Bytes
import Causality
import Mesh
import Replication

extension Node {
    /// Answers the batch with the failure and goes back to what is durable. `repeated`: what is handled
    /// again.
    mutating func recover(
        from failure: StoreFailure, repeating repeated: [(RequestID, NodeRequest)], at now: Instant
    ) -> [Effect] {
        let failed = batch.finish()
        let isOvertaken = transaction.isOvertaken
        var effects = failed.effectsOfFailure(NodeError(lost: failure), repeating: repeated)
        if case .syncFailed(let step) = failure {
            transaction.abandon()
            effects.append(
                .halt(
                    "a sync of the store failed (\(step)); nothing after it was acknowledged. "
                        + "Check the disk."))
            return effects
        }
        transaction.rollback()
        epochs.batchLost()
        if upgrade != .done {
            (upgrade, nextSweep) = (.due, min(nextSweep, now.monotonic + NodeLimits.upgradeRetryMilliseconds))
        }
        counters.commitsFailed += 1
        for request in adoptions.batchLost() + checkpointRequests.batchLost() {
            effects.append(.answer(request, .failed(NodeError(lost: failure))))
        }
        if isOvertaken {
            let count = repeated.count { $0.1.isTransaction }
            effects.append(
                .log(
                    .notice, code: "writes-moved",
                    message: "\(counted(count, "transaction")) went to a new log, because the "
                        + "one before goes on elsewhere"))
        } else {
            effects.append(
                .log(
                    .error, code: "commit-failed",
                    message: "a commit failed (\(failure)); its requests got 507, the node goes on from the "
                        + "store"))
        }
        if case .full = failure { links.pause.begin(at: now.monotonic) }
        effects += dropLinks(at: now)
        reachability.batchLost(at: now)
        do throws(StoreFailure) {
            if !isPlanted("lost-batch-kept") { try reload(at: now) }
            retireLogs()
            pauseIndexes(at: now)
        } catch {
            effects.append(.halt("the store cannot be read again after a failed commit: \(error)"))
        }
        // The shell was never asked for them: nobody else will say that they failed.
        for effect in failed.effects {
            switch effect {
            case .dial(let id, _): dialFailed(id, reason: Self.storeFailed, at: now)
            case .resolve(let host):
                reachability.resolved(host, [], failure: Self.storeFailed, at: now)
            case .answer, .send, .tellWritten, .close, .beacon, .log, .backup, .reload, .halt: break
            }
        }
        transaction.beginBatch()
        updateActivity()
        return effects + batch.finish().effects
    }

    /// Makes the value again from the store. Watchers whose events are gone are told to read again.
    private mutating func reload(at now: Instant) throws(StoreFailure) {
        // Not at once: where the disk stays full they would fail again in every batch.
        try loadSpaces(
            reissuesFrom: now.monotonic + ReplicationLimits.reissueMilliseconds, at: now)
        for watcher in readers.watchers {
            if let space = spaces.handle(of: watcher.space) {
                spaces[space].documents.addWatcher(at: spaces[space].position)
            }
        }
        let spaces = spaces
        readers.batchLost { spaces.handle(of: $0).map { spaces[$0].position } }
    }

    /// Closes the own logs that went on elsewhere, as the lost batch had found. In memory whatever happens,
    /// so that nothing is written at dots that are taken; on disk as soon as a transaction succeeds.
    private mutating func retireLogs() {
        for index in spaces.indices where spaces[index].findings.isRetiring {
            spaces[index].logs.retireOwn()
        }
    }
}

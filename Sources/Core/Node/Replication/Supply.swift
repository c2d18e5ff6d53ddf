// What one channel brings: whether its peer names something that is missing here, when it last brought
// something, and the PRUNE that tells it what others bring.

import Causality
import Replication
import Wire

/// One channel as a source of changes. Times are monotonic milliseconds.
struct Supply: Sendable {
    /// The peer named something in HAVE that was not held then; looked at again when a gap is.
    var isAhead = false
    /// When something that was missing arrived here, or a part of it; nil: never.
    var usefulAt: UInt64?
    /// Logs to name in the next PRUNE.
    private var pruning: Set<ReplicaID> = []
    /// When the last PRUNE went.
    private var prunedAt: UInt64?

    init() {}

    /// Others bring this log.
    mutating func prune(_ replica: ReplicaID) { pruning.insert(replica) }

    /// The peer is asked for these logs (none named: all), so it is not told to be silent on them.
    mutating func graft(_ logs: [ReplicaID]) {
        if logs.isEmpty { pruning = [] } else { pruning.subtract(logs) }
    }

    /// True when what comes now may have been under way when the last PRUNE went.
    func isSettlingPrune(at now: UInt64) -> Bool {
        now < (prunedAt ?? 0) + ReplicationLimits.pruneMilliseconds
    }

    /// The PRUNE that is due.
    mutating func nextPrune(at now: UInt64) -> PruneFrame? {
        if pruning.isEmpty { return nil }
        let logs = pruning.sorted().prefix(WireLimits.treeLogsMax)
        pruning.subtract(logs)
        prunedAt = now
        return PruneFrame(Array(logs))
    }
}

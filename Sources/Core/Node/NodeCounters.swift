// Plain counters for /v1/metrics. They only ever grow; nothing is decided by them.

/// What happened since the node value was made.
struct NodeCounters: Sendable {
    var transactions: UInt64 = 0
    var transactionsRefused: UInt64 = 0
    var changesCommitted: UInt64 = 0
    var changesVoid: UInt64 = 0
    var changesSkipped: UInt64 = 0
    var commits: UInt64 = 0
    var commitsFailed: UInt64 = 0
    var documentsLoaded: UInt64 = 0
    var snapshotsWritten: UInt64 = 0
}

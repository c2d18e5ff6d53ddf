// The part of the store's contract about logs: runs of changes as they were appended, where a log's running
// state starts afresh, seals, proofs that a log forked, and changes that are held and not executed.

public import Bytes
public import Causality
public import Wire

/// Changes of one replica that were committed together, consecutive in its log and in commit order.
public struct StoredRun: Hashable, Sendable {
    public let replica: ReplicaID
    public let first: SequenceNumber
    public let last: SequenceNumber
    /// Position of the first change; the others follow it one by one.
    public let position: CommitPosition
    public let changes: Int
    /// Canonical bytes of the changes, concatenated.
    public let bytes: [UInt8]

    public init(
        replica: ReplicaID, first: SequenceNumber, last: SequenceNumber, position: CommitPosition,
        changes: Int,
        bytes: [UInt8]
    ) {
        self.replica = replica
        self.first = first
        self.last = last
        self.position = position
        self.changes = changes
        self.bytes = bytes
    }
}

/// Where a log's running state starts afresh, with what is needed to go on from there.
public struct BoundaryRecord: Hashable, Sendable {
    /// The last sequence before the boundary; `.none` is the start of the log.
    public let last: SequenceNumber
    /// `Identity` codes it: chain hash, base timestamp and what else a reader that starts here needs.
    public let state: [UInt8]

    public init(last: SequenceNumber, state: [UInt8]) {
        self.last = last
        self.state = state
    }
}

/// The proof that closed a log. Of each log one is kept, the one with the least `first`.
public struct ForkRecord: Hashable, Sendable {
    public let replica: ReplicaID
    /// Closed at this sequence.
    public let first: SequenceNumber
    /// Wall milliseconds when this node learned of it.
    public let since: UInt64
    /// As `ForkProof` codes it.
    public let proof: [UInt8]

    public init(replica: ReplicaID, first: SequenceNumber, since: UInt64, proof: [UInt8]) {
        self.replica = replica
        self.first = first
        self.since = since
        self.proof = proof
    }
}

/// A change that is held and not executed, although it is not void.
public struct SkippedRecord: Hashable, Sendable {
    /// Raw values are stored.
    public enum Reason: UInt8, Hashable, CaseIterable, Sendable {
        /// It has operations of a newer version.
        case unknown = 0
        /// The process died twice while it was being executed.
        case quarantined = 1
        /// A document that it touches cannot be made from what is stored.
        case unreadable = 2
    }

    public let change: CommitRecord
    public let reason: Reason
    /// Wall milliseconds.
    public let since: UInt64

    public init(change: CommitRecord, reason: Reason, since: UInt64) {
        self.change = change
        self.reason = reason
        self.since = since
    }
}

/// What is kept of logs. Lists are ascending by the order that their parameter names.
public protocol StoredLogs {
    /// Last sequence held per replica; of a log that begins at a cut and has no run after it, the cut.
    func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector
    /// Runs that hold sequences ≥ `from`, ascending, until `bytesMax` is passed; at least one if there is
    /// one. Before a log's cut it finds the sections that were kept, and nothing else.
    func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure)
        -> [StoredRun]
    /// Changes in the runs of a log that begin after this sequence. O(runs that it counts).
    func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    /// The greatest boundary with `last` < `sequence`; nil: the start of the log.
    func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure)
        -> BoundaryRecord?
    /// Seals with `last` ≥ `from`, ascending, at most `limit`.
    func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int) throws(StoreFailure)
        -> [Seal]
    /// Changes committed after `position`, ascending; those that were collected are left out.
    func commits(_ space: SpaceID, after position: CommitPosition, limit: Int) throws(StoreFailure)
        -> [CommitRecord]
    /// Where a log begins: the last sequence of the boundary that it is read from; `.none`: it is whole.
    func cut(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> SequenceNumber
    /// The cuts of all logs that are not whole.
    func cuts(_ space: SpaceID) throws(StoreFailure) -> VersionVector
    /// Canonical bytes of all changes that are kept of a space. O(1): the figure is kept.
    func logBytes(_ space: SpaceID) throws(StoreFailure) -> Int
    /// The documents of each change committed after `position`, ascending by position; none of a change
    /// that was appended as void and never executed. Rebuilds are no changes: `touchedKeys` has them.
    /// O(what it hands back).
    func touched(_ space: SpaceID, after position: CommitPosition, limit: Int) throws(StoreFailure)
        -> [(position: CommitPosition, keys: [Key])]
    /// Ascending by replica.
    func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord]
    func fork(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> ForkRecord?
    /// Ascending by position.
    func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord]
}

/// Writes of logs, each inside the open transaction.
public protocol LogStore: StoredLogs {
    /// Appends a run; `touched[i]` are the documents of its i-th change (none of a void one).
    mutating func append(_ space: SpaceID, _ run: StoredRun, changes: [CommitRecord], touched: [[Key]])
        throws(StoreFailure)
    /// Gives committed changes another status. `touched[i]` are the documents that the i-th was appended
    /// with.
    mutating func mark(_ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus)
        throws(StoreFailure)
    mutating func addBoundary(_ space: SpaceID, _ replica: ReplicaID, _ boundary: BoundaryRecord)
        throws(StoreFailure)
    /// Keeps the seal; `isBoundary` seals for ever, others may go when a later one of the replica is kept.
    mutating func addSeal(_ space: SpaceID, _ seal: Seal, isBoundary: Bool) throws(StoreFailure)
    /// A log that is taken from a base begins at this boundary: it is held up to there, and goes on after
    /// it. `seal`: the one that ends there, if its log has one. Nothing after the boundary is held; runs
    /// before it stay until they are collected.
    mutating func startLog(_ space: SpaceID, _ replica: ReplicaID, at boundary: BoundaryRecord, seal: Seal?)
        throws(StoreFailure)
    /// Deletes runs of a log that end at or before `through`, which is the last sequence of a boundary that
    /// is kept, but for those in `keeping`; with them goes what names their changes. The log is cut there
    /// from the first call on. Boundaries and seals before it go too, but for those that a kept section is
    /// read and verified with.
    ///
    /// Looks at about `rowsMax` rows, and at a whole run at least; until `isDone`, call it again with the
    /// same arguments, in this transaction or another. `rows` were deleted, `bytes` of canonical changes.
    /// Positions are never used twice, whatever is left of them.
    mutating func collect(
        _ space: SpaceID, _ replica: ReplicaID, through last: SequenceNumber, keeping: [DotRange],
        rowsMax: Int
    ) throws(StoreFailure) -> (rows: Int, bytes: Int, isDone: Bool)
    /// Removes all of a log: nothing says any more that it was held. Its fork stays. O(what is left of it):
    /// collect a long one first.
    mutating func forgetLog(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure)
    /// Inserts, or replaces the log's former proof.
    mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure)
    mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure)
}

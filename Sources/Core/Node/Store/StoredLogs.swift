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
    /// Last sequence held per replica.
    func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector
    /// Runs that hold sequences ≥ `from`, ascending, until `bytesMax` is passed; at least one if there is
    /// one.
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
    /// Changes committed after `position`, ascending.
    func commits(_ space: SpaceID, after position: CommitPosition, limit: Int) throws(StoreFailure)
        -> [CommitRecord]
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
    /// Inserts, or replaces the log's former proof.
    mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure)
    mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure)
}

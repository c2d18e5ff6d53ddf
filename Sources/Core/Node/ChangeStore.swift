// The contract between the node and what keeps its data (DESIGN 11). One suite of tests runs it over the
// in-memory store of the simulator and over SQLite. All writes happen inside one transaction; reads of the
// same store see them at once; they are durable when `commit` returns, and not before.

public import Bytes
public import Causality
public import Wire

/// Position in a space's local commit order: the n-th change committed here. Starts at 1; 0 is before
/// everything.
public struct CommitPosition: Hashable, Comparable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }
    public static let start = CommitPosition(0)
    public var next: CommitPosition { CommitPosition(value + 1) }
    public static func < (left: CommitPosition, right: CommitPosition) -> Bool { left.value < right.value }
}

/// A space this node is in.
public struct SpaceRecord: Hashable, Sendable {
    public let id: SpaceID
    /// The local name; unique on the node.
    public var name: String
    /// Keys by epoch, opened; `Roster` codes them.
    public var keys: [UInt8]
    /// The incarnation this node writes under; nil before its first write.
    public var incarnation: UInt64?
    /// The last position used. It follows the changes that are appended; a position that no change takes (a
    /// rebuild's) is put with the record.
    public var position: CommitPosition

    public init(id: SpaceID, name: String, keys: [UInt8], incarnation: UInt64?, position: CommitPosition) {
        self.id = id
        self.name = name
        self.keys = keys
        self.incarnation = incarnation
        self.position = position
    }
}

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

/// One change in commit order: where to find it, not its bytes.
public struct CommitRecord: Hashable, Sendable {
    public let position: CommitPosition
    public let replica: ReplicaID
    public let first: SequenceNumber
    public let last: SequenceNumber
    public let status: ChangeStatus

    public init(
        position: CommitPosition, replica: ReplicaID, first: SequenceNumber, last: SequenceNumber,
        status: ChangeStatus
    ) {
        self.position = position
        self.replica = replica
        self.first = first
        self.last = last
        self.status = status
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

/// A document as listings need it.
public struct DocumentRecord: Hashable, Sendable {
    public let key: Key
    public var isVisible: Bool
    /// Changes that touched it and that no other such change covers, ascending: its version.
    public var frontier: [Dot]
    /// The last position that touched it.
    public var position: CommitPosition

    public init(key: Key, isVisible: Bool, frontier: [Dot], position: CommitPosition) {
        self.key = key
        self.isVisible = isVisible
        self.frontier = frontier
        self.position = position
    }
}

/// A document's snapshot and the position that it covers.
public struct SnapshotRecord: Hashable, Sendable {
    public let position: CommitPosition
    public let bytes: [UInt8]

    public init(position: CommitPosition, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }
}

/// A remembered answer to an Idempotency-Key.
public struct IdempotencyRecord: Hashable, Sendable {
    public let bodyHash: Bytes32
    /// Nil when the transaction changed nothing.
    public let change: Dot?
    public let version: String
    /// Wall milliseconds after which it may go.
    public let expires: UInt64

    public init(bodyHash: Bytes32, change: Dot?, version: String, expires: UInt64) {
        self.bodyHash = bodyHash
        self.change = change
        self.version = version
        self.expires = expires
    }

    /// The same, expiring so many milliseconds later.
    public func expiring(later milliseconds: Int64) -> IdempotencyRecord {
        let moved = max(0, Int64(clamping: expires) + milliseconds)
        return IdempotencyRecord(
            bodyHash: bodyHash, change: change, version: version, expires: UInt64(moved))
    }
}

/// Reads of a node's data, at one moment. Lists are ascending by the order that their parameter names.
public protocol StoreReading {
    /// Small values by name (`NodeMeta` has the names): cursor epochs, the address book, issued invites,
    /// spaces that were left, the change that is being executed, quarantined changes, why the last
    /// incarnation was opened.
    func meta(_ name: String) throws(StoreFailure) -> [UInt8]?
    func spaces() throws(StoreFailure) -> [SpaceRecord]
    /// Signed roster operations in the order they were added.
    func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]]
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
    /// Changes that touched the document, committed after `position`, ascending.
    func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord?
    /// Visible documents with this prefix and a key greater than `after`, ascending by key bytes.
    func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int) throws(StoreFailure)
        -> [DocumentRecord]
    /// Visible documents.
    func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int
    func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord?
    func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord?
    /// Ascending by replica.
    func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord]
    /// Ascending by position.
    func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord]
}

/// A node's durable data. One owner, one writer.
public protocol ChangeStore: StoreReading {
    associatedtype Reader: StoreReading & Sendable

    /// Opens the write transaction; a second `begin` before `commit` or `rollback` is a bug.
    mutating func begin() throws(StoreFailure)
    /// Everything since `begin` is on disk when this returns. After a throw nothing of it is.
    mutating func commit() throws(StoreFailure)
    mutating func rollback()
    /// The committed state of this moment, readable on another thread while the node goes on.
    func reader() throws(StoreFailure) -> Reader

    mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure)
    /// Inserts or replaces.
    mutating func put(_ space: SpaceRecord) throws(StoreFailure)
    /// Removes the space with all its data.
    mutating func remove(_ space: SpaceID) throws(StoreFailure)
    mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure)
    /// Appends a run; `touched[i]` are the documents of its i-th change (none of a void one).
    mutating func append(_ space: SpaceID, _ run: StoredRun, changes: [CommitRecord], touched: [[Key]])
        throws(StoreFailure)
    mutating func addBoundary(_ space: SpaceID, _ replica: ReplicaID, _ boundary: BoundaryRecord)
        throws(StoreFailure)
    /// Keeps the seal; `isBoundary` seals for ever, others may go when a later one of the replica is kept.
    mutating func addSeal(_ space: SpaceID, _ seal: Seal, isBoundary: Bool) throws(StoreFailure)
    /// `wasVisible`: as the record that it replaces says; false without one.
    mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure)
    /// Inserts, or replaces the log's former proof.
    mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure)
    mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure)
    /// Gives committed changes another status. `touched[i]` are the documents that the i-th was appended
    /// with.
    mutating func mark(_ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus)
        throws(StoreFailure)
    /// Moves all expiries by as many milliseconds, then drops what expired before this wall time.
    mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure)
}

extension ChangeStore {
    /// For who does not know what the record replaces.
    public mutating func put(_ space: SpaceID, _ document: DocumentRecord) throws(StoreFailure) {
        let old = try self.document(space, document.key)
        try put(space, document, wasVisible: old?.isVisible ?? false)
    }
}

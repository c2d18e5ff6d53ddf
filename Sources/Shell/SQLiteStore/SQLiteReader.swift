// A snapshot of the database for reads beside the node: the state of the last commit, whatever is committed
// later.

public import Bytes
public import Causality
public import Node
import Synchronization
public import Wire

/// Reads over one committed state, on any thread, one at a time. Let go of it soon: it holds the WAL.
public final class SQLiteReader: StoreReading, Sendable {
    /// Nil when the snapshot was ended because it held the WAL for too long.
    private let open: Mutex<Queries?>
    private let pool: ReaderPool

    init(_ connection: Connection, from pool: ReaderPool) {
        open = Mutex(Queries(connection: connection))
        self.pool = pool
    }

    deinit {
        if let queries = open.withLock({ $0 }) { pool.takeBack(queries.connection) }
    }

    /// Ends the snapshot; false when a read is under way.
    func expire() -> Bool {
        open.withLockIfAvailable { queries in
            if let connection = queries.take()?.connection { pool.takeBack(connection) }
            return true
        } ?? false
    }

    private func read<Result: Sendable>(
        _ body: (Queries) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try open.withLock { queries throws(StoreFailure) in
            guard let queries else {
                throw .readerExpired
            }
            return try body(queries)
        }
    }

    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? {
        try read { queries throws(StoreFailure) in try queries.meta(name) }
    }
    public func spaces() throws(StoreFailure) -> [SpaceRecord] {
        try read { queries throws(StoreFailure) in try queries.spaces() }
    }
    public func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        try read { queries throws(StoreFailure) in try queries.rosterOperations(space) }
    }
    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector {
        try read { queries throws(StoreFailure) in try queries.heads(space) }
    }
    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        try read { queries throws(StoreFailure) in
            try queries.changeCount(space, replica, after: sequence)
        }
    }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        try read { queries throws(StoreFailure) in
            try queries.runs(space, replica, from: from, bytesMax: bytesMax)
        }
    }
    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        try read { queries throws(StoreFailure) in try queries.boundary(space, replica, before: sequence) }
    }
    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        try read { queries throws(StoreFailure) in
            try queries.seals(space, replica, from: from, limit: limit)
        }
    }
    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try read { queries throws(StoreFailure) in
            try queries.commits(space, after: position, limit: limit)
        }
    }
    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try read { queries throws(StoreFailure) in
            try queries.commits(space, touching: document, after: position, limit: limit)
        }
    }
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        try read { queries throws(StoreFailure) in try queries.document(space, key) }
    }
    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        try read { queries throws(StoreFailure) in
            try queries.documents(space, prefix: prefix, after: after, limit: limit)
        }
    }
    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        try read { queries throws(StoreFailure) in try queries.documentCount(space) }
    }
    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        try read { queries throws(StoreFailure) in try queries.snapshot(space, key) }
    }
    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        try read { queries throws(StoreFailure) in try queries.idempotency(space, key) }
    }
    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] {
        try read { queries throws(StoreFailure) in try queries.forks(space) }
    }
    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        try read { queries throws(StoreFailure) in try queries.skipped(space) }
    }
}

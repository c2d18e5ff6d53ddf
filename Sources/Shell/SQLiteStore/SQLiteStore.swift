// The node's durable data in one SQLite file (DESIGN 11): WAL, synchronous=FULL, one connection that writes.
// What the contract asks beyond SQL is here: the order of a commit's steps, and what each failure leaves
// behind.

public import Bytes
public import Causality
public import Node
public import Wire

/// The contract over SQLite. One owner, on one thread; a copy is the same store, not another.
public struct SQLiteStore: ChangeStore {
    let writer: Connection
    private let pool: ReaderPool
    private let highWater: HighWater?
    /// The greatest number that was given to a run, committed or not; the next is greater.
    var lastRun: Int64
    var pending = Pending()

    /// What the open transaction has changed and the database does not say yet.
    struct Pending {
        /// Change of the count of visible documents, by the space's number.
        var documents: [Int64: Int] = [:]
        /// Numbers of spaces, so that a row's write needs no look-up. Forgotten with each transaction.
        var spaces: [SpaceID: Int64] = [:]
        /// Number and head of each log that the transaction appends to.
        var logs: [LogName: (number: Int64, last: SequenceNumber)] = [:]
        var hasAppendedRuns = false
        /// A space was removed: the greatest number of a run may have become less.
        var hasRemovedRuns = false
    }

    struct LogName: Hashable {
        let space: Int64
        let replica: ReplicaID
    }

    /// Opens the database, which must exist (it may be empty), and brings its schema up to date.
    /// The daemon goes through `StateDirectory`; this is for tests and tools.
    public init(path: String) throws(StoreFailure) { try self.init(path: path, highWater: nil) }

    init(path: String, highWater: HighWater?) throws(StoreFailure) {
        writer = try Connection(path, .writer)
        try Schema.migrate(writer)
        pool = ReaderPool(path: path)
        self.highWater = highWater
        lastRun = try writer[.lastRun].first([]) { $0.integer(0) } ?? 0
    }

    public mutating func begin() throws(StoreFailure) {
        precondition(writer.isOutsideTransaction, "begin inside a transaction")
        try writer[.begin].run([])
    }

    public mutating func commit() throws(StoreFailure) {
        precondition(!writer.isOutsideTransaction, "commit outside a transaction")
        do throws(StoreFailure) {
            for (space, count) in pending.documents where count != 0 {
                try writer[.addDocuments].run([.integer(space), .integer(count)])
            }
            // The mark is never ahead of the database: lowered before rows go, raised when rows are durable.
            if pending.hasRemovedRuns { highWater?.write(0) }
            try writer[.commit].run([])
        } catch {
            rollback()
            throw error
        }
        if pending.hasAppendedRuns { highWater?.write(UInt64(lastRun)) }
        pending = Pending()
        try writer.checkpoint(whenFramesExceed: StoreLimits.checkpointFrames)
        if writer.walFrameCount > StoreLimits.walFramesMax { pool.expireOldest() }
    }

    public mutating func rollback() {
        pending = Pending()
        writer.forgetNumbers()
        do throws(StoreFailure) {
            // SQLite has rolled back by itself after some failures.
            if !writer.isOutsideTransaction { try writer[.rollback].run([]) }
        } catch {
            // A rollback only forgets pages. When even that fails nothing that follows could be trusted.
            preconditionFailure("rolling back failed: \(error)")
        }
    }

    public func reader() throws(StoreFailure) -> SQLiteReader { try pool.reader() }
}

extension SQLiteStore {
    private var queries: Queries { Queries(connection: writer) }

    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? { try queries.meta(name) }
    public func spaces() throws(StoreFailure) -> [SpaceRecord] { try queries.spaces() }
    public func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        try queries.rosterOperations(space)
    }
    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector { try queries.heads(space) }
    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        try queries.changeCount(space, replica, after: sequence)
    }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        try queries.runs(space, replica, from: from, bytesMax: bytesMax)
    }
    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        try queries.boundary(space, replica, before: sequence)
    }
    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        try queries.seals(space, replica, from: from, limit: limit)
    }
    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try queries.commits(space, after: position, limit: limit)
    }
    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try queries.commits(space, touching: document, after: position, limit: limit)
    }
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        try queries.document(space, key)
    }
    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        try queries.documents(space, prefix: prefix, after: after, limit: limit)
    }
    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        let stored = try queries.documentCount(space)
        guard !pending.documents.isEmpty, let number = try queries.number(of: space) else { return stored }
        return stored + pending.documents[number, default: 0]
    }
    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        try queries.snapshot(space, key)
    }
    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        try queries.idempotency(space, key)
    }
    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] { try queries.forks(space) }
    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        try queries.skipped(space)
    }
}

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
    /// Positions that all spaces have used, those that are gone included: grows with each change that is
    /// appended, and never becomes less.
    var positions: UInt64
    /// As of the last commit.
    private(set) var durablePositions: UInt64
    var known = Known()

    /// What the writer has read or written of the database, so that it need not look it up for each row. All
    /// of it is forgotten when a transaction is rolled back or a space removed.
    struct Known {
        var spaces: [SpaceID: Int64] = [:]
        /// By the number of the space.
        var figures: [Int64: Figures] = [:]
        var logs: [LogName: Log] = [:]
    }

    /// The end of a space in commit order.
    struct Figures {
        /// Nil before the first run.
        var lastRun: RunNumber?
        var lastPosition: CommitPosition
        /// Visible documents, and as many as the database says.
        var documents: Int
        var writtenDocuments: Int
    }

    struct LogName: Hashable {
        let space: Int64
        let replica: ReplicaID
    }

    /// The head of a log.
    struct Log {
        let number: Int64
        var last: SequenceNumber
        /// The last seal that is kept; nil: there is none.
        var seal: (last: Int64, isBoundary: Bool)?
    }

    /// Opens the database, which must exist (it may be empty), and brings its schema up to date.
    /// The daemon goes through `StateDirectory`; this is for tests and tools.
    public init(path: String) throws(StoreFailure) { try self.init(path: path, highWater: nil) }

    init(path: String, highWater: HighWater?) throws(StoreFailure) {
        writer = try Connection(path, .writer)
        try writer.settleWAL()
        try Schema.migrate(writer)
        pool = ReaderPool(path: path)
        self.highWater = highWater
        let values: [SQLValue] = [.integer(RunNumber.positionMask), .integer(RunNumber.positionBits)]
        let here = UInt64(try writer[.sumOfPositions].first(values) { $0.integer(0) } ?? 0)
        positions = try Queries(connection: writer).removedPositions() + here
        durablePositions = positions
    }

    public mutating func begin() throws(StoreFailure) {
        precondition(writer.isOutsideTransaction, "begin inside a transaction")
        try writer[.begin].run([])
    }

    public mutating func commit() throws(StoreFailure) {
        precondition(!writer.isOutsideTransaction, "commit outside a transaction")
        do throws(StoreFailure) {
            try writeDocumentCounts()
            try writer[.commit].run([])
        } catch {
            rollback()
            throw error
        }
        // Never ahead of what is durable.
        if positions != durablePositions { highWater?.write(positions) }
        durablePositions = positions
        try writer.checkpoint(whenFramesExceed: StoreLimits.checkpointFrames)
        if writer.walFrameCount > StoreLimits.walFramesMax { pool.expireOldest() }
    }

    /// The last run of a space says how many documents are visible; the space itself before it has one.
    private mutating func writeDocumentCounts() throws(StoreFailure) {
        for (space, figures) in known.figures where figures.documents != figures.writtenDocuments {
            if let run = figures.lastRun {
                try writer[.setDocumentsOfRun].run([.integer(run.value), .integer(figures.documents)])
            } else {
                try writer[.setDocuments].run([.integer(space), .integer(figures.documents)])
            }
            known.figures[space]?.writtenDocuments = figures.documents
        }
    }

    public mutating func rollback() {
        known = Known()
        positions = durablePositions
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
    var queries: Queries { Queries(connection: writer) }

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
        guard let number = try queries.number(of: space) else { return 0 }
        if let figures = known.figures[number] { return figures.documents }
        return try queries.documentCount(number)
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

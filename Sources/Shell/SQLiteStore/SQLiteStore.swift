// The node's durable data in one SQLite file (DESIGN 11): WAL, synchronous=FULL, one connection that writes.
// What the contract asks beyond SQL is here: the order of a commit's steps, and what each failure leaves
// behind.

public import Causality
public import Node

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

    /// A log, by the number of its space in the database.
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

    /// `highWater`: nil for tests and tools, which do not mind older copies.
    init(path: String, highWater: HighWater?) throws(StoreFailure) {
        writer = try Connection(path, .writer)
        try writer.settleWAL()
        try Schema.migrate(writer)
        pool = ReaderPool(path: path)
        self.highWater = highWater
        let values: [SQLValue] = [.integer(RunNumber.positionMask), .integer(RunNumber.positionBits)]
        let here = UInt64(try writer[.sumOfPositions].first(values) { $0.integer(0) } ?? 0)
        positions = try SQLiteTables(connection: writer).removedPositions() + here
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

extension SQLiteStore: SQLiteReads {
    var tables: SQLiteTables { SQLiteTables(connection: writer) }

    public func read<Result: Sendable>(
        _ body: (SQLiteTables) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result { try body(tables) }

    /// The writer knows the count of an open transaction; in the database it stands when that is committed.
    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        guard let number = try tables.number(of: space) else { return 0 }
        if let figures = known.figures[number] { return figures.documents }
        return try tables.documentCount(number)
    }
}

extension Query {
    static let setDocuments = Query("UPDATE spaces SET documents = ?2 WHERE number = ?1")
    static let setDocumentsOfRun = Query("UPDATE runs SET documents = ?2 WHERE number = ?1")
    static let sumOfPositions = Query(
        """
        SELECT coalesce(sum((SELECT (number & ?1) + changes - 1 FROM runs WHERE number
        BETWEEN spaces.number << ?2 AND (spaces.number << ?2 | ?1) ORDER BY number DESC LIMIT 1)), 0)
        FROM spaces
        """)
}

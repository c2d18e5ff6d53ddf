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

    /// The end of a space in commit order, and figures that are kept of it.
    struct Figures {
        /// What stands in the last run.
        struct OfRun: Equatable {
            /// Visible ones.
            var documents: Int
            var logBytes: Int
        }

        /// Of the bases, in the row of the space.
        struct Bases: Equatable {
            var documents: Int
            var bytes: Int
        }

        /// Nil while there is none.
        var lastRun: RunNumber?
        /// Of the last run, or of a later one that is gone.
        var lastPosition: CommitPosition
        var ofRun: OfRun
        /// As the database says; nil: the last run of another time does.
        var writtenOfRun: OfRun?
        var bases: Bases
        var writtenBases: Bases
        /// False: no document of the space has a record of its own.
        var hasRecords: Bool
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
        try writer.compactIfSmall()
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
            try writeFigures()
            for kind in [BlockKind.bases, .candidates] { try tables.write(kind) }
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

    /// The last run of a space says how many documents are visible and how long its logs are; the space
    /// itself while it has none, and always what its bases come to.
    private mutating func writeFigures() throws(StoreFailure) {
        for (space, figures) in known.figures {
            if figures.ofRun != figures.writtenOfRun {
                if let run = figures.lastRun {
                    try writer[.setFiguresOfRun].run([
                        .integer(run.value), .integer(figures.ofRun.documents),
                        .integer(figures.ofRun.logBytes),
                    ])
                } else {
                    precondition(
                        figures.ofRun.logBytes == 0, "\(figures.ofRun.logBytes) bytes in a space without runs"
                    )
                    try writer[.setDocuments].run([
                        .integer(space), .integer(figures.ofRun.documents),
                    ])
                }
                known.figures[space]?.writtenOfRun = figures.ofRun
            }
            if figures.bases != figures.writtenBases {
                try writer[.setBases].run([
                    .integer(space), .integer(figures.bases.documents), .integer(figures.bases.bytes),
                ])
                known.figures[space]?.writtenBases = figures.bases
            }
        }
    }

    public mutating func rollback() {
        known = Known()
        positions = durablePositions
        writer.forget()
        do throws(StoreFailure) {
            // SQLite has rolled back by itself after some failures.
            if !writer.isOutsideTransaction { try writer[.rollback].run([]) }
        } catch {
            // A rollback only forgets pages. When even that fails nothing that follows could be trusted.
            preconditionFailure("rolling back failed: \(error)")
        }
    }

    public mutating func shrink(pagesMax: Int) throws(StoreFailure) -> Bool {
        precondition(writer.isOutsideTransaction, "shrinking inside a transaction")
        return try writer.shrink(pagesMax: pagesMax)
    }

    /// True when free pages of the file can be handed back in small steps; else it is to be compacted once.
    public func canShrink() throws(StoreFailure) -> Bool {
        try Schema.pragma("auto_vacuum", of: writer) != 0
    }

    /// Writes the whole database anew. For a node that does nothing else meanwhile; takes seconds a GiB, and
    /// as much room again. `full`: nothing has changed.
    public mutating func compact() throws(StoreFailure) {
        precondition(writer.isOutsideTransaction, "compacting inside a transaction")
        try writer.compact()
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
        if let figures = known.figures[number] { return figures.ofRun.documents }
        return try tables.documentCount(number)
    }

    public func logBytes(_ space: SpaceID) throws(StoreFailure) -> Int {
        guard let number = try tables.number(of: space) else { return 0 }
        if let figures = known.figures[number] { return figures.ofRun.logBytes }
        return try tables.lastRun(number)?.logBytes ?? 0
    }

    public func baseBytes(_ space: SpaceID) throws(StoreFailure) -> (bytes: Int, documents: Int) {
        guard let number = try tables.number(of: space) else { return (0, 0) }
        // Not with `??`, which forgets the type of what is thrown.
        let bases =
            if let figures = known.figures[number] { figures.bases } else {
                try tables.baseFigures(number)
            }
        return (bases.bytes, bases.documents)
    }
}

extension Query {
    static let setDocuments = Query("UPDATE spaces SET documents = ?2 WHERE number = ?1")
    static let setFiguresOfRun = Query("UPDATE runs SET documents = ?2, kept = ?3 WHERE number = ?1")
    static let setBases = Query("UPDATE spaces SET bases = ?2, base_bytes = ?3 WHERE number = ?1")
    static let sumOfPositions = Query(
        """
        SELECT coalesce(sum(max(floor, coalesce((SELECT (number & ?1) + changes - 1 FROM runs WHERE number
        BETWEEN spaces.number << ?2 AND (spaces.number << ?2 | ?1) ORDER BY number DESC LIMIT 1), 0))), 0)
        FROM spaces
        """)
}

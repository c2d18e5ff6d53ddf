// One connection to the database, with its statements. There is exactly one that writes and checkpoints:
// Debian 12's SQLite can lose a commit when two of them reset the WAL at once. All others are opened
// read-only.

import CSQLite
import Causality
import Node

/// An open database. Not for two threads at once: its owner (the node's thread, or the holder of a reader's
/// lock) changes hands as a whole, which is what `@unchecked Sendable` stands for here.
final class Connection: @unchecked Sendable {
    enum Mode {
        case writer
        case reader
        /// Reads the whole database into a backup.
        case copier
        /// The backup itself, before anybody else knows it.
        case copy
    }

    let path: String
    private let handle: OpaquePointer
    /// By `Query.id`.
    private var statements: [UInt: Statement] = [:]
    /// Numbers of spaces, as the open transaction has shown them: of the writer until a space is removed or a
    /// transaction rolled back, of a reader as long as its snapshot.
    var numbers: [SpaceID: Int64] = [:]
    /// Which blocks of a space are its bases, as long as `numbers`; by the number of the space.
    var layouts: [Int64: BlockLayout] = [:]
    /// The row of the block that was read last.
    var lastBlockRead: Int64?
    /// Blocks that are kept in memory: of the writer what the open transaction changed and has not written.
    var blocks = OpenBlocks()
    /// Frames in the WAL after the last commit, written by SQLite's hook. Lives as long as the connection.
    private let walFrames: UnsafeMutablePointer<Int32>

    /// Once, before the first connection of the process; later it is refused, which changes nothing.
    private static let isConfigured: Bool = repl_sqlite3_no_memory_statistics() == SQLITE_OK

    /// The file must exist.
    init(_ path: String, _ mode: Mode) throws(StoreFailure) {
        _ = Self.isConfigured
        let flags =
            (mode == .writer || mode == .copy ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            let failure = StoreFailure.sqlite(status, opened, doing: "opening the database", path: path)
            sqlite3_close_v2(opened)
            throw failure
        }
        self.path = path
        handle = opened
        walFrames = .allocate(capacity: 1)
        walFrames.initialize(to: 0)
        sqlite3_busy_timeout(handle, StoreLimits.busyMilliseconds)
        switch mode {
        case .writer:
            try execute(Schema.writerPragmas)
            // In place of SQLite's own checkpoint after a commit, which ignores failed syncs.
            sqlite3_wal_hook(
                handle,
                { context, _, _, frames in
                    context?.assumingMemoryBound(to: Int32.self).pointee = frames
                    return SQLITE_OK
                }, walFrames)
        case .reader:
            _ = repl_sqlite3_never_checkpoint_on_close(handle)
            try execute(Schema.readerPragmas)
        case .copier:
            _ = repl_sqlite3_never_checkpoint_on_close(handle)
        case .copy:
            try execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;")
        }
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
        walFrames.deallocate()
    }

    /// A space that is removed or rolled back may get another number; a reader gets another snapshot. What is
    /// open and not written is gone.
    func forget() { (numbers, layouts, blocks, lastBlockRead) = ([:], [:], OpenBlocks(), nil) }

    subscript(query: Query) -> Statement {
        get throws(StoreFailure) {
            if let statement = statements[query.id] { return statement }
            let statement = try Statement("\(query.sql)", database: handle, path: path)
            statements[query.id] = statement
            return statement
        }
    }

    /// For what is run once: pragmas, migrations. May hold several statements.
    func execute(_ sql: String) throws(StoreFailure) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw .sqlite(status, handle, doing: "'\(sql.prefix(80))'", path: path) }
    }

    /// For what is run once and has values.
    func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) {
        try Statement(sql, database: handle, path: path).run(values)
    }

    /// For what is asked once.
    func first<Result>(
        _ sql: String, _ body: (borrowing Row) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result? {
        try Statement(sql, database: handle, path: path).first([], body)
    }

    /// Rows that the last statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// False between BEGIN and its end, whoever ended it: SQLite rolls back by itself after some failures.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Writes the WAL of the last process into the database and empties it, before anything is answered from
    /// it. When a sync of the WAL failed, its pages may be in the kernel's cache only, marked as clean: they
    /// read well, and what is appended behind them would be lost with them. In the database they are written
    /// anew and synced. On a disk without room this waits for the first checkpoint.
    func settleWAL() throws(StoreFailure) {
        let status = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard status != SQLITE_OK else { return }
        let failure = StoreFailure.sqlite(
            status, handle, doing: "moving the WAL into the database", path: path)
        if case .syncFailed = failure { throw failure }
    }

    /// The same between two commits, without waiting: what a reader still needs stays in the WAL.
    func emptyWAL() throws(StoreFailure) {
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, StoreLimits.busyMilliseconds) }
        try settleWAL()
        walFrames.pointee = 0
    }

    /// Moves what no reader needs any more from the WAL into the database, once the WAL is long enough to be
    /// worth it. Never waits. A failed sync here is as fatal as in a commit: the kernel may have dropped the
    /// pages. Other failures leave everything in the WAL, where it is safe, and the next commit tries again.
    func checkpoint(whenFramesExceed limit: Int32) throws(StoreFailure) {
        guard walFrames.pointee > limit else { return }
        let status = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard status != SQLITE_OK else { return }
        let failure = StoreFailure.sqlite(
            status, handle, doing: "moving the WAL into the database", path: path)
        if case .syncFailed = failure { throw failure }
    }

    var walFrameCount: Int32 { walFrames.pointee }
}

// A snapshot of the database for reads beside the node: the state of the last commit, whatever is committed
// later.

public import Node
import Synchronization

/// Reads over one committed state, on any thread, one at a time. Let go of it soon: it holds the WAL.
public final class SQLiteReader: SQLiteReads, Sendable {
    /// Nil when the snapshot was ended because it held the WAL for too long.
    private let open: Mutex<SQLiteTables?>
    private let pool: ReaderPool

    init(_ connection: Connection, from pool: ReaderPool) {
        open = Mutex(SQLiteTables(connection: connection))
        self.pool = pool
    }

    deinit {
        if let tables = open.withLock({ $0 }) { pool.takeBack(tables.connection) }
    }

    /// Ends the snapshot; false when a read is under way.
    func expire() -> Bool {
        open.withLockIfAvailable { tables in
            if let connection = tables.take()?.connection { pool.takeBack(connection) }
            return true
        } ?? false
    }

    /// Throws `readerExpired` when the snapshot was ended.
    public func read<Result: Sendable>(
        _ body: (SQLiteTables) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try open.withLock { tables throws(StoreFailure) in
            guard let tables else {
                throw .readerExpired
            }
            return try body(tables)
        }
    }
}

// The tables, as numbered steps. A step that has been released is never edited: a change of the schema is a
// new step at the end, and a database of any age walks through those it lacks, in one transaction, at start.

import Node

/// Steps of the schema, and the pragmas of each kind of connection.
enum Schema {
    /// "RPLD" in the file's header: what has another number is not ours to open.
    static let applicationID: Int64 = 0x5250_4C44

    /// The first takes effect on an empty database only, and before anything else is written to it.
    static let writerPragmas = """
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = \(StoreLimits.walFileBytesKept);
        PRAGMA cache_size = -\(StoreLimits.writerCacheKiB);
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = FAST;
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        """

    static let readerPragmas = """
        PRAGMA query_only = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA cache_size = -\(StoreLimits.readerCacheKiB);
        PRAGMA trusted_schema = OFF;
        """

    static let steps = [step1, step2, step3, step4, step5, step6, step7]

    /// Tables whose rows name a space, and those whose rows name a log of one: a space that is removed takes
    /// them along. Runs carry their space in their number.
    static let tablesOfSpaces = [
        "roster", "touched", "documents", "snapshots", "idempotency", "forks", "skipped", "indexes",
        "entries", "indexed", "blocks", "large_snapshots", "pages", "logs",
    ]
    static let tablesOfLogs = ["boundaries", "seals"]

    /// Brings the database to the newest version; refuses one that is newer than that or not a node's.
    static func migrate(_ connection: Connection) throws(StoreFailure) {
        let application = try pragma("application_id", of: connection)
        let version = try pragma("user_version", of: connection)
        let isEmpty = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } == 0
        guard application == applicationID || isEmpty else {
            throw .unusable(.file(path: connection.path, .foreign(applicationID: application)))
        }
        guard version <= Int64(steps.count) else {
            throw .unusable(.file(path: connection.path, .newerSchema(version, known: steps.count)))
        }
        guard version < Int64(steps.count) else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreFailure) {
            for step in steps[Int(version)...] { try connection.execute(step) }
            if version < 7 { try moveToBlocks(connection) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(steps.count)")
            try connection.execute("COMMIT")
        } catch {
            if !connection.isOutsideTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// An integer pragma; 0 when it says nothing.
    static func pragma(_ name: String, of connection: Connection) throws(StoreFailure) -> Int64 {
        try connection.first("PRAGMA \(name)") { $0.integer(0) } ?? 0
    }
}

// The first schema. What shaped it:
//
//   - Spaces and logs have small numbers, so that the rows of changes do not repeat 32 and 16 bytes.
//   - Keys are blobs: compared byte by byte, as everywhere in repld.
//   - WITHOUT ROWID where rows are small and read in key order. Runs, snapshots and roster operations are
//     large, so they lie in rowid tables with small indexes beside them.
//   - A change has no row of its own in commit order: `layout` says how many sequences each change of a run
//     takes, so a catch-up of 4,000 changes in a run is one row here. Only (document, position) costs a row a
//     change.
//   - Counts that would be scans are kept: `spaces.documents`, `logs.last`.

extension Schema {
    static let step1 = """
        -- Small values of the node by name.
        CREATE TABLE meta(
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) WITHOUT ROWID;

        -- One row: whose database this is, and how it knows the directory that it lives in (`Continuity`).
        CREATE TABLE identity(
            row INTEGER PRIMARY KEY CHECK (row = 1),
            device BLOB,             -- public key
            seed BLOB,               -- of the device key; in backups only
            origin TEXT,             -- in backups only: how this copy came to be
            token BLOB,              -- of STATE/instance; NULL before the first start is through
            inode INTEGER,           -- of STATE/instance
            changed INTEGER,         -- its ctime, nanoseconds
            next_token BLOB,         -- what is being written to STATE/instance …
            next_inode INTEGER       -- … and the inode that it will have
        );
        INSERT INTO identity(row) VALUES (1);

        CREATE TABLE spaces(
            number INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used twice
            id BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            keys BLOB NOT NULL,
            incarnation INTEGER,                        -- unsigned, by bit pattern
            position INTEGER NOT NULL,
            documents INTEGER NOT NULL DEFAULT 0        -- visible ones
        );

        CREATE TABLE roster(
            number INTEGER PRIMARY KEY,                 -- ascending in the order they were added
            space INTEGER NOT NULL,
            bytes BLOB NOT NULL
        );
        CREATE INDEX roster_by_space ON roster(space);

        CREATE TABLE logs(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            space INTEGER NOT NULL,
            replica BLOB NOT NULL,
            last INTEGER NOT NULL DEFAULT 0,            -- of the last run; 0: none yet
            UNIQUE (space, replica)
        );

        CREATE TABLE runs(
            number INTEGER PRIMARY KEY,                 -- ascending; STATE/high-water repeats the last
            log INTEGER NOT NULL,
            space INTEGER NOT NULL,
            position INTEGER NOT NULL,                  -- of the first change
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            changes INTEGER NOT NULL,
            layout BLOB NOT NULL,                       -- length and status of each change, varints
            bytes BLOB NOT NULL
        );
        CREATE UNIQUE INDEX runs_by_log ON runs(log, first);
        CREATE UNIQUE INDEX runs_by_position ON runs(space, position);

        CREATE TABLE touched(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            position INTEGER NOT NULL,
            log INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            status INTEGER NOT NULL,                    -- 0 executed, 1 void, 2 skipped
            PRIMARY KEY (space, key, position)
        ) WITHOUT ROWID;

        CREATE TABLE boundaries(
            log INTEGER NOT NULL,
            last INTEGER NOT NULL,
            state BLOB NOT NULL,
            PRIMARY KEY (log, last)
        ) WITHOUT ROWID;

        CREATE TABLE seals(
            log INTEGER NOT NULL,
            last INTEGER NOT NULL,
            chain BLOB NOT NULL,
            signature BLOB NOT NULL,
            boundary INTEGER NOT NULL,                  -- 1: kept for ever
            PRIMARY KEY (log, last)
        ) WITHOUT ROWID;

        CREATE TABLE documents(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            visible INTEGER NOT NULL,
            position INTEGER NOT NULL,
            frontier BLOB NOT NULL,                     -- dots, 24 bytes each
            PRIMARY KEY (space, key)
        ) WITHOUT ROWID;

        CREATE TABLE snapshots(
            number INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            position INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            UNIQUE (space, key)
        );

        CREATE TABLE idempotency(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            body BLOB NOT NULL,
            change BLOB,                                -- a dot, 24 bytes; NULL: nothing changed
            version TEXT NOT NULL,
            expires INTEGER NOT NULL,
            PRIMARY KEY (space, key)
        ) WITHOUT ROWID;
        CREATE INDEX idempotency_by_expiry ON idempotency(expires);
        """
}

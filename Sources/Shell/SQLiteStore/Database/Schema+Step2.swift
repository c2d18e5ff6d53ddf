// The second schema: forks, and changes that are skipped. Both are few, or none.

extension Schema {
    static let step2 = """
        CREATE TABLE forks(
            number INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            replica BLOB NOT NULL,
            first INTEGER NOT NULL,                     -- the log is closed there
            since INTEGER NOT NULL,                     -- wall milliseconds
            proof BLOB NOT NULL,
            UNIQUE (space, replica)
        );

        CREATE TABLE skipped(
            space INTEGER NOT NULL,
            position INTEGER NOT NULL,
            log INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            reason INTEGER NOT NULL,                    -- 0 of a newer version, 1 quarantined
            since INTEGER NOT NULL,                     -- wall milliseconds
            PRIMARY KEY (space, position)
        ) WITHOUT ROWID;

        INSERT INTO skipped SELECT DISTINCT space, position, log, first, last, 0, 0 FROM touched
        WHERE status = 2;
        """
}

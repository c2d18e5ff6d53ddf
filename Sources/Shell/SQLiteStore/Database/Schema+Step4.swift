// The fourth schema: indexes that are declared on this node. Three tables that are empty, and that no write
// touches, until somebody declares one. Entries are keyed by space and index number together, so that all of
// an index, and all of a space, lies in one place.

extension Schema {
    static let step4 = """
        CREATE TABLE indexes(
            space INTEGER NOT NULL,
            number INTEGER NOT NULL,
            name TEXT NOT NULL,
            definition BLOB NOT NULL,                   -- path and prefix
            stage INTEGER NOT NULL,                     -- 0 building, 1 ready, 2 being dropped
            built BLOB,                                 -- while building: the last document that was read
            documents INTEGER NOT NULL,                 -- that have an entry
            cut INTEGER NOT NULL,                       -- entries whose value is cut off
            PRIMARY KEY (space, number)
        ) WITHOUT ROWID;

        CREATE TABLE entries(
            space INTEGER NOT NULL,
            number INTEGER NOT NULL,                    -- of the index
            value BLOB NOT NULL,
            key BLOB NOT NULL,
            PRIMARY KEY (space, number, value, key)
        ) WITHOUT ROWID;

        CREATE TABLE indexed(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            number INTEGER NOT NULL,                    -- of the index
            value BLOB NOT NULL,                        -- in its entry
            PRIMARY KEY (space, key, number)
        ) WITHOUT ROWID;
        """
}

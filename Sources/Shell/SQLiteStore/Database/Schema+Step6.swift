// The sixth schema: logs can be cut, and documents have bases.
//
//   - A base is one row, and the only one of a document that equals it: listings merge `documents` with
//     `bases`. Small snapshots lie in the row, where a walk in key order finds them; larger ones apart, so
//     that a listing need not walk over them (decision 0187).
//   - Runs go when a log is cut. What followed from a space's last run is kept beside the space when that one
//     goes: no position is used twice.
//   - A run names the documents of its changes, so that their rows in `touched` are found when it goes, and
//     what changed after a position. Runs of before do not; the rows of theirs have an index of their own,
//     which gets no row more (decision 0188).

extension Schema {
    static let step6 = """
        ALTER TABLE logs ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;         -- it is read from there; 0: whole
        ALTER TABLE spaces ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;     -- last position of runs that went
        ALTER TABLE spaces ADD COLUMN bases INTEGER NOT NULL DEFAULT 0;     -- how many
        ALTER TABLE spaces ADD COLUMN base_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE spaces ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;     -- the standing set of them
        ALTER TABLE runs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;        -- bytes of all; as `documents`
        ALTER TABLE runs ADD COLUMN keys BLOB;                              -- of each change; NULL: see below
        UPDATE runs SET kept = (
                SELECT sum(length(every.bytes)) FROM runs AS every
                WHERE every.number BETWEEN runs.number >> 40 << 40 AND runs.number
            )
            WHERE number IN (
                SELECT (SELECT max(number) FROM runs
                    WHERE number BETWEEN spaces.number << 40 AND (spaces.number + 1 << 40) - 1)
                FROM spaces
            );

        ALTER TABLE touched ADD COLUMN old INTEGER NOT NULL DEFAULT 1;      -- its run does not name it
        CREATE INDEX touched_of_old ON touched(space, position) WHERE old = 1;

        CREATE TABLE bases(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            visible INTEGER NOT NULL,
            position INTEGER NOT NULL,
            frontier BLOB NOT NULL,                     -- dots, 24 bytes each
            bytes BLOB NOT NULL,                        -- an integer names a row of large_bases
            PRIMARY KEY (space, key)
        ) WITHOUT ROWID;

        CREATE TABLE large_bases(
            number INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL
        );

        CREATE TABLE candidates(
            space INTEGER NOT NULL,
            key BLOB NOT NULL,
            visible INTEGER NOT NULL,
            frontier BLOB NOT NULL,
            bytes BLOB,                                 -- NULL: no document any more
            PRIMARY KEY (space, key)
        ) WITHOUT ROWID;

        CREATE TABLE pages(
            space INTEGER NOT NULL,
            number INTEGER NOT NULL,                    -- of the set; the candidate's is spaces.pages + 1
            last BLOB NOT NULL,
            hash BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            documents INTEGER NOT NULL,
            PRIMARY KEY (space, number, last)
        ) WITHOUT ROWID;
        """
}

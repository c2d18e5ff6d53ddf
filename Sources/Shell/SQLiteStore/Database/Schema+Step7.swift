// The seventh schema: documents of a base, and of the next one, lie in blocks (`DocumentBlock`) instead of a
// row each. What was there is moved, in the transaction that brings the schema up to date.

import Bytes
import Causality
import Node

extension Schema {
    static let step7 = """
        CREATE TABLE blocks(
            number INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            generation INTEGER NOT NULL,                -- spaces.base_generation: bases; 1 more: candidates
            first BLOB NOT NULL,                        -- key
            last BLOB NOT NULL,
            position INTEGER NOT NULL,                  -- of entries without one; -1: the space's
            documents INTEGER NOT NULL,
            visible INTEGER NOT NULL,
            bytes INTEGER NOT NULL,                     -- as spaces.base_bytes counts them
            absent INTEGER NOT NULL,                    -- candidates that the next base does not hold
            content BLOB NOT NULL
        );
        -- With all that is asked of many blocks at once.
        CREATE INDEX blocks_in_order
            ON blocks(space, generation, last, first, documents, visible, bytes, absent);
        ALTER TABLE spaces ADD COLUMN base_generation INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE spaces ADD COLUMN base_position INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE large_snapshots(
            number INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            bytes BLOB NOT NULL
        );
        INSERT INTO large_snapshots SELECT large_bases.number, bases.space, large_bases.bytes
            FROM bases JOIN large_bases ON large_bases.number = bases.bytes
            WHERE typeof(bases.bytes) = 'integer';
        """

    /// After `step7`: the rows of the release before become blocks.
    static func moveToBlocks(_ connection: Connection) throws(StoreFailure) {
        for kind in [BlockKind.bases, .candidates] { try move(kind, connection) }
        try connection.execute("DROP TABLE bases; DROP TABLE large_bases; DROP TABLE candidates;")
    }

    private static func move(_ kind: BlockKind, _ connection: Connection) throws(StoreFailure) {
        let (tables, path) = (SQLiteTables(connection: connection), connection.path)
        var packer: BlockPacker?
        try connection[kind == .bases ? .rowsOfBases : .rowsOfCandidates].forEach([]) {
            row throws(StoreFailure) in
            let space = row.integer(0)
            if packer?.space != space {
                try packer?.finish(in: tables)
                packer = BlockPacker(kind: kind, space: space)
            }
            let content: BlockEntry.Content
            if !row.isNull(6) {
                content = .apart(row: row.integer(6), bytes: Int(row.integer(7)))
            } else if row.isNull(5) {
                content = .absent
            } else {
                content = try tables.content(row.blob(5), of: space)
            }
            let entry = BlockEntry(
                key: try StoredForms.key(row.blob(1), in: path), isVisible: row.integer(2) != 0,
                position: CommitPosition(UInt64(row.integer(3))),
                frontier: try StoredForms.dots(row.blob(4), in: path), content: content)
            try packer?.add(entry, to: tables)
            return true
        }
        try packer?.finish(in: tables)
    }
}

extension Query {
    static let rowsOfBases = Query(
        """
        SELECT space, key, visible, position, frontier,
        CASE typeof(bytes) WHEN 'integer' THEN NULL ELSE bytes END,
        CASE typeof(bytes) WHEN 'integer' THEN bytes END,
        CASE typeof(bytes) WHEN 'integer' THEN
        (SELECT length(bytes) FROM large_bases WHERE number = bases.bytes) END
        FROM bases ORDER BY space, key
        """)
    static let rowsOfCandidates = Query(
        """
        SELECT space, key, visible, 0, frontier, bytes, NULL, NULL FROM candidates ORDER BY space, key
        """)
}

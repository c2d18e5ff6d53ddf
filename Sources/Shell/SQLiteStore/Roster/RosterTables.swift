// Spaces and their roster operations in SQLite. A space has a number, under which all its rows lie.

import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func spaces() throws(StoreFailure) -> [SpaceRecord] {
        try read { tables throws(StoreFailure) in
            try tables.connection[.spaces].all([]) { row throws(StoreFailure) in
                // Where the record was written last, or the last change since.
                let written = CommitPosition(UInt64(row.integer(4)))
                let last = try tables.lastPosition(row.integer(5))
                return SpaceRecord(
                    id: SpaceID(raw: try StoredForms.bytes32(row.blob(0), in: tables.path)),
                    name: row.text(1),
                    keys: row.blob(2), incarnation: row.isNull(3) ? nil : UInt64(bitPattern: row.integer(3)),
                    position: max(written, last))
            }
        }
    }

    public func readRoster(
        _ space: SpaceID, _ body: ([UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return }
            try tables.connection[.roster].forEach([.integer(number)]) { row throws(StoreFailure) in
                try body(row.blob(0))
                return true
            }
        }
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceRecord) throws(StoreFailure) {
        try writing()
        let incarnation = space.incarnation.map { SQLValue.integer(Int64(bitPattern: $0)) }
        try writer[.putSpace].run([
            .blob(space.id.raw.bytes), .text(space.name), .blob(space.keys), incarnation ?? .null,
            .integer(Int64(space.position.value)),
        ])
    }

    public mutating func remove(_ space: SpaceID) throws(StoreFailure) {
        try writing()
        guard let number = try tables.number(of: space) else { return }
        // What counts as held never becomes less, or an older database could pass for this one.
        var removed = ByteWriter()
        removed.u64(try tables.removedPositions() + figures(of: number).lastPosition.value)
        try setMeta(SQLiteTables.removedPositionsName, removed.bytes)
        let ofLogs = Schema.tablesOfLogs.map {
            "DELETE FROM \($0) WHERE log IN (SELECT number FROM logs WHERE space = ?)"
        }
        let ofSpace = Schema.tablesOfSpaces.map {
            "DELETE FROM \($0) WHERE space = ?"
        }
        for kind in [BlockKind.bases, .candidates] { try tables.close(kind) }
        for sql in ofLogs + ofSpace + ["DELETE FROM spaces WHERE number = ?"] {
            try writer.run(sql, [.integer(number)])
        }
        let (low, high) = RunNumber.bounds(of: number)
        try writer.run("DELETE FROM runs WHERE number BETWEEN ? AND ?", [low, high])
        // Numbers are never used twice, but those of this space must not be found any more.
        known.spaces[space] = nil
        known.figures[number] = nil
        known.logs = known.logs.filter { $0.key.space != number }
        writer.forget()
    }

    public mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure) {
        try writer[.addRoster].run([.integer(try number(of: space)), .blob(bytes)])
    }
}

extension Query {
    static let spaces = Query("SELECT id, name, keys, incarnation, position, number FROM spaces ORDER BY id")
    static let putSpace = Query(
        """
        INSERT INTO spaces(id, name, keys, incarnation, position) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(id) DO UPDATE SET name = excluded.name, keys = excluded.keys,
        incarnation = excluded.incarnation, position = excluded.position
        """)
    static let roster = Query("SELECT bytes FROM roster WHERE space = ? ORDER BY number")
    static let addRoster = Query("INSERT INTO roster(space, bytes) VALUES (?, ?)")
}

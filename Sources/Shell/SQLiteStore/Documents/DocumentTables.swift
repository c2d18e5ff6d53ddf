// Documents in SQLite: what listings need, snapshots, and which changes touched each. How many are visible
// stands beside the last run (`SQLiteStore.figures`).

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.document].first([.integer(number), .blob(key)]) {
                row throws(StoreFailure) in
                DocumentRecord(
                    key: key, isVisible: row.integer(0) != 0,
                    frontier: try StoredForms.dots(row.blob(2), in: tables.path),
                    position: CommitPosition(UInt64(row.integer(1))))
            }
        }
    }

    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        // The least key after `after` has a zero byte more.
        var lower = Array(prefix.utf8)
        if let after, after >= prefix { lower = Array(after.utf8) + [0] }
        return try documents(space, .documents, from: lower, to: prefix.utf8End, limit: limit)
    }

    public func documents(_ space: SpaceID, prefix: Key, before: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        var upper = prefix.utf8End
        if let before, before < prefix || before.hasPrefix(prefix) { upper = Array(before.utf8) }
        return try documents(space, .documentsBefore, from: Array(prefix.utf8), to: upper, limit: limit)
    }

    /// One lower and one upper bound, both exact, so that a page is a seek and a walk.
    private func documents(
        _ space: SpaceID, _ query: Query, from lower: [UInt8], to upper: [UInt8], limit: Int
    ) throws(StoreFailure) -> [DocumentRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let values: [SQLValue] = [.integer(number), .blob(lower), .blob(upper), .integer(limit)]
            return try tables.connection[query].all(values) { row throws(StoreFailure) in
                DocumentRecord(
                    key: try StoredForms.key(row.blob(0), in: tables.path), isVisible: true,
                    frontier: try StoredForms.dots(row.blob(2), in: tables.path),
                    position: CommitPosition(UInt64(row.integer(1))))
            }
        }
    }

    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return 0 }
            return try tables.documentCount(number)
        }
    }

    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.snapshot].first([.integer(number), .blob(key)]) { row in
                SnapshotRecord(position: CommitPosition(UInt64(row.integer(0))), bytes: row.blob(1))
            }
        }
    }

    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let values: [SQLValue] = [
                .integer(number), .blob(document), .integer(Int64(position.value)), .integer(limit),
            ]
            return try tables.connection[.commitsTouching].all(values) { row throws(StoreFailure) in
                CommitRecord(
                    position: CommitPosition(UInt64(row.integer(0))),
                    replica: try StoredForms.replica(row.blob(1), in: tables.path),
                    first: SequenceNumber(UInt64(row.integer(2))),
                    last: SequenceNumber(UInt64(row.integer(3))),
                    status: try StoredForms.status(row.integer(4), in: tables.path))
            }
        }
    }
}

extension Key {
    /// The least bytes after all keys with this prefix: its last byte is one greater. 0xFF is in no UTF-8.
    fileprivate var utf8End: [UInt8] {
        var bytes = Array(utf8)
        guard let last = bytes.popLast() else { return [0xFF] }
        return bytes + [last + 1]
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool)
        throws(StoreFailure)
    {
        let number = try number(of: space)
        try writer[.putDocument].run([
            .integer(number), .blob(document.key), .integer(document.isVisible ? 1 : 0),
            .integer(Int64(document.position.value)), .blob(StoredForms.encode(document.frontier)),
        ])
        if wasVisible != document.isVisible {
            var figures = try figures(of: number)
            figures.documents += document.isVisible ? 1 : -1
            known.figures[number] = figures
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure) {
        try writer[.putSnapshot].run([
            .integer(try number(of: space)), .blob(key), .integer(Int64(snapshot.position.value)),
            .blob(snapshot.bytes),
        ])
    }
}

extension Query {
    static let document = Query(
        "SELECT visible, position, frontier FROM documents WHERE space = ? AND key = ?")
    static let documents = Query(
        """
        SELECT key, position, frontier FROM documents WHERE space = ? AND key >= ? AND key < ? AND visible
        ORDER BY key LIMIT ?
        """)
    static let documentsBefore = Query(
        """
        SELECT key, position, frontier FROM documents WHERE space = ? AND key >= ? AND key < ? AND visible
        ORDER BY key DESC LIMIT ?
        """)
    static let putDocument = Query(
        """
        INSERT INTO documents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET visible = excluded.visible,
        position = excluded.position, frontier = excluded.frontier
        """)
    static let snapshot = Query("SELECT position, bytes FROM snapshots WHERE space = ? AND key = ?")
    static let putSnapshot = Query(
        """
        INSERT INTO snapshots(space, key, position, bytes) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET position = excluded.position, bytes = excluded.bytes
        """)
    static let commitsTouching = Query(
        """
        SELECT touched.position, logs.replica, touched.first, touched.last, touched.status FROM touched
        JOIN logs ON logs.number = touched.log WHERE touched.space = ? AND touched.key = ?
        AND touched.position > ? ORDER BY touched.position LIMIT ?
        """)
}

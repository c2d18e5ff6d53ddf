// Documents in SQLite: what listings need, snapshots, and which changes touched each. How many are visible
// stands beside the last run (`SQLiteStore.figures`). A document without a record or a snapshot of its own is
// as its base says.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            let own = try tables.connection[.document].first([.integer(number), .blob(key)]) {
                row throws(StoreFailure) in
                DocumentRecord(
                    key: key, isVisible: row.integer(0) != 0,
                    frontier: try StoredForms.dots(row.blob(2), in: tables.path),
                    position: CommitPosition(UInt64(row.integer(1))))
            }
            if let own { return own }
            return try tables.entry(key, of: .bases, number)?.record
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
            let own = try tables.connection[.snapshot].first([.integer(number), .blob(key)]) { row in
                SnapshotRecord(position: CommitPosition(UInt64(row.integer(0))), bytes: row.blob(1))
            }
            if let own { return own }
            guard let base = try tables.entry(key, of: .bases, number),
                let bytes = try tables.snapshot(of: base)
            else { return nil }
            return SnapshotRecord(position: base.position, bytes: bytes)
        }
    }

    public func touchedKeys(_ space: SpaceID, after: Key?, since position: CommitPosition, limit: Int)
        throws(StoreFailure) -> TouchedKeys
    {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return TouchedKeys(keys: [], next: nil) }
            let from = StoredForms.least(after: after)
            let values: [SQLValue] = [.integer(number), .blob(from), .integer(limit)]
            var (found, last, looked) = ([Key](), [UInt8](), 0)
            try tables.connection[.positions].forEach(values) { row throws(StoreFailure) in
                looked += 1
                if looked == limit { last = row.blob(0) }
                if UInt64(row.integer(1)) > position.value {
                    found.append(try StoredForms.key(row.blob(0), in: tables.path))
                }
                return true
            }
            return TouchedKeys(
                keys: found, next: looked < limit ? nil : try StoredForms.key(last, in: tables.path))
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

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool)
        throws(StoreFailure)
    {
        let number = try number(of: space)
        try writer[.putDocument].run([
            .integer(number), .blob(document.key), .integer(document.isVisible ? 1 : 0),
            .integer(Int64(document.position.value)), .blob(StoredForms.encode(document.frontier)),
        ])
        known.figures[number]?.hasRecords = true
        try countVisible(document.isVisible, before: wasVisible, in: number)
    }

    /// Keeps the count of visible documents right.
    mutating func countVisible(_ isVisible: Bool, before wasVisible: Bool, in space: Int64)
        throws(StoreFailure)
    {
        if isVisible == wasVisible { return }
        var figures = try figures(of: space)
        figures.ofRun.documents += isVisible ? 1 : -1
        known.figures[space] = figures
    }

    public mutating func removeRecord(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        let number = try number(of: space)
        guard let base = try tables.entry(key, of: .bases, number) else {
            preconditionFailure("\(key) has no base to be as")
        }
        guard let wasVisible = try isOwnVisible(number, key) else { return }
        try writer[.removeDocument].run([.integer(number), .blob(key)])
        try countVisible(base.isVisible, before: wasVisible, in: number)
    }

    public mutating func removeSnapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        try writer[.removeSnapshot].run([.integer(try number(of: space)), .blob(key)])
    }

    public mutating func removeDocument(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        let number = try number(of: space)
        let base = try takeBase(number, key)
        let isVisible = try isOwnVisible(number, key) ?? base?.isVisible ?? false
        precondition(!isVisible, "\(key) is visible and cannot go")
        for query in [Query.removeDocument, .removeSnapshot, .untouch] {
            try writer[query].run([.integer(number), .blob(key)])
        }
    }

    /// Whether a document is visible by its own record; nil: it has none.
    func isOwnVisible(_ space: Int64, _ key: Key) throws(StoreFailure) -> Bool? {
        try writer[.ownVisible].first([.integer(space), .blob(key)]) { $0.integer(0) != 0 }
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
    static let putDocument = Query(
        """
        INSERT INTO documents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET visible = excluded.visible,
        position = excluded.position, frontier = excluded.frontier
        """)
    static let ownVisible = Query("SELECT visible FROM documents WHERE space = ? AND key = ?")
    static let positions = Query(
        "SELECT key, position FROM documents WHERE space = ? AND key >= ? ORDER BY key LIMIT ?")
    static let removeDocument = Query("DELETE FROM documents WHERE space = ? AND key = ?")
    static let removeSnapshot = Query("DELETE FROM snapshots WHERE space = ? AND key = ?")
    static let untouch = Query("DELETE FROM touched WHERE space = ? AND key = ?")
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

// Remembered answers in SQLite.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.idempotency].first([.integer(number), .blob(key)]) {
                row throws(StoreFailure) in
                IdempotencyRecord(
                    bodyHash: try StoredForms.bytes32(row.blob(0), in: tables.path),
                    change: row.isNull(1) ? nil : try StoredForms.dots(row.blob(1), in: tables.path).first,
                    version: row.text(2), expires: UInt64(row.integer(3)))
            }
        }
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure) {
        try writer[.putIdempotency].run([
            .integer(try number(of: space)), .blob(key), .blob(record.bodyHash.bytes),
            record.change.map { .blob(StoredForms.encode([$0])) } ?? .null, .text(record.version),
            .integer(Int64(clamping: record.expires)),
        ])
    }

    public mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure) {
        try writing()
        if moved != 0 { try writer[.moveIdempotency].run([.integer(moved)]) }
        try writer[.expireIdempotency].run([.integer(Int64(clamping: wall))])
    }
}

extension Query {
    static let idempotency = Query(
        "SELECT body, change, version, expires FROM idempotency WHERE space = ? AND key = ?")
    static let putIdempotency = Query(
        """
        INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body,
        change = excluded.change, version = excluded.version, expires = excluded.expires
        """)
    static let moveIdempotency = Query("UPDATE idempotency SET expires = max(0, expires + ?)")
    static let expireIdempotency = Query("DELETE FROM idempotency WHERE expires < ?")
}

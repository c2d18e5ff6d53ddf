// Small values by name in SQLite: what is written whole and too small for a table of its own.

public import Node

extension SQLiteReads {
    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? {
        try read { tables throws(StoreFailure) in try tables.meta(name) }
    }
}

extension SQLiteStore {
    public mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure) {
        try writing()
        if let value {
            try writer[.putMeta].run([.text(name), .blob(value)])
        } else {
            try writer[.removeMeta].run([.text(name)])
        }
    }
}

extension Query {
    static let meta = Query("SELECT value FROM meta WHERE name = ?")
    static let putMeta = Query(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    static let removeMeta = Query("DELETE FROM meta WHERE name = ?")
}

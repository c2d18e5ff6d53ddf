// Small values by name in SQLite: what is written whole and too small for a table of its own.

public import Node

extension SQLiteReads {
    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? {
        try read { tables throws(StoreFailure) in try tables.meta(name) }
    }

    public func metaNames(beginningWith prefix: String) throws(StoreFailure) -> [String] {
        try read { tables throws(StoreFailure) in
            // Names are compared by their bytes; behind the last ASCII character nothing has the prefix.
            try tables.connection[.metaNames].all([.text(prefix), .text(prefix + "\u{7F}")]) { $0.text(0) }
        }
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
    static let metaNames = Query("SELECT name FROM meta WHERE name >= ? AND name < ? ORDER BY name")
    static let putMeta = Query(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    static let removeMeta = Query("DELETE FROM meta WHERE name = ?")
}

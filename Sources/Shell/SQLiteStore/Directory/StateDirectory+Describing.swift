// The shape of the database in words, for whoever helps: no row of it.

import Node

extension StateDirectory {
    /// Versions, sizes and tables, a line each; read on a connection of its own.
    public static func describeDatabase(in state: String) throws(StateFailure) -> String {
        do throws(StoreFailure) {
            let connection = try Connection("\(state)/repld.db", .reader)
            var text = try connection.first("SELECT sqlite_version()") { "SQLite \($0.text(0))\n" } ?? ""
            for name in [
                "user_version", "application_id", "page_size", "page_count", "freelist_count", "auto_vacuum",
            ] {
                text += "\(name) \(try Schema.pragma(name, of: connection))\n"
            }
            text += "newest schema known: \(Schema.steps.count)\n"
            try connection[.tables].forEach([]) { (row) throws(StoreFailure) in
                text += "table \(row.text(0))\n"
                return true
            }
            return text
        } catch {
            throw .store(error)
        }
    }
}

extension Query {
    fileprivate static let tables = Query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
}

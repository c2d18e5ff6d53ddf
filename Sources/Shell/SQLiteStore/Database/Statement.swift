// A prepared statement. Prepared once a kind and connection, because preparing costs more than running it.

import Bytes
import CSQLite
import Node

/// A value that goes into a statement.
enum SQLValue {
    case integer(Int64)
    case blob([UInt8])
    case text(String)
    case null

    /// A key's bytes, without a copy of them.
    case key(Key)

    static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    static func blob(_ key: Key) -> SQLValue { .key(key) }
}

/// One statement of one connection; used by one thread at a time, like its connection.
final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let path: String
    private let sql: String

    init(_ sql: String, database: OpaquePointer, path: String) throws(StoreFailure) {
        var handle: OpaquePointer?
        let status = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard status == SQLITE_OK, let handle else {
            throw .sqlite(status, database, doing: "preparing '\(sql)'", path: path)
        }
        (self.handle, self.database, self.path, self.sql) = (handle, database, path, sql)
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs a statement that gives no rows.
    func run(_ values: [SQLValue]) throws(StoreFailure) {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() {}
    }

    /// Calls `body` for each row until it returns false.
    func forEach(
        _ values: [SQLValue], _ body: (borrowing Row) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() {
            if try !body(Row(statement: handle)) { return }
        }
    }

    /// The first row; nil without one.
    func first<Result>(
        _ values: [SQLValue], _ body: (borrowing Row) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        try bind(values)
        return try step() ? try body(Row(statement: handle)) : nil
    }

    /// Every row, in the order that the statement gives them.
    func all<Result>(
        _ values: [SQLValue], _ body: (borrowing Row) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> [Result] {
        var found: [Result] = []
        try forEach(values) { row throws(StoreFailure) in
            found.append(try body(row))
            return true
        }
        return found
    }

    /// Begins a walk that a `Cursor` takes.
    fileprivate func start(_ values: [SQLValue]) throws(StoreFailure) -> OpaquePointer {
        do throws(StoreFailure) { try bind(values) } catch {
            sqlite3_reset(handle)
            throw error
        }
        return handle
    }

    /// True when there is a row.
    fileprivate func step() throws(StoreFailure) -> Bool {
        let status = sqlite3_step(handle)
        switch status {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw .sqlite(status, database, doing: "'\(sql)'", path: path)
        }
    }

    private func bind(_ values: [SQLValue]) throws(StoreFailure) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let status =
                switch value {
                case .integer(let value): sqlite3_bind_int64(handle, place, value)
                case .blob(let bytes): Self.bind(bytes, to: handle, at: place)
                case .key(let key): Self.bind(key, to: handle, at: place)
                case .text(let text): sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), copied)
                case .null: sqlite3_bind_null(handle, place)
                }
            if status != SQLITE_OK {
                throw .sqlite(status, database, doing: "binding value \(place) of '\(sql)'", path: path)
            }
        }
    }

    private static func bind(_ key: Key, to handle: OpaquePointer, at place: Int32) -> Int32 {
        if key.utf8Count == 0 { return sqlite3_bind_zeroblob(handle, place, 0) }
        return key.withUTF8 {
            sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), copied)
        }
    }

    private static func bind(_ bytes: [UInt8], to handle: OpaquePointer, at place: Int32) -> Int32 {
        // An empty array has no address, and a null pointer would be NULL instead of an empty blob.
        if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, place, 0) }
        return sqlite3_bind_blob64(handle, place, bytes, UInt64(bytes.count), copied)
    }
}

/// Rows of a statement one at a time, for a walk over two statements at once. Nobody else runs the statement
/// as long as this lives.
struct Cursor: ~Copyable {
    private let statement: Statement
    private let handle: OpaquePointer
    /// There is a row; false before the first `advance`.
    private(set) var hasRow = false

    init(_ statement: Statement, _ values: [SQLValue]) throws(StoreFailure) {
        self.statement = statement
        handle = try statement.start(values)
    }

    deinit { sqlite3_reset(handle) }

    mutating func advance() throws(StoreFailure) { hasRow = try statement.step() }

    /// Read it only while `hasRow`.
    var row: Row { Row(statement: handle) }
}

/// SQLite copies the value before the call returns.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// The current row of a statement; columns count from 0. Valid inside the closure that it is handed to.
struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func text(_ column: Int32) -> String {
        String(decoding: blob(column), as: UTF8.self)
    }
}

// Listings of documents in key order: a walk over those with a record of their own and over bases at once. In
// SQL it would be a union without the bases that a record hides; but then each page looks for the next base
// that none hides, however far away it is, and where each has a record, as far as the end.
//
//     documents    a      c (hidden)      e          the row with the lesser key is next;
//     bases             b c             d            where both have the key, the record counts
//     listed       a    b               d e

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        let lower = after.map { $0 >= prefix ? StoredForms.least(after: $0) : nil } ?? nil
        return try documents(
            space, from: lower ?? Array(prefix.utf8), to: prefix.utf8End, descending: false, limit: limit)
    }

    public func documents(_ space: SpaceID, prefix: Key, before: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        var upper = prefix.utf8End
        if let before, before < prefix || before.hasPrefix(prefix) { upper = Array(before.utf8) }
        return try documents(space, from: Array(prefix.utf8), to: upper, descending: true, limit: limit)
    }

    /// One lower and one upper bound, both exact, so that a page is a seek and a walk.
    private func documents(
        _ space: SpaceID, from lower: [UInt8], to upper: [UInt8], descending: Bool, limit: Int
    ) throws(StoreFailure) -> [DocumentRecord] {
        try read { tables throws(StoreFailure) in
            guard limit > 0, let number = try tables.number(of: space) else { return [] }
            let range: [SQLValue] = [.integer(number), .blob(lower), .blob(upper)]
            var own = try ListedRows(
                tables.connection[descending ? .recordsBefore : .records], range, in: tables.path)
            var bases = try ListedBases(tables, number, from: lower, to: upper, descending: descending)
            try own.advance()
            try bases.advance()
            var found: [DocumentRecord] = []
            while found.count < limit {
                guard let ownKey = own.key else {
                    guard bases.key != nil else { break }
                    try bases.take(into: &found)
                    continue
                }
                guard let baseKey = bases.key else {
                    try own.take(into: &found)
                    continue
                }
                if ownKey == baseKey {
                    try own.take(into: &found)
                    try bases.advance()
                } else if (ownKey < baseKey) != descending {
                    try own.take(into: &found)
                } else {
                    try bases.take(into: &found)
                }
            }
            return found
        }
    }
}

/// Rows with key, visibility, position and frontier, and the key that is next.
private struct ListedRows: ~Copyable {
    private var cursor: Cursor
    private let path: String
    /// Nil at the end.
    private(set) var key: Key?

    init(_ statement: Statement, _ range: [SQLValue], in path: String) throws(StoreFailure) {
        cursor = try Cursor(statement, range)
        self.path = path
    }

    mutating func advance() throws(StoreFailure) {
        try cursor.advance()
        key = cursor.hasRow ? try StoredForms.key(cursor.row.blob(0), in: path) : nil
    }

    /// Appends the row if it is a visible document, and goes on to the next.
    mutating func take(into found: inout [DocumentRecord]) throws(StoreFailure) {
        if let key, cursor.row.integer(1) != 0 {
            found.append(
                DocumentRecord(
                    key: key, isVisible: true, frontier: try StoredForms.dots(cursor.row.blob(3), in: path),
                    position: CommitPosition(UInt64(cursor.row.integer(2)))))
        }
        try advance()
    }
}

/// Bases within two bounds, and the key that is next.
private struct ListedBases: ~Copyable {
    private var cursor: Cursor
    private let tables: SQLiteTables
    private let space: Int64
    private let lower: [UInt8]
    private let upper: [UInt8]
    private let descending: Bool
    /// Of the current block, in the order in which they are listed.
    private var records: [DocumentRecord] = []
    private var place = 0
    private var isAtEnd = false

    init(
        _ tables: SQLiteTables, _ space: Int64, from lower: [UInt8], to upper: [UInt8], descending: Bool
    ) throws(StoreFailure) {
        try tables.write(.bases)
        let kind = try tables.names(.bases, space)
        var range = kind + [.blob(lower)]
        if descending {
            // The block in which the upper bound lies is the last that may hold what is before it.
            let last = try tables.connection[.lastOfBlock].first(kind + [.blob(upper)]) { $0.blob(0) }
            range.append(.blob(last ?? upper))
        }
        cursor = try Cursor(tables.connection[descending ? .blocksBefore : .blocksAfter], range)
        (self.tables, self.space) = (tables, space)
        (self.lower, self.upper, self.descending) = (lower, upper, descending)
    }

    /// Nil at the end.
    var key: Key? { place < records.count ? records[place].key : nil }

    mutating func advance() throws(StoreFailure) {
        place += 1
        while place >= records.count, !isAtEnd {
            try cursor.advance()
            guard cursor.hasRow else {
                isAtEnd = true
                break
            }
            let position = try tables.position(cursor.row.integer(0), of: .bases, space)
            let all = try DocumentBlock.records(cursor.row.blob(1), at: position, in: tables.path)
            if !descending, let first = all.first, !first.key.isLess(than: upper) { isAtEnd = true }
            let within = all.filter { !$0.key.isLess(than: lower) && $0.key.isLess(than: upper) }
            (records, place) = (descending ? within.reversed() : within, 0)
        }
    }

    /// Appends the base if it is a visible document, and goes on to the next.
    mutating func take(into found: inout [DocumentRecord]) throws(StoreFailure) {
        if place < records.count, records[place].isVisible { found.append(records[place]) }
        try advance()
    }
}

extension Key {
    /// The least bytes after all keys with this prefix: its last byte is one greater. 0xFF is in no UTF-8.
    fileprivate var utf8End: [UInt8] {
        var bytes = Array(utf8)
        guard let last = bytes.popLast() else { return [0xFF] }
        return bytes + [last + 1]
    }

    /// By bytes, which need not be UTF-8.
    fileprivate func isLess(than bytes: [UInt8]) -> Bool { utf8.lexicographicallyPrecedes(bytes) }
}

extension Query {
    static let records = Query(
        """
        SELECT key, visible, position, frontier FROM documents WHERE space = ? AND key >= ? AND key < ?
        ORDER BY key
        """)
    static let recordsBefore = Query(
        """
        SELECT key, visible, position, frontier FROM documents WHERE space = ? AND key >= ? AND key < ?
        ORDER BY key DESC
        """)
    static let blocksAfter = Query(
        """
        SELECT position, content FROM blocks WHERE space = ? AND generation = ? AND last >= ? ORDER BY last
        """)
    static let blocksBefore = Query(
        """
        SELECT position, content FROM blocks WHERE space = ? AND generation = ? AND last BETWEEN ? AND ?
        ORDER BY last DESC
        """)
    static let lastOfBlock = Query(
        "SELECT last FROM blocks WHERE space = ? AND generation = ? AND last >= ? ORDER BY last LIMIT 1")
}

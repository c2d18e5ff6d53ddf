// Bases in SQLite: one row a document, with its snapshot in it unless that is large.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func base(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> BaseRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.base].first([.integer(number), .blob(key)]) {
                row throws(StoreFailure) in try Self.base(row, in: tables.path)
            }
        }
    }

    public func bases(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure) -> [BaseRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let from = StoredForms.least(after: after)
            return try tables.connection[.bases].all([.integer(number), .blob(from), .integer(limit)]) {
                row throws(StoreFailure) in try Self.base(row, in: tables.path)
            }
        }
    }

    private static func base(_ row: borrowing Row, in path: String) throws(StoreFailure) -> BaseRecord {
        BaseRecord(
            key: try StoredForms.key(row.blob(0), in: path), isVisible: row.integer(1) != 0,
            frontier: try StoredForms.dots(row.blob(3), in: path),
            position: CommitPosition(UInt64(row.integer(2))), bytes: row.blob(4))
    }

    public func baseBytes(_ space: SpaceID) throws(StoreFailure) -> (bytes: Int, documents: Int) {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return (0, 0) }
            let figures = try tables.baseFigures(number)
            return (figures.bytes, figures.documents)
        }
    }
}

extension SQLiteTables {
    /// What the row of a space says of its bases.
    func baseFigures(_ space: Int64) throws(StoreFailure) -> SQLiteStore.Figures.Bases {
        try connection[.baseFigures].first([.integer(space)]) { row in
            SQLiteStore.Figures.Bases(documents: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? SQLiteStore.Figures.Bases(documents: 0, bytes: 0)
    }
}

extension SQLiteStore {
    /// A base that is there, as far as what replaces it needs to know.
    struct HeldBase {
        let isVisible: Bool
        let size: Int
        /// Where its snapshot lies, when that is large.
        let large: Int64?
    }

    public mutating func put(_ space: SpaceID, _ base: BaseRecord) throws(StoreFailure) {
        let number = try number(of: space)
        let bytes: SQLValue
        if base.bytes.count > StoreLimits.baseBytesInline {
            bytes = .integer(try addLarge(base.bytes))
        } else {
            bytes = .blob(base.bytes)
        }
        let values: [SQLValue] = [
            .integer(number), .blob(base.key), .integer(base.isVisible ? 1 : 0),
            .integer(Int64(base.position.value)), .blob(StoredForms.encode(base.frontier)), bytes,
        ]
        // Most are new: only one that is not costs a look at what it replaces.
        var (figures, wasVisible) = (try figures(of: number), false)
        try writer[.addBase].run(values)
        if writer.changes == 0 {
            guard let old = try heldBase(number, base.key) else {
                throw .failed(FailedStep(doing: "replacing a base", path: writer.path, answer: .noRow))
            }
            if let large = old.large { try writer[.removeLarge].run([.integer(large)]) }
            try writer[.replaceBase].run(values)
            figures.bases.bytes -= old.size
            wasVisible = old.isVisible
        } else {
            figures.bases.documents += 1
        }
        figures.bases.bytes += base.size
        known.figures[number] = figures
        if base.isVisible == wasVisible { return }
        // A newcomer has no record of its own while it takes a base.
        if figures.hasRecords, try isOwnVisible(number, base.key) != nil { return }
        try countVisible(base.isVisible, before: wasVisible, in: number)
    }

    public mutating func removeBase(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        let number = try number(of: space)
        guard let base = try heldBase(number, key) else { return }
        try remove(base, number, key)
        if try isOwnVisible(number, key) == nil {
            try countVisible(false, before: base.isVisible, in: number)
        }
    }

    /// The count of visible documents is the caller's.
    mutating func remove(_ base: HeldBase, _ space: Int64, _ key: Key) throws(StoreFailure) {
        if let large = base.large { try writer[.removeLarge].run([.integer(large)]) }
        try writer[.removeBase].run([.integer(space), .blob(key)])
        var figures = try figures(of: space)
        figures.bases.documents -= 1
        figures.bases.bytes -= base.size
        known.figures[space] = figures
    }

    func heldBase(_ space: Int64, _ key: Key) throws(StoreFailure) -> HeldBase? {
        try writer[.heldBase].first([.integer(space), .blob(key)]) { row in
            HeldBase(
                isVisible: row.integer(0) != 0,
                size: key.utf8Count + Int(row.integer(1)) + Int(row.integer(3)),
                large: row.isNull(2) ? nil : row.integer(2))
        }
    }

    private func addLarge(_ bytes: [UInt8]) throws(StoreFailure) -> Int64 {
        guard let number = try writer[.addLarge].all([.blob(bytes)], { $0.integer(0) }).first else {
            throw .failed(FailedStep(doing: "adding a snapshot", path: writer.path, answer: .noRow))
        }
        return number
    }
}

extension Query {
    static let base = Query(
        """
        SELECT key, visible, position, frontier, CASE typeof(bytes) WHEN 'integer' THEN
        (SELECT bytes FROM large_bases WHERE number = bases.bytes) ELSE bytes END
        FROM bases WHERE space = ? AND key = ?
        """)
    static let bases = Query(
        """
        SELECT key, visible, position, frontier, CASE typeof(bytes) WHEN 'integer' THEN
        (SELECT bytes FROM large_bases WHERE number = bases.bytes) ELSE bytes END
        FROM bases WHERE space = ? AND key >= ? ORDER BY key LIMIT ?
        """)
    static let documentOfBase = Query(
        "SELECT visible, position, frontier FROM bases WHERE space = ? AND key = ?")
    static let snapshotOfBase = Query(
        """
        SELECT position, CASE typeof(bytes) WHEN 'integer' THEN
        (SELECT bytes FROM large_bases WHERE number = bases.bytes) ELSE bytes END
        FROM bases WHERE space = ? AND key = ?
        """)
    static let heldBase = Query(
        """
        SELECT visible, length(frontier), CASE typeof(bytes) WHEN 'integer' THEN bytes END,
        CASE typeof(bytes) WHEN 'integer' THEN
        (SELECT length(bytes) FROM large_bases WHERE number = bases.bytes) ELSE length(bytes) END
        FROM bases WHERE space = ? AND key = ?
        """)
    static let baseFigures = Query("SELECT bases, base_bytes FROM spaces WHERE number = ?")
    static let addBase = Query(
        """
        INSERT INTO bases(space, key, visible, position, frontier, bytes) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    static let replaceBase = Query(
        """
        UPDATE bases SET visible = ?3, position = ?4, frontier = ?5, bytes = ?6
        WHERE space = ?1 AND key = ?2
        """)
    static let removeBase = Query("DELETE FROM bases WHERE space = ? AND key = ?")
    static let addLarge = Query("INSERT INTO large_bases(bytes) VALUES (?) RETURNING number")
    static let removeLarge = Query("DELETE FROM large_bases WHERE number = ?")
}

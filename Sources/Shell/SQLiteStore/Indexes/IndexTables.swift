// Declared indexes in SQLite: their definitions, their entries in order, and the entries of each document.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func indexes(_ space: SpaceID) throws(StoreFailure) -> [IndexRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            return try tables.connection[.indexes].all([.integer(number)]) { row throws(StoreFailure) in
                let built = row.isNull(4) ? nil : try StoredForms.key(row.blob(4), in: tables.path)
                return IndexRecord(
                    number: IndexNumber(UInt32(truncatingIfNeeded: row.integer(0))), name: row.text(1),
                    definition: row.blob(2),
                    stage: try StoredForms.stage(row.integer(3), built, in: tables.path),
                    documents: Int(row.integer(5)), cutValues: Int(row.integer(6)))
            }
        }
    }

    public func entries(
        _ space: SpaceID, of index: IndexNumber, in range: Range<IndexPlace>, descending: Bool, limit: Int
    ) throws(StoreFailure) -> [IndexEntry] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let values: [SQLValue] = [
                .integer(number), .integer(Int64(index.value)), .blob(range.lowerBound.value),
                .blob(range.lowerBound.key), .blob(range.upperBound.value), .blob(range.upperBound.key),
                .integer(limit),
            ]
            let query = descending ? Query.entriesDescending : .entries
            return try tables.connection[query].all(values) { row throws(StoreFailure) in
                IndexEntry(value: row.blob(0), key: try StoredForms.key(row.blob(1), in: tables.path))
            }
        }
    }

    public func indexed(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> [IndexNumber: [UInt8]] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [:] }
            var found: [IndexNumber: [UInt8]] = [:]
            try tables.connection[.indexed].forEach([.integer(number), .blob(key)]) { row in
                found[IndexNumber(UInt32(truncatingIfNeeded: row.integer(0)))] = row.blob(1)
                return true
            }
            return found
        }
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ index: IndexRecord) throws(StoreFailure) {
        let (stage, built) = StoredForms.encode(index.stage)
        try writer[.putIndex].run([
            .integer(try number(of: space)), .integer(Int64(index.number.value)), .text(index.name),
            .blob(index.definition), .integer(stage), built.map { .blob($0) } ?? .null,
            .integer(index.documents), .integer(index.cutValues),
        ])
    }

    public mutating func removeIndex(_ space: SpaceID, _ number: IndexNumber) throws(StoreFailure) {
        try writer[.removeIndex].run([
            .integer(try self.number(of: space)), .integer(Int64(number.value)),
        ])
    }

    public mutating func index(
        _ space: SpaceID, _ key: Key, in number: IndexNumber, from old: [UInt8]?, to new: [UInt8]?
    ) throws(StoreFailure) {
        let place: [SQLValue] = [.integer(try self.number(of: space)), .integer(Int64(number.value))]
        if let old { try writer[.removeEntry].run(place + [.blob(old), .blob(key)]) }
        if let new {
            try writer[.addEntry].run(place + [.blob(new), .blob(key)])
            try writer[.putIndexed].run(place + [.blob(key), .blob(new)])
        } else if old != nil {
            try writer[.removeIndexed].run(place + [.blob(key)])
        }
    }
}

extension StoredForms {
    static func encode(_ stage: IndexRecord.Stage) -> (number: Int64, built: Key?) {
        switch stage {
        case .building(let after): (0, after)
        case .ready: (1, nil)
        case .dropping: (2, nil)
        }
    }

    static func stage(_ number: Int64, _ built: Key?, in path: String) throws(StoreFailure)
        -> IndexRecord.Stage
    {
        switch number {
        case 0: .building(after: built)
        case 1: .ready
        case 2: .dropping
        default: throw .unusable(.file(path: path, .column(.indexStage(number))))
        }
    }
}

extension Query {
    static let indexes = Query(
        """
        SELECT number, name, definition, stage, built, documents, cut FROM indexes WHERE space = ?
        ORDER BY number
        """)
    static let putIndex = Query(
        """
        INSERT INTO indexes(space, number, name, definition, stage, built, documents, cut)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name,
        definition = excluded.definition, stage = excluded.stage, built = excluded.built,
        documents = excluded.documents, cut = excluded.cut
        """)
    static let removeIndex = Query("DELETE FROM indexes WHERE space = ? AND number = ?")
    static let entries = Query(
        """
        SELECT value, key FROM entries WHERE space = ? AND number = ? AND (value, key) >= (?, ?)
        AND (value, key) < (?, ?) ORDER BY value, key LIMIT ?
        """)
    static let entriesDescending = Query(
        """
        SELECT value, key FROM entries WHERE space = ? AND number = ? AND (value, key) >= (?, ?)
        AND (value, key) < (?, ?) ORDER BY value DESC, key DESC LIMIT ?
        """)
    static let addEntry = Query("INSERT INTO entries(space, number, value, key) VALUES (?, ?, ?, ?)")
    static let removeEntry = Query(
        "DELETE FROM entries WHERE space = ? AND number = ? AND value = ? AND key = ?")
    static let indexed = Query("SELECT number, value FROM indexed WHERE space = ? AND key = ?")
    static let putIndexed = Query(
        """
        INSERT INTO indexed(space, number, key, value) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """)
    static let removeIndexed = Query("DELETE FROM indexed WHERE space = ? AND number = ? AND key = ?")
}

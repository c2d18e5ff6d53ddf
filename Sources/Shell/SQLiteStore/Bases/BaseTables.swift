// Bases in SQLite: blocks of documents in key order, with their snapshots unless those are large.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func base(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> BaseRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space),
                let entry = try tables.entry(key, of: .bases, number)
            else { return nil }
            return try tables.base(entry)
        }
    }

    public func bases(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure) -> [BaseRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            var bases: [BaseRecord] = []
            for entry in try tables.entries(of: .bases, number, after: after, limit: limit) {
                bases.append(try tables.base(entry))
            }
            return bases
        }
    }

    public func encodedPages(_ space: SpaceID, after: Key?, counts: [Int]) throws(StoreFailure)
        -> [[UInt8]]
    {
        if counts.isEmpty { return [] }
        return try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            try tables.write(.bases)
            var copy = PageCopy(counts)
            let values =
                try tables.names(.bases, number) + [.blob(StoredForms.least(after: after))]
            try tables.connection[.blocksFrom].forEach(values) { row throws(StoreFailure) in
                try copy.add(row.blob(1), after: after, of: tables)
                return !copy.isDone
            }
            return copy.end()
        }
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
    fileprivate func base(_ entry: BlockEntry) throws(StoreFailure) -> BaseRecord {
        guard let bytes = try snapshot(of: entry) else {
            throw .unusable(.file(path: path, .column(.block)))
        }
        return BaseRecord(
            key: entry.key, isVisible: entry.isVisible, frontier: entry.frontier, position: entry.position,
            bytes: bytes)
    }

    /// What the row of a space says of its bases.
    func baseFigures(_ space: Int64) throws(StoreFailure) -> SQLiteStore.Figures.Bases {
        try connection[.baseFigures].first([.integer(space)]) { row in
            SQLiteStore.Figures.Bases(documents: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? SQLiteStore.Figures.Bases(documents: 0, bytes: 0)
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ base: BaseRecord) throws(StoreFailure) {
        let number = try number(of: space)
        let entry = BlockEntry(
            key: base.key, isVisible: base.isVisible, position: base.position, frontier: base.frontier,
            content: try tables.content(base.bytes, of: number))
        var figures = try figures(of: number)
        let old = try tables.put(entry, of: .bases, number)
        if let old {
            try removeApart(old)
            figures.bases.bytes -= old.size
        } else {
            figures.bases.documents += 1
        }
        figures.bases.bytes += entry.size
        known.figures[number] = figures
        let wasVisible = old?.isVisible ?? false
        if base.isVisible == wasVisible { return }
        // A newcomer has no record of its own while it takes a base.
        if figures.hasRecords, try isOwnVisible(number, base.key) != nil { return }
        try countVisible(base.isVisible, before: wasVisible, in: number)
    }

    public mutating func removeBase(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        let number = try number(of: space)
        guard let base = try takeBase(number, key) else { return }
        if try isOwnVisible(number, key) == nil {
            try countVisible(false, before: base.isVisible, in: number)
        }
    }

    /// Removes a base and returns it; the count of visible documents is the caller's.
    mutating func takeBase(_ space: Int64, _ key: Key) throws(StoreFailure) -> BlockEntry? {
        guard let base = try tables.remove(key, of: .bases, space) else { return nil }
        try removeApart(base)
        var figures = try figures(of: space)
        figures.bases.documents -= 1
        figures.bases.bytes -= base.size
        known.figures[space] = figures
        return base
    }

    /// Removes the row in which the snapshot of an entry lies, where it lies apart.
    func removeApart(_ entry: BlockEntry) throws(StoreFailure) {
        if let row = entry.rowApart { try writer[.removeLarge].run([.integer(row)]) }
    }
}

extension Query {
    static let baseFigures = Query("SELECT bases, base_bytes FROM spaces WHERE number = ?")
}

// What a checkpoint that does not stand yet makes of documents, and the pages of both manifests, in SQLite.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func candidate(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> CandidateRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.candidate].first([.integer(number), .blob(key)]) {
                row throws(StoreFailure) in try Self.candidate(row, in: tables.path)
            }
        }
    }

    public func candidates(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure)
        -> [CandidateRecord]
    {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let from = StoredForms.least(after: after)
            return try tables.connection[.candidates].all([.integer(number), .blob(from), .integer(limit)]) {
                row throws(StoreFailure) in try Self.candidate(row, in: tables.path)
            }
        }
    }

    private static func candidate(_ row: borrowing Row, in path: String) throws(StoreFailure)
        -> CandidateRecord
    {
        CandidateRecord(
            key: try StoredForms.key(row.blob(0), in: path), isVisible: row.integer(1) != 0,
            frontier: try StoredForms.dots(row.blob(2), in: path), bytes: row.isNull(3) ? nil : row.blob(3))
    }

    public func pages(_ space: SpaceID, of set: PageSet, after: Key?, limit: Int) throws(StoreFailure)
        -> [PageRecord]
    {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            let from = StoredForms.least(after: after)
            let values: [SQLValue] = [
                .integer(number), .integer(try tables.pageSet(set, of: number)), .blob(from),
                .integer(limit),
            ]
            return try tables.connection[.pages].all(values) { row throws(StoreFailure) in
                PageRecord(
                    last: try StoredForms.key(row.blob(0), in: tables.path),
                    hash: try StoredForms.bytes32(row.blob(1), in: tables.path), bytes: Int(row.integer(2)),
                    documents: Int(row.integer(3)))
            }
        }
    }
}

extension SQLiteTables {
    /// The number of a manifest. The candidate's follows the standing one's.
    func pageSet(_ set: PageSet, of space: Int64) throws(StoreFailure) -> Int64 {
        let standing = try connection[.standingPages].first([.integer(space)]) { $0.integer(0) } ?? 0
        return switch set {
        case .standing: standing
        case .candidate: standing + 1
        }
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ candidate: CandidateRecord) throws(StoreFailure) {
        try writer[.putCandidate].run([
            .integer(try number(of: space)), .blob(candidate.key), .integer(candidate.isVisible ? 1 : 0),
            .blob(StoredForms.encode(candidate.frontier)), candidate.bytes.map { .blob($0) } ?? .null,
        ])
    }

    public mutating func removeCandidates(_ space: SpaceID, limit: Int) throws(StoreFailure) -> Bool {
        let number = try number(of: space)
        try writer[.removeCandidates].run([.integer(number), .integer(limit)])
        return try writer[.anyCandidate].first([.integer(number)]) { _ in true } ?? false
    }

    public mutating func promoteCandidates(_ space: SpaceID, limit: Int, at position: CommitPosition)
        throws(StoreFailure) -> PromotedCandidates?
    {
        let number = try number(of: space)
        guard let moved = try promotable(number, limit: limit) else { return nil }
        let range: [SQLValue] = [.integer(number), .blob(moved.first), .blob(moved.promoted.lastKey)]
        var figures = try figures(of: number)
        let others: [Query] = figures.hasRecords ? [.anyBaseWithin, .anyRecordWithin] : [.anyBaseWithin]
        for query in others + [.anySnapshotWithin] {
            if try writer[query].first(range, { _ in true }) != nil { return nil }
        }
        try writer[.promoteCandidates].run(range + [.integer(Int64(position.value))])
        try writer[.removeCandidatesWithin].run(range)
        figures.bases.documents += moved.promoted.documents
        figures.bases.bytes += moved.promoted.bytes
        figures.ofRun.documents += moved.promoted.visible
        known.figures[number] = figures
        return moved.promoted
    }

    /// The first candidates whose snapshots lie in the rows of bases, as they do in those of candidates.
    private func promotable(_ space: Int64, limit: Int) throws(StoreFailure) -> (
        first: Key, promoted: PromotedCandidates
    )? {
        let path = writer.path
        let rows = try writer[.candidateSizes].all([.integer(space), .integer(limit)]) {
            row throws(StoreFailure) in
            (
                key: try StoredForms.key(row.blob(0), in: path), isVisible: row.integer(1) != 0,
                frontier: Int(row.integer(2)), bytes: row.isNull(3) ? nil : Int(row.integer(3))
            )
        }
        var (visible, bytes, documents) = (0, 0, 0)
        for row in rows {
            guard let length = row.bytes, length <= StoreLimits.baseBytesInline else { break }
            documents += 1
            if row.isVisible { visible += 1 }
            bytes += row.key.utf8Count + row.frontier + length
        }
        guard documents > 0 else { return nil }
        return (
            rows[0].key,
            PromotedCandidates(
                documents: documents, visible: visible, bytes: bytes, lastKey: rows[documents - 1].key)
        )
    }

    public mutating func putPages(_ space: SpaceID, of set: PageSet, _ pages: [PageRecord])
        throws(StoreFailure)
    {
        let number = try number(of: space)
        let set = try tables.pageSet(set, of: number)
        for page in pages {
            try writer[.putPage].run([
                .integer(number), .integer(set), .blob(page.last), .blob(page.hash.bytes),
                .integer(page.bytes), .integer(page.documents),
            ])
        }
    }

    public mutating func removePages(_ space: SpaceID, of set: PageSet) throws(StoreFailure) {
        let number = try number(of: space)
        try writer[.removePages].run([.integer(number), .integer(try tables.pageSet(set, of: number))])
    }

    public mutating func promotePages(_ space: SpaceID) throws(StoreFailure) {
        try removePages(space, of: .standing)
        try writer[.promotePages].run([.integer(try number(of: space))])
    }
}

extension Query {
    static let candidate = Query(
        "SELECT key, visible, frontier, bytes FROM candidates WHERE space = ? AND key = ?")
    static let candidates = Query(
        """
        SELECT key, visible, frontier, bytes FROM candidates WHERE space = ? AND key >= ?
        ORDER BY key LIMIT ?
        """)
    static let candidateSizes = Query(
        """
        SELECT key, visible, length(frontier), length(bytes) FROM candidates WHERE space = ?
        ORDER BY key LIMIT ?
        """)
    static let anyBaseWithin = Query("SELECT 1 FROM bases WHERE space = ? AND key BETWEEN ? AND ? LIMIT 1")
    static let anyRecordWithin = Query(
        "SELECT 1 FROM documents WHERE space = ? AND key BETWEEN ? AND ? LIMIT 1")
    static let anySnapshotWithin = Query(
        "SELECT 1 FROM snapshots WHERE space = ? AND key BETWEEN ? AND ? LIMIT 1")
    static let promoteCandidates = Query(
        """
        INSERT INTO bases(space, key, visible, position, frontier, bytes)
        SELECT space, key, visible, ?4, frontier, bytes FROM candidates
        WHERE space = ?1 AND key BETWEEN ?2 AND ?3 ORDER BY key
        """)
    static let removeCandidatesWithin = Query(
        "DELETE FROM candidates WHERE space = ? AND key BETWEEN ? AND ?")
    static let anyCandidate = Query("SELECT 1 FROM candidates WHERE space = ? LIMIT 1")
    static let putCandidate = Query(
        """
        INSERT INTO candidates(space, key, visible, frontier, bytes) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET visible = excluded.visible, frontier = excluded.frontier,
        bytes = excluded.bytes
        """)
    static let removeCandidates = Query(
        """
        DELETE FROM candidates WHERE space = ?1 AND key IN
        (SELECT key FROM candidates WHERE space = ?1 ORDER BY key LIMIT ?2)
        """)
    static let standingPages = Query("SELECT pages FROM spaces WHERE number = ?")
    static let pages = Query(
        """
        SELECT last, hash, bytes, documents FROM pages WHERE space = ? AND number = ? AND last >= ?
        ORDER BY last LIMIT ?
        """)
    static let putPage = Query(
        """
        INSERT INTO pages(space, number, last, hash, bytes, documents) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes,
        documents = excluded.documents
        """)
    static let removePages = Query("DELETE FROM pages WHERE space = ? AND number = ?")
    static let promotePages = Query("UPDATE spaces SET pages = pages + 1 WHERE number = ?")
}

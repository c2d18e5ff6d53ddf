// What a checkpoint that does not stand yet makes of documents, and the pages of both manifests, in SQLite.

public import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func candidate(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> CandidateRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space),
                let entry = try tables.entry(key, of: .candidates, number)
            else { return nil }
            return try tables.candidate(entry)
        }
    }

    public func candidates(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure)
        -> [CandidateRecord]
    {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            var candidates: [CandidateRecord] = []
            for entry in try tables.entries(of: .candidates, number, after: after, limit: limit) {
                candidates.append(try tables.candidate(entry))
            }
            return candidates
        }
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
    fileprivate func candidate(_ entry: BlockEntry) throws(StoreFailure) -> CandidateRecord {
        CandidateRecord(
            key: entry.key, isVisible: entry.isVisible, frontier: entry.frontier,
            bytes: try snapshot(of: entry))
    }

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
        let number = try number(of: space)
        let old = try tables.put(try entry(candidate, of: number), of: .candidates, number)
        if let old { try removeApart(old) }
    }

    public mutating func putCandidates(_ space: SpaceID, after: Key?, _ pages: [CandidatePage])
        throws(StoreFailure)
    {
        guard let last = pages.last?.lastKey else { return }
        let number = try number(of: space)
        // A page of a base comes once, so mostly no candidate lies in its range.
        let from = StoredForms.least(after: after)
        guard try tables.isFree(from: from, through: last, of: .candidates, number) else {
            while let next = try tables.entries(of: .candidates, number, after: after, limit: 1).first,
                next.key <= last
            {
                if let old = try tables.remove(next.key, of: .candidates, number) { try removeApart(old) }
            }
            for candidate in pages.flatMap(\.records) { try put(space, candidate) }
            return
        }
        try tables.close(.candidates)
        var packer = PagePacker(space: number)
        for page in pages { try packer.add(page, to: tables) }
        try packer.finish(in: tables)
    }

    private func entry(_ candidate: CandidateRecord, of space: Int64) throws(StoreFailure) -> BlockEntry {
        let content =
            if let bytes = candidate.bytes { try tables.content(bytes, of: space) } else {
                BlockEntry.Content.absent
            }
        return BlockEntry(
            key: candidate.key, isVisible: candidate.isVisible, position: .start,
            frontier: candidate.frontier, content: content)
    }

    public mutating func removeCandidates(_ space: SpaceID, limit: Int) throws(StoreFailure) -> Bool {
        let number = try number(of: space)
        for entry in try tables.removeFirst(of: .candidates, number, limit: limit) { try removeApart(entry) }
        return try tables.hasAny(of: .candidates, number)
    }

    public mutating func promoteCandidates(_ space: SpaceID, limit: Int, at position: CommitPosition)
        throws(StoreFailure) -> PromotedCandidates?
    {
        let number = try number(of: space)
        for kind in [BlockKind.bases, .candidates] { try tables.close(kind) }
        if let all = try promoteAll(number, at: position) { return all }
        guard let moved = try promotable(number, limit: limit) else { return nil }
        let range: [SQLValue] = [.integer(number), .blob(moved.first), .blob(moved.promoted.lastKey)]
        let figures = try figures(of: number)
        let (first, last) = (Array(moved.first.utf8), moved.promoted.lastKey)
        guard try tables.isFree(from: first, through: last, of: .bases, number) else { return nil }
        let others: [Query] = figures.hasRecords ? [.anyRecordWithin] : []
        for query in others + [.anySnapshotWithin] {
            if try writer[query].first(range, { _ in true }) != nil { return nil }
        }
        try writer[.promoteCandidates].run(
            range + [
                .integer(Int64(position.value)), .integer(try tables.generation(of: .candidates, number)),
            ])
        return count(moved.promoted, in: number, figures)
    }

    private mutating func count(_ promoted: PromotedCandidates, in space: Int64, _ before: Figures)
        -> PromotedCandidates
    {
        var figures = before
        figures.bases.documents += promoted.documents
        figures.bases.bytes += promoted.bytes
        figures.ofRun.documents += promoted.visible
        known.figures[space] = figures
        return promoted
    }

    /// All of them by one step, where the space has nothing else; nil: it has, or there is none.
    private mutating func promoteAll(_ space: Int64, at position: CommitPosition) throws(StoreFailure)
        -> PromotedCandidates?
    {
        let figures = try figures(of: space)
        guard !figures.hasRecords, figures.bases.documents == 0,
            try writer[.anySnapshot].first([.integer(space)], { _ in true }) == nil
        else { return nil }
        let path = writer.path
        let all = try writer[.sumsOfCandidates].first(try tables.names(.candidates, space)) {
            row throws(StoreFailure) in
            row.integer(0) == 0 || row.integer(3) > 0
                ? nil
                : PromotedCandidates(
                    documents: Int(row.integer(0)), visible: Int(row.integer(1)), bytes: Int(row.integer(2)),
                    lastKey: try StoredForms.key(row.blob(4), in: path))
        }
        guard let all, let all else { return nil }
        try tables.promoteAll(space, at: position)
        return count(all, in: space, figures)
    }

    /// The first blocks of candidates without one that is absent; the first of all is cut before such a one,
    /// or where it holds more than `limit`.
    private func promotable(_ space: Int64, limit: Int) throws(StoreFailure) -> (
        first: Key, promoted: PromotedCandidates
    )? {
        let path = writer.path
        var (first, last): (Key?, Key?)
        var (documents, visible, bytes) = (0, 0, 0)
        try writer[.candidateBlocks].forEach(try tables.names(.candidates, space)) {
            row throws(StoreFailure) in
            guard row.integer(5) == 0, documents + Int(row.integer(2)) <= limit else { return false }
            if first == nil { first = try StoredForms.key(row.blob(0), in: path) }
            last = try StoredForms.key(row.blob(1), in: path)
            documents += Int(row.integer(2))
            visible += Int(row.integer(3))
            bytes += Int(row.integer(4))
            return true
        }
        if let first, let last {
            return (
                first,
                PromotedCandidates(documents: documents, visible: visible, bytes: bytes, lastKey: last)
            )
        }
        return try tables.cutFirstBlock(of: .candidates, space, limit: limit)
            ? try promotable(space, limit: limit) : nil
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
    static let anyRecordWithin = Query(
        "SELECT 1 FROM documents WHERE space = ? AND key BETWEEN ? AND ? LIMIT 1")
    static let anySnapshotWithin = Query(
        "SELECT 1 FROM snapshots WHERE space = ? AND key BETWEEN ? AND ? LIMIT 1")
    static let candidateBlocks = Query(
        """
        SELECT first, last, documents, visible, bytes, absent FROM blocks WHERE space = ?
        AND generation = ? ORDER BY last
        """)
    static let sumsOfCandidates = Query(
        """
        SELECT total(documents), total(visible), total(bytes), total(absent), max(last) FROM blocks
        WHERE space = ? AND generation = ?
        """)
    static let anySnapshot = Query("SELECT 1 FROM snapshots WHERE space = ? LIMIT 1")
    static let promoteCandidates = Query(
        """
        UPDATE blocks SET generation = ?5 - 1, position = ?4
        WHERE space = ?1 AND generation = ?5 AND last BETWEEN ?2 AND ?3
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

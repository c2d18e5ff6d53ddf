// The steps of taking a base (`TakenBase`): what comes is checked and kept, and at the end logs begin where
// the table says and documents are moved.

import Bytes
import Causality
import Documents
import Identity
import Roster
import Wire

/// This node has let go of more of a log than the base of a rival holds: it would lose what lies between.
struct BaseOutOfReach: Error {}

extension Space {
    /// What has the hash that was asked for is what the checkpoint means, if it is anything at all. A throw
    /// is the author's fault, who signed the hash of something else, or `BaseOutOfReach`.
    mutating func take(
        _ bytes: [UInt8], named hash: Bytes32, isDurable: Bool,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws {
        // Taken out: a second copy beside it would copy the names of all pages for each that comes.
        guard var taken = checkpoints.taken.take() else { return }
        defer { checkpoints.taken = taken }
        let body = taken.proposal.body
        if let index = taken.pages[hash], let manifest = taken.manifest {
            let outline = try PageOutline(decoding: bytes)
            guard manifest.holds(outline, at: index) else { throw DecodeFault.outOfRange(field: "page") }
            let page = try Self.candidates(of: outline)
            let after = index == 0 ? nil : manifest.entries[index - 1].lastKey
            let former = taken.isFirst ? [] : try former(among: outline, after: after, in: transaction.store)
            taken.unwritten.append(TakenBase.UnwrittenPage(after: after, page: page, former: former))
            taken.unwrittenBytes += bytes.count
            taken.pages[hash] = nil
            count(manifest.entries[index], &taken)
            if isDurable || taken.isWritingDue { try write(&taken, to: &transaction) }
            return
        }
        try transaction.beginWriting()
        if hash == body.table {
            let table = try CheckpointTable(of: id, decoding: bytes)
            guard table.covered.covers(logs.cuts) else {
                let standing = documents.bases.standing?.id
                let isRival = standing.map { checkpoints.agreement.areRivals(taken.proposal.id, $0) } ?? false
                if isRival { throw BaseOutOfReach() }
                // What follows a checkpoint holds all that this held.
                throw DecodeFault.outOfRange(field: "table")
            }
            taken.table = table
            try transaction.store.setMeta(NodeMeta.content(id, hash), bytes)
            taken.taking.want([body.manifest])
        } else if let passed = taken.between[hash] {
            let table = try CheckpointTable(of: id, decoding: bytes)
            try transaction.store.setMeta(NodeMeta.content(id, hash), bytes)
            checkpoints.agreement.learn(table, of: passed, holdsLogs: false, seesViews: true)
        } else if hash == body.manifest {
            let manifest = try BaseManifest(decoding: bytes)
            try transaction.store.setMeta(NodeMeta.content(id, hash), bytes)
            try begin(manifest, &taken, in: &transaction)
        }
    }

    /// Pages that came become candidates, those that follow each other together.
    private func write(_ taken: inout TakenBase, to transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if taken.unwritten.isEmpty { return }
        try transaction.beginWriting()
        var rest = taken.unwritten.sorted { one, other in
            other.after.map { after in one.after.map { $0 < after } ?? true } ?? false
        }[...]
        while let first = rest.first {
            var last = first.after
            let run = rest.prefix { page in
                guard page.after == last else { return false }
                last = page.page.lastKey
                return true
            }
            try transaction.store.putCandidates(id, after: first.after, run.map(\.page))
            for key in run.flatMap(\.former) { try transaction.store.put(id, CandidateRecord(without: key)) }
            rest.removeFirst(run.count)
        }
        (taken.unwritten, taken.unwrittenBytes) = ([], 0)
    }

    private func count(_ entry: BaseManifest.Entry, _ taken: inout TakenBase) {
        taken.documents += entry.documentCount
        taken.bytes += entry.byteCount
    }

    /// Asks for the pages that differ from those of the base that stands here and were not taken before.
    private func begin(
        _ manifest: BaseManifest, _ taken: inout TakenBase,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let own = Set(try standingManifest(in: transaction.store).entries.map(\.hash))
        taken.manifest = manifest
        // Documents are moved to all candidates that there are, also to those of another base.
        if try isLeftOver(in: manifest, beside: own, transaction.store) {
            while try transaction.store.removeCandidates(id, limit: 1_024) {}
        }
        let (base, candidate) = (
            try transaction.store.bases(id, after: nil, limit: 1),
            try transaction.store.candidates(id, after: nil, limit: 1)
        )
        taken.isFirst = base.isEmpty && candidate.isEmpty
        for (index, entry) in manifest.entries.enumerated() {
            let after = index == 0 ? nil : manifest.entries[index - 1].lastKey
            if own.contains(entry.hash) {
                count(entry, &taken)
            } else if try isTaken(entry, after: after, in: transaction.store) {
                count(entry, &taken)
            } else {
                taken.pages[entry.hash] = index
            }
        }
        let lacking = manifest.entries.filter { taken.pages[$0.hash] != nil }
        taken.taking.want(lacking.map(\.hash), of: lacking.reduce(0) { $0 + $1.byteCount })
    }

    /// True when candidates lie within pages that are not asked for: they are of a base that was being
    /// computed before a restart, or taken.
    private func isLeftOver(
        in manifest: BaseManifest, beside own: Set<Bytes32>, _ store: some StoreReading
    ) throws(StoreFailure) -> Bool {
        var after: Key?
        for entry in manifest.entries {
            if own.contains(entry.hash),
                let next = try store.candidates(id, after: after, limit: 1).first, next.key <= entry.lastKey
            {
                return true
            }
            after = entry.lastKey
        }
        return false
    }

    /// True when the candidates of a page are those that it holds: it came before a restart.
    private func isTaken(
        _ entry: BaseManifest.Entry, after: Key?, in store: some StoreReading
    ) throws(StoreFailure) -> Bool {
        guard try store.candidate(id, entry.lastKey)?.bytes != nil else { return false }
        var documents: [BasePage.Document] = []
        var from = after
        while true {
            let page = try store.candidates(id, after: from, limit: 64)
            for one in page where one.key <= entry.lastKey {
                guard let bytes = one.bytes else { continue }
                documents.append(BasePage.Document(key: one.key, frontier: one.frontier, snapshot: bytes))
            }
            guard let end = page.last?.key, end < entry.lastKey else { break }
            from = end
        }
        return BasePage.hash(of: BasePage(documents: documents).encoded()) == entry.hash
    }

    /// A page whose snapshots are documents of these keys.
    private static func candidates(of outline: PageOutline) throws -> CandidatePage {
        var isVisible: [Bool] = []
        isVisible.reserveCapacity(outline.documents.count)
        for one in outline.documents {
            let document = try Document.outline(of: outline.bytes, in: one.snapshot)
            guard document.key == one.key else { throw DecodeFault.outOfRange(field: "document key") }
            isVisible.append(document.isVisible)
        }
        return CandidatePage(outline, isVisible: isVisible)
    }

    /// Documents that the base before had between those of a page.
    private func former(
        among page: PageOutline, after: Key?, in store: some StoreReading
    ) throws(StoreFailure) -> [Key] {
        let former = try former(after: after, before: page.documents.last?.key, in: store)
        if former.isEmpty { return [] }
        return Set(former).subtracting(page.documents.map(\.key)).sorted()
    }

    /// Keys between two others of the base that stands here, and of candidates that came for another one.
    private func former(
        after: Key?, before last: Key?, in store: some StoreReading
    ) throws(StoreFailure) -> [Key] {
        var keys: [Key] = []
        for isBase in [true, false] {
            // There are mostly as many as a page has, and the next page's need not be read.
            var (from, limit) = (after, last == nil ? Self.formerMax : Self.formerMin)
            while true {
                let page =
                    isBase
                    ? try store.bases(id, after: from, limit: limit).map(\.key)
                    : try store.candidates(id, after: from, limit: limit).map(\.key)
                keys += page.filter { key in last.map { key < $0 } ?? true }
                guard page.count == limit, let end = page.last, last.map({ end < $0 }) ?? true else { break }
                (from, limit) = (end, Self.formerMax)
            }
        }
        return keys
    }

    private static var formerMin: Int { 16 }
    private static var formerMax: Int { 256 }

    // MARK: The end

    /// All is here: logs begin where the table says, and documents are moved to the base. What this node
    /// wrote and the checkpoint does not hold stays, void if it is late.
    /// The logs that begin at a boundary now.
    mutating func finishTaking(in transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure)
        -> [VersionVector.Entry]
    {
        guard let taken = checkpoints.taken, let table = taken.table, let manifest = taken.manifest else {
            preconditionFailure("a base without table or manifest is not finished")
        }
        precondition(taken.unwritten.isEmpty, "pages of a base that are not written")
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        try forgetOthers(than: manifest, covering: table.covered, in: &transaction)
        try settleSkipped(within: table.covered, in: &transaction)
        var begun: [VersionVector.Entry] = []
        let heads = try transaction.store.heads(id)
        for row in table.rows {
            // Of one that goes on otherwise here what is held stays: it is void from the fork on.
            if let start = try begin(row, beside: heads, in: &transaction) {
                begun.append(.init(row.replica, start))
            }
        }
        checkpoints.agreement.learn(table, of: taken.proposal.id, holdsLogs: false, seesViews: true)
        checkpoints.taken = nil
        checkpoints.work = nil
        // What happened on the way is told to nobody: streams read again.
        logs.advancePosition()
        try documents.forgetPast(at: position, in: &transaction)
        documents.ring.reset(to: position)
        let summary = BaseSummary(
            manifest: taken.proposal.body.manifest, documents: manifest.documentCount,
            bytes: manifest.byteCount)
        try beginApplying(
            StandingBase(
                id: taken.proposal.id, covered: table.covered, released: table.released, summary: summary,
                changes: documents.bases.standing?.changes ?? 0),
            in: &transaction)
        try transaction.store.put(record)
        return begun
    }

    /// Changes that this node could not execute are final where the base holds them: other members executed
    /// them, or took them as void, and the base has what came of it.
    private mutating func settleSkipped(
        within covered: VersionVector, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let settled = skipped.filter { covered.contains($0.key) }.map(\.value.change)
            .sorted { $0.position < $1.position }
        if settled.isEmpty { return }
        // As of what comes behind a base that holds it: no document is made again for it.
        try transaction.store.mark(id, settled, touched: settled.map { _ in [] }, as: .executed)
        for record in settled where exceptions.unskip(Dot(record.replica, record.last)) {
            try transaction.store.removeSkipped(id, at: record.position)
        }
    }

    /// Documents that only this node has, of changes that the checkpoint holds: it says what came of them.
    private mutating func forgetOthers(
        than manifest: BaseManifest, covering covered: VersionVector,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        var after: Key?
        repeat {
            let page = try transaction.store.touchedKeys(id, after: after, since: .start, limit: 1_024)
            for key in page.keys where try transaction.store.candidate(id, key) == nil {
                if try transaction.store.base(id, key) == nil {
                    try transaction.store.put(id, CandidateRecord(without: key))
                }
            }
            after = page.next
        } while after != nil
        // Behind the last page.
        for key in try former(after: manifest.entries.last?.lastKey, before: nil, in: transaction.store) {
            try transaction.store.put(id, CandidateRecord(without: key))
        }
    }

    /// Where a log begins that is not held as far as its last boundary; nil: what is held of it goes on, or
    /// what waits. `heads`: of the store. Of a log that ended nothing is waited for; what it has behind a
    /// fork stays, though it is not said to be held.
    func start(of row: CheckpointTable.Row, beside heads: VersionVector) -> LogBoundary? {
        guard let boundary = row.boundary, held[row.replica] < boundary.position.last,
            (row.hasEnded ? heads[row.replica] : logs[row.replica]?.last ?? .none) < boundary.position.last
        else { return nil }
        return LogBoundary(
            position: boundary.position, chainHash: boundary.chainHash, declaration: row.declaration)
    }

    private mutating func begin(
        _ row: CheckpointTable.Row, beside heads: VersionVector,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> SequenceNumber? {
        guard let start = start(of: row, beside: heads) else { return nil }
        try transaction.store.startLog(
            id, row.replica, at: BoundaryRecord(last: start.position.last, state: start.encoded()),
            seal: nil)
        if row.replica == ownReplica {
            // This box wrote it further than it is held: its state is an older one.
            logs.retireOwn()
            try setRestored(true, in: &transaction)
        }
        try logs.begin(row.replica, at: start)
        return start.position.last
    }
}

extension CandidateRecord {
    /// The base does not hold the document any more.
    init(without key: Key) { self.init(key: key, isVisible: false, frontier: [], bytes: nil) }
}

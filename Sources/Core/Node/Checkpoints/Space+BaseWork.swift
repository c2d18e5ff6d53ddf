// The steps of computing a base (`BaseWork`). Each reads the store, writes what it made, and moves the place
// that was reached in the same transaction.

import Bytes
import Causality
import Documents
import Identity
import Wire

extension Space {
    /// One slice. The open run was written.
    mutating func advanceBase(
        _ work: inout BaseWork, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        precondition(work.deadline != nil, "the base of \(work.witness) is computed already")
        do throws(StoreFailure) {
            var cost = 0
            while cost < NodeLimits.baseStepCost, work.deadline != nil {
                cost += try step(&work, in: &transaction)
            }
        } catch {
            guard case .unusable = error else { throw error }
            work.reach(.failed(.unreadable(nil)))
        }
    }

    /// A part of a slice; what it cost.
    private mutating func step(
        _ work: inout BaseWork, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Int {
        switch work.stage {
        case .bases(let last): return try scan(&work, after: last, in: &transaction)
        case .keys(let log, let last):
            try walk(&work, from: log, after: last, in: &transaction)
            return NodeLimits.baseStepCost
        case .documents(let last): return try makeDocuments(&work, after: last, in: &transaction)
        case .pages:
            // Taken out, for the same reason as all of the work.
            guard case .pages(let walk) = work.takeStage() else { return NodeLimits.baseStepCost }
            return try cutPages(&work, walk, in: &transaction)
        case .done, .failed: return NodeLimits.baseStepCost
        }
    }

    // MARK: Which documents

    /// Looks at some documents of the standing base: one that a change beyond the base before it touched has
    /// such a change in its frontier.
    private mutating func scan(
        _ work: inout BaseWork, after last: Key?, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Int {
        let page = try transaction.store.bases(id, after: last, limit: NodeLimits.baseStepDocuments)
        var bytes = 0
        for base in page {
            bytes += base.bytes.count
            if base.frontier.contains(where: { !work.settled.contains($0) }) {
                try note([base.key], in: &transaction)
            }
        }
        work.reach(page.last.map { .bases(after: $0.key) } ?? .keys(nil, after: .none))
        return NodeLimits.baseStepCost(of: page.count, bytes, each: NodeLimits.baseReadCost)
    }

    /// Walks through a part of a log, and notes the documents that its changes touched.
    private mutating func walk(
        _ work: inout BaseWork, from log: ReplicaID?, after last: SequenceNumber,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let news = work.covered.entries(beyond: work.settled)
        guard let entry = news.first(where: { entry in log.map { entry.replica >= $0 } ?? true }) else {
            return work.reach(.documents(after: nil))
        }
        let replica = entry.replica
        let first = max(work.settled[replica], log == replica ? last : .none) + 1
        let runs = try transaction.store.runs(
            id, replica, from: first, bytesMax: WireLimits.boundaryBytes)
        var reader = LogReader(space: id)
        for run in runs where run.first <= entry.last {
            let before = CommitPosition(run.position.value - 1)
            let records = try transaction.store.commits(id, after: before, limit: run.changes)
            let touched = try transaction.store.touched(id, after: before, limit: run.changes)
            work.changes += records.count {
                $0.last >= first && $0.last <= entry.last && $0.last > work.released[replica]
            }
            for (record, keys) in zip(records, touched.map(\.keys))
            where record.last >= first && record.last <= entry.last && record.status != .void {
                if record.status == .skipped {
                    return work.reach(.failed(.skipped(Dot(replica, record.last))))
                }
                // A row that came after a base that holds it names no documents: its change does.
                let isNoted = !keys.isEmpty
                try note(
                    isNoted ? keys : try reader.change(record, from: transaction.store).touched,
                    in: &transaction)
            }
        }
        let end = runs.last?.last ?? entry.last
        if end < entry.last { return work.reach(.keys(replica, after: end)) }
        guard let next = news.first(where: { $0.replica > replica }) else {
            return work.reach(.documents(after: nil))
        }
        work.reach(.keys(next.replica, after: .none))
    }

    private func note(_ keys: [Key], in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        for key in keys where try transaction.store.candidate(id, key) == nil {
            try transaction.store.put(
                id, CandidateRecord(key: key, isVisible: false, frontier: [], bytes: nil))
        }
    }

    // MARK: Documents

    private mutating func makeDocuments(
        _ work: inout BaseWork, after last: Key?,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Int {
        if work.making == nil {
            work.making = try beginMaking(work, after: last, from: transaction.store)
        }
        guard var making = work.making.take() else {
            work.reader = nil
            work.reach(.pages(PageWalk(former: try standingManifest(in: transaction.store))))
            return NodeLimits.baseStepCost
        }
        var reader = work.reader.take() ?? LogReader(space: id)
        defer { work.reader = reader }
        let cost = try making.advance(
            NodeLimits.baseStepCost, of: id, from: transaction.store, with: &reader)
        guard making.isDone else {
            work.making = making
            return cost
        }
        let reached = making.last
        var bytes = 0
        let made = making.finish()
        for candidate in made {
            bytes += candidate.bytes?.count ?? 0
            try transaction.store.put(id, candidate)
        }
        work.reach(.documents(after: reached))
        return cost + NodeLimits.baseStepCost(of: made.count, bytes, each: NodeLimits.baseMadeCost)
    }

    /// The next documents; nil: all are made.
    private func beginMaking(
        _ work: BaseWork, after last: Key?, from store: some StoreReading
    ) throws(StoreFailure) -> BaseMaking? {
        let page = try store.candidates(id, after: last, limit: NodeLimits.baseStepDocuments)
        if page.isEmpty { return nil }
        return try BaseMaking(page.map(\.key), as: work, of: id, from: store)
    }

    // MARK: Pages

    /// Cuts some documents, as the base before and the candidates have them, into pages.
    private mutating func cutPages(
        _ work: inout BaseWork, _ walk: consuming PageWalk,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Int {
        let limit = NodeLimits.baseStepDocuments
        let next = try transaction.store.candidates(id, after: walk.place, limit: 1).first
        walk.copy(upTo: next?.key)
        let changed = try transaction.store.candidates(id, after: walk.place, limit: limit)
        let former = try transaction.store.bases(id, after: walk.place, limit: limit)
        // Of the one that ends first nothing is known beyond its end.
        let ends = [
            changed.count < limit ? nil : changed.last?.key, former.count < limit ? nil : former.last?.key,
        ].compactMap(\.self)
        let end = ends.min()
        var documents: [Key: BasePage.Document] = [:]
        for base in former where end.map({ base.key <= $0 }) ?? true {
            documents[base.key] = BasePage.Document(
                key: base.key, frontier: base.frontier, snapshot: base.bytes)
        }
        for candidate in changed where end.map({ candidate.key <= $0 }) ?? true {
            documents[candidate.key] = candidate.bytes.map {
                BasePage.Document(key: candidate.key, frontier: candidate.frontier, snapshot: $0)
            }
        }
        let bytes = documents.values.reduce(0) { $0 + $1.snapshot.count }
        let cost = NodeLimits.baseStepCost(of: documents.count, bytes, each: NodeLimits.baseReadCost)
        for key in documents.keys.sorted() {
            if let document = documents[key] { walk.add(document) }
            // The rest is taken over once a page ends where one ended before.
            if walk.isAligned {
                work.reach(.pages(walk))
                return cost
            }
        }
        guard changed.count < limit, former.count < limit else {
            if let end { walk.pass(end) }
            work.reach(.pages(walk))
            return cost
        }
        let manifest = walk.finish()
        let encoded = manifest.encoded()
        let summary = BaseSummary(
            manifest: BaseManifest.hash(of: encoded), documents: manifest.documentCount,
            bytes: manifest.byteCount)
        try transaction.store.setMeta(NodeMeta.content(id, summary.manifest), encoded)
        work.reach(.done(summary))
        return NodeLimits.baseStepCost
    }

    /// The pages of the standing base.
    func standingManifest(in store: some StoreReading) throws(StoreFailure) -> BaseManifest {
        guard let standing = documents.bases.standing else { return BaseManifest(entries: []) }
        let bytes = try store.meta(NodeMeta.content(id, standing.summary.manifest)) ?? []
        do throws(DecodeFault) {
            return try BaseManifest(decoding: bytes)
        } catch {
            throw .unreadable(.bases(of: id), error)
        }
    }
}

// A checkpoint stands: its documents take the place of the former base, a slice at a time. What is shown does
// not change by it, but where somebody made anew what the base let go. A document that nothing touched beyond
// what the checkpoint holds is its base from now on; any other one is made again from its base and what lies
// beyond, since an operation there may name what the base dropped, and then what it does must not depend on
// when it came (LIFECYCLE, trap 5).

import Bytes
import Causality
import Documents
import Identity
import Roster
import Wire

extension Space {
    /// From the next slice on. The base of this checkpoint was computed here, or taken, into candidates.
    mutating func beginApplying(
        _ base: StandingBase, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        precondition(documents.bases.applying == nil, "two checkpoints are applied at once")
        // A proof alone would close a log earlier than the base ends it.
        try moveClosings(to: base.id, in: &transaction)
        endLogs(by: base.id)
        checkpoints.unmatched = nil
        documents.bases.applying = base
        documents.bases.applying?.visible = documents.bases.standing?.visible ?? 0
        try documents.bases.write(of: id, to: &transaction)
    }

    /// Documents are made on another checkpoint that stands: what lies beyond it may be late, or no more.
    mutating func judgeByBase(in transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        guard let base = documents.bases.newest, base.id != checkpoints.judged,
            checkpoints.agreement.stands(base.id)
        else { return }
        let agreement = checkpoints.agreement
        let judged = checkpoints.judged
        let isNext = agreement.proposal(base.id)?.previous == judged
        // A checkpoint that was passed over may have made late what this base holds, and a rival of this base
        // may have counted what is late now.
        let former = isNext ? nil : judged.flatMap { agreement.table(of: $0)?.covered } ?? VersionVector()
        checkpoints.judge(by: base.id)
        let judgedBefore = former?.met(with: base.covered) ?? base.covered
        let late = lateAuthors(beyond: judgedBefore).union(authorsBehindEnds)
        try rejudge(late, in: &transaction)
    }

    /// False while documents are made on a base that is not known to stand: what is late by it still counts,
    /// and vectors do not tell, where that stands behind the end of a log.
    var isJudgedByBase: Bool { documents.bases.newest.map { $0.id == checkpoints.judged } ?? true }

    /// Devices with changes beyond a base that were made without what it lets go: those may be late now.
    private func lateAuthors(beyond covered: VersionVector) -> Set<DeviceID> {
        let beyond = held.entries.filter { $0.last > covered[$0.replica] }
        return Set(beyond.compactMap { author(of: $0.replica) })
    }

    /// One slice; true when it was the last.
    mutating func advanceApplying(
        at now: Instant, cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Bool {
        guard let base = documents.bases.applying else { return true }
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        var reader = LogReader(space: id)
        var differences: [ChangeEvent.DocumentPatches] = []
        // Nothing is shown of a base that is being taken, so nobody waits for a document of this space.
        let costMax = NodeLimits.baseStepCost * (checkpoints.isSeeding ? NodeLimits.seedingSteps : 1)
        var (cost, isLast) = (0, false)
        while cost < costMax, !isLast {
            // A newcomer's are all new.
            if let promoted = try documents.promote(at: position, in: &transaction) {
                cost += NodeLimits.baseStepCost(
                    of: promoted.documents, 0, each: NodeLimits.basePromotedCost)
                continue
            }
            let page = try transaction.store.candidates(id, after: nil, limit: NodeLimits.baseStepDocuments)
            var bytes = 0
            for candidate in page {
                bytes += candidate.bytes?.count ?? 0
                documents.cache.forget(candidate.key)
                let patches = try documents.apply(
                    candidate, of: base, at: position, in: &transaction, with: &reader)
                if let patches {
                    differences.append(ChangeEvent.DocumentPatches(key: candidate.key, patches: patches))
                }
            }
            cost += NodeLimits.baseStepCost(of: page.count, bytes, each: NodeLimits.baseMadeCost)
            isLast = page.isEmpty
        }
        try documents.recount(in: transaction.store)
        if !differences.isEmpty { try tell(differences, of: base, at: now, cursors: epoch, in: &transaction) }
        guard isLast else {
            // With what was moved: a restart goes on with the right number.
            try documents.bases.write(of: id, to: &transaction)
            return false
        }
        // As it is by now: what was moved in this slice is counted in it.
        documents.bases.standing = documents.bases.applying
        documents.bases.applying = nil
        try documents.bases.write(of: id, to: &transaction)
        try forgetContents(behind: base, in: &transaction)
        replication.digest = nil
        return true
    }

    /// Manifests of bases that documents are not made on any more go, and the tables of checkpoints but for
    /// the newest few: a member that was away learns from those what is late (0228).
    private func forgetContents(
        behind base: StandingBase, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let agreement = checkpoints.agreement
        let stay =
            agreement.chain(to: base.id).suffix(NodeLimits.checkpointTablesMax) + agreement.open.map(\.id)
        var kept: Set<Bytes32> = [base.summary.manifest]
        for proposal in stay.compactMap(agreement.proposal) { kept.insert(proposal.body.table) }
        for proposal in agreement.open { kept.insert(proposal.body.manifest) }
        if let summary = checkpoints.work?.summary { kept.insert(summary.manifest) }
        let names = Set(kept.map { NodeMeta.content(id, $0) })
        for name in try transaction.store.metaNames(beginningWith: NodeMeta.contents(id))
        where !names.contains(name) {
            try transaction.store.setMeta(name, nil)
        }
    }

    /// Documents show otherwise, at a position of its own.
    private mutating func tell(
        _ differences: [ChangeEvent.DocumentPatches], of base: StandingBase, at now: Instant,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        logs.advancePosition()
        try documents.move(differences.map(\.key), to: position, in: &transaction)
        try transaction.store.put(record)
        guard let proposal = checkpoints.agreement.proposal(base.id) else {
            return documents.ring.reset(to: position)
        }
        let event = ChangeEvent(
            cursor: Cursor(store: epoch, space: id, position: position).text,
            change: proposal.body.witness, author: proposal.author, authorName: nameOf(proposal.author),
            timestamp: now.timestamp, documents: differences, cause: "checkpoint")
        documents.publish(event, at: position)
    }
}

extension SpaceDocuments {
    /// Moves one document to its new base. What it shows otherwise then: somebody who knew already what the
    /// base let go made it anew, before this node came to the base.
    fileprivate mutating func apply(
        _ candidate: CandidateRecord, of base: StandingBase, at position: CommitPosition,
        in transaction: inout StoreTransaction<some ChangeStore>, with reader: inout LogReader
    ) throws(StoreFailure) -> [Patch]? {
        let key = candidate.key
        let record = try transaction.store.document(space, key)
        let isBeyond = record?.frontier.contains { !base.covered.contains($0) } ?? false
        let former = isBeyond ? try readable(key, from: transaction.store, with: &reader) : nil
        try replaceBase(candidate, at: record?.position ?? position, in: &transaction)
        // A document may have been shown by the base before this one only.
        let own = try transaction.store.document(space, key)
        guard isBeyond, let record else {
            if candidate.bytes != nil {
                try transaction.store.removeSnapshot(space, key)
                if record != nil { try transaction.store.removeRecord(space, key) }
            } else if record != nil {
                // Shown by another branch than the checkpoint holds, which nobody has proved yet.
                if var own, own.isVisible {
                    own.isVisible = false
                    try transaction.store.put(space, own, wasVisible: true)
                }
                try transaction.store.removeDocument(space, key)
            }
            return nil
        }
        // A document that cannot be read keeps its snapshot; an alarm names it.
        guard let former else { return nil }
        var made = 0
        var cached = try Self.replay(
            key, of: space, at: record.position, from: transaction.store, with: &reader, &made)
        replayed += made
        cached.document.purge(asOf: base.released)
        try transaction.store.put(space, cached.record, wasVisible: own?.isVisible ?? false)
        try Self.fold(&cached, of: space, on: bases, into: &transaction.store)
        guard let patches = Patch.between(former.document.plain, cached.document.plain) else { return nil }
        try indexes.update(cached.document, in: space, to: &transaction.store)
        try indexes.writeRecords(of: space, to: &transaction.store)
        return patches
    }

    /// Documents that nothing was known of are as the new base has them, many in one go; nil: the next one
    /// has to be looked at by itself.
    fileprivate mutating func promote(
        at position: CommitPosition, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> PromotedCandidates? {
        guard bases.standing == nil,
            let promoted = try transaction.store.promoteCandidates(
                space, limit: NodeLimits.basePromotedMax, at: position)
        else { return nil }
        // Some may have been read as absent.
        cache.forget(through: promoted.lastKey)
        bases.applying?.visible += promoted.visible
        return promoted
    }

    private mutating func replaceBase(
        _ candidate: CandidateRecord, at position: CommitPosition,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let wasVisible = try transaction.store.base(space, candidate.key)?.isVisible ?? false
        bases.applying?.visible += (candidate.isVisible ? 1 : 0) - (wasVisible ? 1 : 0)
        if let bytes = candidate.bytes {
            try transaction.store.put(
                space,
                BaseRecord(
                    key: candidate.key, isVisible: candidate.isVisible, frontier: candidate.frontier,
                    position: position, bytes: bytes))
        } else {
            try transaction.store.removeBase(space, candidate.key)
        }
        // From here on it is one of the new base.
        _ = try transaction.store.removeCandidates(space, limit: 1)
    }

    /// A document as it is; nil: its part of the log is damaged.
    private mutating func readable(
        _ key: Key, from store: some StoreReading, with reader: inout LogReader
    ) throws(StoreFailure) -> CachedDocument? {
        do throws(StoreFailure) {
            return try Self.load(key, of: space, from: store, with: &reader)
        } catch {
            guard case .unusable(let reason) = error else { throw error }
            damages[key] = Damage(reason: "\(reason)", isUnreadable: true)
            return nil
        }
    }

    /// Documents show otherwise since this position: states before it cannot be made again.
    fileprivate mutating func move(
        _ keys: [Key], to position: CommitPosition, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try forgetPast(at: position, in: &transaction)
        for key in keys {
            cache.forget(key)
            guard var moved = try transaction.store.document(space, key) else { continue }
            let wasVisible = moved.isVisible
            moved.position = position
            try transaction.store.put(space, moved, wasVisible: wasVisible)
            guard let snapshot = try transaction.store.snapshot(space, key) else { continue }
            try transaction.store.put(
                space, key, SnapshotRecord(position: position, bytes: snapshot.bytes))
        }
    }
}

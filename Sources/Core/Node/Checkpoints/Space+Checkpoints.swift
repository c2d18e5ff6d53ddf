// What a space does next for its checkpoints. Everything follows from the agreement, from what is held and
// from which base was computed, so it can be asked again at any time: after a restart, or when something
// came.
//
//     a checkpoint stands whose base is not ours yet     compute it, then move the documents to it
//     one is open that this device may acknowledge       compute it, compare, acknowledge
//     this node marked a change for one of its own       compute it, then sign the checkpoint

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

/// What is to be done for the checkpoints of a space, outside of it.
enum CheckpointStep: Equatable, Sendable {
    case nothing
    /// Its base is computed: sign it.
    case sign(PendingProposal, BaseSummary, table: Bytes32)
    case acknowledge(Bytes32)
    /// The base came out otherwise here.
    case differs(Bytes32)
    /// What a proposal of this node was to follow is not what stands: somebody else's does.
    case overtaken(by: DeviceID)
    /// A proposal of this node's: its base cannot be computed here.
    case cannotCompute(BaseFailure)
}

extension Space {
    /// Decides, and begins what is begun inside. The open run was written.
    mutating func nextCheckpointStep(
        by device: DeviceID, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        try judgeByBase(in: &transaction)
        // A base is made of the changes that count; it waits until all of them are judged.
        if documents.bases.applying != nil || !exceptions.rejudging.isEmpty { return .nothing }
        if let standing = checkpoints.agreement.newest, standing != documents.bases.standing?.id {
            let chain = checkpoints.agreement.chain(to: standing)
            guard let base = documents.bases.standing else { return try follow(chain[0], in: &transaction) }
            guard let done = chain.firstIndex(of: base.id) else {
                // A base that was taken may be ahead of what is known to stand. From a rival of what counts
                // no log leads there.
                if checkpoints.agreement.replaces(standing, base.id) { checkpoints.unmatched = standing }
                return .nothing
            }
            return try follow(chain[done + 1], in: &transaction)
        }
        if checkpoints.isRestored { return .nothing }
        if let pending = checkpoints.pending { return try advance(pending, in: &transaction) }
        for proposal in checkpoints.agreement.open.reversed() {
            let step = try consider(proposal, by: device, in: &transaction)
            if step != .nothing { return step }
        }
        return .nothing
    }

    /// One of this node's own: its base, then its signature.
    private mutating func advance(
        _ pending: PendingProposal, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        let covered = checkpoints.agreement.clamped(
            forks.closed.clamped(pending.covered), following: pending.previous)
        guard let passed = passed(to: pending.previous), covered.contains(pending.witness),
            isGrown(covered, beyond: passed)
        else {
            checkpoints.pending = nil
            let newest = checkpoints.agreement.newest.flatMap(checkpoints.agreement.proposal)
            return .overtaken(by: newest?.author ?? membership.device)
        }
        guard let work = checkpoints.work, work.witness == pending.witness else {
            try begin(pending.witness, covering: covered, through: passed, in: &transaction)
            return .nothing
        }
        if let failure = work.failure {
            checkpoints.pending = nil
            return .cannotCompute(failure)
        }
        guard let summary = work.summary else { return .nothing }
        let table = try table(
            covering: work.covered, closed: forks.closed, following: pending.previous,
            in: transaction.store)
        return .sign(pending, summary, table: CheckpointTable.hash(of: table.encoded()))
    }

    /// What the checkpoints hold by which one comes from the standing one to this one, which may be open.
    /// Nil: it does not follow the standing one, or not all of them are known.
    private func passed(to previous: Bytes32?) -> [VersionVector]? {
        let standing = documents.bases.standing?.id
        guard previous != standing else { return [] }
        guard let previous else { return nil }
        let chain = checkpoints.agreement.chain(to: previous)
        let start = standing.map { id in chain.firstIndex(of: id).map { $0 + 1 } } ?? chain.startIndex
        guard let start else { return nil }
        var passed: [VersionVector] = []
        for id in chain[start...] {
            guard let table = checkpoints.agreement.table(of: id) else { return nil }
            passed.append(table.covered)
        }
        return passed
    }

    /// False: it or one that it follows holds less than the one before, as where a fork became known that
    /// lies within that. Nobody computes its base, and nobody acknowledges it.
    private func isGrown(_ covered: VersionVector, beyond passed: [VersionVector]) -> Bool {
        let all = [documents.bases.standing?.covered ?? VersionVector()] + passed + [covered]
        return zip(all, all.dropFirst()).allSatisfy { $1.covers($0) }
    }

    /// A checkpoint stands: its base, then its documents.
    private mutating func follow(
        _ id: Bytes32, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        guard let proposal = checkpoints.agreement.proposal(id) else { return .nothing }
        guard try learnTable(of: proposal, in: &transaction),
            let covered = checkpoints.agreement.table(of: id)?.covered
        else {
            // All that it may hold is here, but other closings or another branch are meant.
            let named = try named(by: proposal, in: transaction.store).map(closings.clamped)
            let isHeld = named.map(durable.covers) ?? closings.isClosed(proposal.body.witness)
            if isHeld, !closings.isEmpty { checkpoints.unmatched = id }
            return .nothing
        }
        guard let work = checkpoints.work, work.witness == proposal.body.witness else {
            if isFenced(within: covered) || !isGrown(covered, beyond: []) {
                checkpoints.unmatched = id
            } else {
                try begin(proposal.body.witness, covering: covered, through: [], in: &transaction)
            }
            return .nothing
        }
        guard let summary = work.summary else { return .nothing }
        guard summary.manifest == proposal.body.manifest else {
            return try differ(on: proposal, covering: covered, through: [], in: &transaction)
        }
        try beginApplying(
            StandingBase(
                id: id, covered: covered, released: documents.bases.standing?.covered ?? VersionVector(),
                summary: summary, changes: (documents.bases.standing?.changes ?? 0) + work.changes),
            in: &transaction)
        checkpoints.work = nil
        return .nothing
    }

    /// One that is open.
    private mutating func consider(
        _ proposal: CheckpointProposal, by device: DeviceID,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        guard let passed = passed(to: proposal.previous),
            try learnTable(of: proposal, in: &transaction),
            let covered = checkpoints.agreement.table(of: proposal.id)?.covered,
            isGrown(covered, beyond: passed)
        else { return .nothing }
        let refusal = checkpoints.agreement.refusal(to: proposal.id, by: device)
        switch refusal {
        case nil, .authorLast: break
        default: return .nothing
        }
        guard let work = checkpoints.work, work.witness == proposal.body.witness else {
            // A fork that is known by now lies within: who computed it before acknowledges it, others do not.
            if !isFenced(within: covered) {
                try begin(proposal.body.witness, covering: covered, through: passed, in: &transaction)
            }
            return .nothing
        }
        guard let summary = work.summary else { return .nothing }
        guard summary.manifest == proposal.body.manifest else {
            return try differ(on: proposal, covering: covered, through: passed, in: &transaction)
        }
        return refusal == nil ? .acknowledge(proposal.id) : .nothing
    }

    /// The base came out otherwise. Where changes were judged again meanwhile it may be a base of two states.
    private mutating func differ(
        on proposal: CheckpointProposal, covering covered: VersionVector, through passed: [VersionVector],
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        if checkpoints.work?.isDoubtful == true {
            try begin(proposal.body.witness, covering: covered, through: passed, in: &transaction)
            return .nothing
        }
        return checkpoints.differing.contains(proposal.id) ? .nothing : .differs(proposal.id)
    }

    /// Computes a base; one that was begun for another checkpoint is given up. `passed`: what those hold that
    /// it goes through on its way from the standing one.
    private mutating func begin(
        _ witness: Dot, covering covered: VersionVector, through passed: [VersionVector],
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        // Its candidates are those of the base that documents are being moved to.
        precondition(documents.bases.applying == nil, "a base is computed while another one is applied")
        try transaction.beginWriting()
        while try transaction.store.removeCandidates(id, limit: 1_024) {}
        let standing = documents.bases.standing
        checkpoints.work = BaseWork(
            witness: witness, covered: covered, passed: passed,
            released: standing?.covered ?? VersionVector(), settled: standing?.released ?? VersionVector(),
            isTaken: standing.map { standing in
                !standing.released.covers(logs.cuts) || !standing.released.covers(elsewhere)
            } ?? false)
    }

    /// What a checkpoint holds that another one follows.
    func before(_ previous: Bytes32?) -> VersionVector {
        previous.flatMap { checkpoints.agreement.table(of: $0)?.covered } ?? documents.bases.standing?.covered
            ?? VersionVector()
    }

    /// What a checkpoint names: its witness and all that was made on, which may be more of a forked log than
    /// counts, but nothing behind the end of a log that ended before. Nil: the witness is not held and
    /// durable.
    private func named(
        by proposal: CheckpointProposal, in store: some StoreReading
    ) throws(StoreFailure) -> VersionVector? {
        let witness = proposal.body.witness
        // Its author may have written it behind a fork that is known by now.
        guard durable.contains(witness) || closings.isClosed(witness) else { return nil }
        var reader = LogReader(space: id)
        guard let change = try reader.find(witness, from: store)?.change, change.last == witness.sequence
        else {
            return nil
        }
        var covered = change.context
        covered.join(before(proposal.previous))
        covered.advance(to: witness)
        return checkpoints.agreement.clamped(covered, following: proposal.previous)
    }

    /// Tells the agreement what a checkpoint covers. False: not all of it is held, or its author means other
    /// logs than are held here.
    private mutating func learnTable(
        of proposal: CheckpointProposal, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Bool {
        if checkpoints.agreement.holdsLogs(of: proposal.id) { return true }
        guard let named = try named(by: proposal, in: transaction.store),
            durable.covers(closings.clamped(named))
        else { return false }
        let tried = TriedTable(checkpoint: proposal.id, forks: forks.closed.hash)
        if checkpoints.tried == tried { return false }
        for closed in closingsOfAuthor() {
            guard let table = try table(naming: named, closed, proposal, in: transaction.store) else {
                continue
            }
            let bytes = table.encoded()
            guard CheckpointTable.hash(of: bytes) == proposal.body.table else { continue }
            try transaction.beginWriting()
            try transaction.store.setMeta(NodeMeta.content(id, proposal.body.table), bytes)
            checkpoints.agreement.learn(table, of: proposal.id, holdsLogs: true, seesViews: true)
            return true
        }
        checkpoints.tried = tried
        return false
    }

    /// What its author may have known of forks, the likeliest first: all that is known here, or all but the
    /// last that became known.
    private func closingsOfAuthor() -> [ClosedLogs] {
        let newest = forks.proven.replicas.sorted { one, other in
            let (left, right) = (forks.since[one] ?? 0, forks.since[other] ?? 0)
            return left == right ? one < other : left > right
        }
        var closed = forks.closed
        var all = [closed]
        for replica in newest.prefix(NodeLimits.unknownForksMax) {
            closed.reopen(replica)
            all.append(closed)
        }
        return all
    }

    /// The table of a checkpoint whose author knew these closings; nil: not all of it is held here.
    private mutating func table(
        naming named: VersionVector, _ closed: ClosedLogs, _ proposal: CheckpointProposal,
        in store: some StoreReading
    ) throws(StoreFailure) -> CheckpointTable? {
        let covered = closed.clamped(named)
        for entry in covered.entries(beyond: durable) where !closings.isGone(entry.replica) {
            // Void here, and what its author holds if it ends where that does.
            guard logs[entry.replica]?.last ?? .none >= entry.last,
                try store.chainHash(of: LogID(id, entry.replica), through: entry.last) != .zero
            else { return nil }
        }
        return try table(
            covering: covered, closed: closed, following: proposal.previous, in: store)
    }
}

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
            let done = documents.bases.standing.flatMap { chain.firstIndex(of: $0.id) }
            return try follow(chain[done.map { $0 + 1 } ?? 0], in: &transaction)
        }
        if let pending = checkpoints.pending {
            guard let summary = checkpoints.work?.summary, checkpoints.work?.witness == pending.witness,
                let covered = checkpoints.work?.covered
            else { return .nothing }
            let table = try table(covering: covered, following: pending.previous, in: transaction.store)
            return .sign(pending, summary, table: CheckpointTable.hash(of: table.encoded()))
        }
        for proposal in checkpoints.agreement.open.reversed() {
            let step = try consider(proposal, by: device, in: &transaction)
            if step != .nothing { return step }
        }
        return .nothing
    }

    /// A checkpoint stands: its base, then its documents.
    private mutating func follow(
        _ id: Bytes32, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        guard let proposal = checkpoints.agreement.proposal(id),
            try learnTable(of: proposal, in: &transaction),
            let covered = try covered(by: proposal, in: transaction.store)
        else { return .nothing }
        guard let work = checkpoints.work, work.witness == proposal.body.witness else {
            try begin(proposal.body.witness, covering: covered, in: &transaction)
            return .nothing
        }
        guard let summary = work.summary else { return .nothing }
        guard summary.manifest == proposal.body.manifest else {
            return try differ(on: proposal, covering: covered, in: &transaction)
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
        guard proposal.previous == documents.bases.standing?.id,
            try learnTable(of: proposal, in: &transaction),
            let covered = try covered(by: proposal, in: transaction.store)
        else { return .nothing }
        let refusal = checkpoints.agreement.refusal(to: proposal.id, by: device)
        switch refusal {
        case nil, .authorLast: break
        default: return .nothing
        }
        guard let work = checkpoints.work, work.witness == proposal.body.witness else {
            try begin(proposal.body.witness, covering: covered, in: &transaction)
            return .nothing
        }
        guard let summary = work.summary else { return .nothing }
        guard summary.manifest == proposal.body.manifest else {
            return try differ(on: proposal, covering: covered, in: &transaction)
        }
        return refusal == nil ? .acknowledge(proposal.id) : .nothing
    }

    /// The base came out otherwise. Where changes were judged again meanwhile it may be a base of two states.
    private mutating func differ(
        on proposal: CheckpointProposal, covering covered: VersionVector,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> CheckpointStep {
        if checkpoints.work?.isDoubtful == true {
            try begin(proposal.body.witness, covering: covered, in: &transaction)
            return .nothing
        }
        return checkpoints.differing.contains(proposal.id) ? .nothing : .differs(proposal.id)
    }

    /// Computes a base; one that was begun for another checkpoint is given up.
    mutating func begin(
        _ witness: Dot, covering covered: VersionVector,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        while try transaction.store.removeCandidates(id, limit: 1_024) {}
        let standing = documents.bases.standing
        checkpoints.work = BaseWork(
            witness: witness, covered: covered, released: standing?.covered ?? VersionVector(),
            settled: standing?.released ?? VersionVector(),
            isTaken: standing.map { !$0.released.covers(logs.cuts) } ?? false)
    }

    /// What a checkpoint covers, once all of it is held and durable: its witness and all that was made on.
    private mutating func covered(
        by proposal: CheckpointProposal, in store: some StoreReading
    ) throws(StoreFailure) -> VersionVector? {
        let witness = proposal.body.witness
        guard durable.contains(witness) else { return nil }
        var reader = LogReader(space: id)
        guard let change = try reader.find(witness, from: store)?.change, change.last == witness.sequence
        else {
            return nil
        }
        var covered = change.context
        covered.join(documents.bases.standing?.covered ?? VersionVector())
        covered.advance(to: witness)
        covered = forks.closed.clamped(covered)
        return durable.covers(covered) ? covered : nil
    }

    /// Tells the agreement what a checkpoint covers. False: not all of it is held, or its author means other
    /// logs than are held here.
    private mutating func learnTable(
        of proposal: CheckpointProposal, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Bool {
        if checkpoints.agreement.holdsLogs(of: proposal.id) { return true }
        guard let covered = try covered(by: proposal, in: transaction.store) else { return false }
        let table = try table(covering: covered, following: proposal.previous, in: transaction.store)
        let bytes = table.encoded()
        guard CheckpointTable.hash(of: bytes) == proposal.body.table else { return false }
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.content(id, proposal.body.table), bytes)
        checkpoints.agreement.learn(table, of: proposal.id, holdsLogs: true, seesViews: true)
        return true
    }
}

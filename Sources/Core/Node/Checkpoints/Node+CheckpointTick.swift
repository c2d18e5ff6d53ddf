// Drives the checkpoints of all spaces, a slice at a time between everything else.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func tickCheckpoints(at now: Instant) {
        guard transaction.failure == nil else { return }
        do throws(StoreFailure) {
            for index in spaces.indices {
                try applyDue(in: index, at: now)
                try computeDue(in: index, at: now)
                try collectDue(in: index, at: now)
                tickTaking(in: index, at: now)
                tickGiving(in: index, at: now)
                tickProposals(in: index, at: now)
            }
        } catch {
            transaction.fail(error)
        }
    }

    /// A batch that fails takes requests and streams with it: checkpoints wait for a disk that takes them.
    private func isWritingPaused(at now: Instant) -> Bool {
        isDiskLow || links.pause.isOn(at: now.monotonic)
    }

    private mutating func applyDue(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        guard let due = spaces[index].documents.bases.deadline, due <= now.monotonic else { return }
        if isWritingPaused(at: now) {
            spaces[index].documents.bases.due = now.monotonic + NodeLimits.baseRestMilliseconds
            return
        }
        let isDone = try spaces[index].advanceApplying(
            at: now, cursors: epochs.current, in: &transaction)
        spaces[index].documents.bases.due = now.monotonic + 1
        guard isDone, let standing = spaces[index].documents.bases.standing else { return }
        spaces[index].checkpoints.newsSince = nil
        spaces[index].checkpoints.standingLogBytes = try store.logBytes(spaces[index].id)
        // What the one before held may go now.
        spaces[index].checkpoints.collecting.begin(at: now.monotonic)
        for channel in links.channels(of: spaces[index].id) { links[channel].digest.reset() }
        batch.log(
            .info, "checkpoint-stands",
            "space \(spaces[index].name) goes on from checkpoint \(standing.id.shortText), of "
                + "\(standing.summary.documents) documents")
    }

    private mutating func computeDue(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        guard let isDue = spaces[index].checkpoints.work?.isDue(at: now.monotonic), isDue,
            spaces[index].documents.bases.applying == nil
        else { return }
        if isWritingPaused(at: now) {
            spaces[index].checkpoints.work?.rest(at: now.monotonic)
            return
        }
        try transaction.beginWriting()
        try spaces[index].writeDocuments(to: &transaction)
        // Taken out: a second copy beside it would copy all pages in each slice. A batch that fails is lost
        // with what it reached.
        guard var work = spaces[index].checkpoints.work.take() else { return }
        defer { spaces[index].checkpoints.work = work }
        try spaces[index].advanceBase(&work, in: &transaction)
        work.pause(at: now.monotonic)
    }

    private mutating func collectDue(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        guard spaces[index].checkpoints.collecting.isDue(at: now.monotonic) else { return }
        if isWritingPaused(at: now) || !spaces[index].isJudged {
            return spaces[index].checkpoints.collecting.rest(at: now.monotonic)
        }
        try transaction.beginWriting()
        try spaces[index].writeDocuments(to: &transaction)
        let retained = Retained(configuration.settings.retainHistory, at: now)
        guard try spaces[index].advanceCollecting(keeping: retained, in: &transaction) else {
            return spaces[index].checkpoints.collecting.pause(at: now.monotonic)
        }
        shrinking.begin(at: now.monotonic)
        let total = spaces[index].checkpoints.collecting.total
        spaces[index].checkpoints.standingLogBytes -= total.bytes
        for request in checkpointRequests.collections.removeValue(forKey: spaces[index].id) ?? [] {
            batch.answer(request, .collected(CollectReport(bytes: total.bytes, changes: total.changes)))
        }
    }

    /// Before each commit: what follows from what came.
    mutating func advanceCheckpoints(at now: Instant) {
        guard transaction.failure == nil, !isWritingPaused(at: now) else { return }
        for index in spaces.indices {
            guard let role = spaces[index].roster.role(of: device), role >= .reader else { continue }
            do throws(NodeError) {
                try advanceCheckpoints(in: index, by: role, at: now)
            } catch {
                // Nothing was acknowledged; it is tried again when something comes.
                batch.log(
                    .warning, "checkpoint-failed",
                    "a checkpoint of space \(spaces[index].name) did not get on: \(error)")
            }
        }
    }

    private mutating func advanceCheckpoints(in index: SpaceHandle, by role: Role, at now: Instant)
        throws(NodeError)
    {
        if spaces[index].checkpoints.taken != nil { return }
        if spaces[index].isSeeding { try endSeeding(in: index) }
        if spaces[index].checkpoints.isRestored { try endRestored(in: index) }
        let step = try stored { node throws(StoreFailure) in
            let step = try node.spaces[index].nextCheckpointStep(by: node.device, in: &node.transaction)
            try node.finalMoved(in: index, at: now)
            return step
        }
        takeUnmatched(in: index, at: now)
        takeOffered(in: index, at: now)
        takeBehindEnds(in: index, at: now)
        switch step {
        case .nothing: return
        case .acknowledge(let id):
            _ = try spaces[index].acknowledge(
                id, by: device, &entropy, at: now, cursors: epochs.current, in: &transaction)
            batch.log(
                .info, "checkpoint-acknowledged",
                "checkpoint \(id.shortText) of space \(spaces[index].name) was acknowledged by this node")
        case .sign(let pending, let summary, let table): try sign(pending, summary, table, in: index, at: now)
        case .overtaken(let author):
            guard let request = checkpointRequests.proposals.removeValue(forKey: spaces[index].id) else {
                return
            }
            batch.answer(request, .failed(.checkpointOpen(by: spaces[index].named(author))))
        case .cannotCompute(let failure):
            let error = NodeError.cannotCompute(spaces[index].name, failure)
            if let request = checkpointRequests.proposals.removeValue(forKey: spaces[index].id) {
                batch.answer(request, .failed(error))
            }
            batch.log(.info, "checkpoint-waits", "this node proposes no checkpoint: \(FaultWords(error))")
        case .differs(let id):
            spaces[index].checkpoints.differ(on: id)
            raise(
                Alarm(
                    code: "base-differs",
                    message:
                        "checkpoint \(id.shortText) of space \(spaces[index].name) names other documents "
                        + "than this node has, although both hold the same changes",
                    hint: "nothing is collected here; keep the state directory and report it",
                    since: now.wall, space: spaces[index].id))
        }
    }

    /// A newcomer that was level once is like any other, if the base that it took is known to stand. Where a
    /// checkpoint stands its documents are made on one, so that it can acknowledge before it writes.
    private mutating func endSeeding(in index: SpaceHandle) throws(NodeError) {
        let space = spaces[index]
        let (standing, agreement) = (space.documents.bases.standing, space.checkpoints.agreement)
        // Where checkpoints were proposed there are changes: who holds none is no member to be level with.
        guard !space.durable.isEmpty, space.documents.bases.applying == nil,
            standing.map({ agreement.stands($0.id) }) ?? (agreement.newest == nil),
            isLevel(space),
            // Others may be new as well.
            !agreement.isBehind(holding: space.holds)
        else { return }
        try stored { node throws(StoreFailure) in
            try node.spaces[index].setSeeding(false, in: &node.transaction)
        }
    }

    /// A node that was put back to an older state proposes and acknowledges again once it is level with a
    /// member, which knows what the node did since. Nobody counts on a node that is the only member.
    private mutating func endRestored(in index: SpaceHandle) throws(NodeError) {
        let space = spaces[index]
        let isAlone = !space.roster.activeDevices().contains { member in
            member != device && (space.roster.role(of: member) ?? .relay) > .relay
        }
        guard isAlone || isLevel(space) && !space.checkpoints.agreement.isBehind(holding: space.holds) else {
            return
        }
        try stored { node throws(StoreFailure) in
            try node.spaces[index].setRestored(false, in: &node.transaction)
        }
    }

    /// With a linked member, or with one that wrote a bundle, as it was then.
    private func isLevel(_ space: Space) -> Bool {
        if let level = space.checkpoints.brought.level, space.durable.covers(level) { return true }
        guard let told = space.replication.advertised, told.sealed == space.durable else { return false }
        return links.channels(of: space.id).contains { channel in
            links[channel].isReady && links[channel].sync.isLevel(with: told.sealed)
        }
    }

    private mutating func sign(
        _ pending: PendingProposal, _ summary: BaseSummary, _ table: Bytes32, in index: SpaceHandle,
        at now: Instant
    ) throws(NodeError) {
        spaces[index].checkpoints.pending = nil
        let body = CheckpointBody(
            previous: pending.previous, witness: pending.witness, absent: pending.absent, table: table,
            manifest: summary.manifest)
        let operation: RosterOperation
        do throws(RosterFault) {
            operation = try spaces[index].membership.roster.author(
                .checkpoint(body), at: now.timestamp, by: configuration.device)
            _ = try spaces[index].membership.roster.add(operation)
        } catch {
            throw .noRight(have: try myRole(in: index), need: .admin)
        }
        storeRoster([operation], in: index, at: now)
        if let request = checkpointRequests.proposals.removeValue(forKey: spaces[index].id) {
            batch.answer(request, .checkpointProposed(operation.id))
        }
        batch.log(
            .info, "checkpoint-proposed",
            "checkpoint \(operation.id.shortText) of space \(spaces[index].name) is proposed by this node")
    }

    /// Marks what is held, from which a checkpoint of this node follows. Its base is computed when the
    /// documents are on what it follows, or on something before that.
    mutating func beginProposal(
        following previous: Bytes32?, absent: [DeviceID], in index: SpaceHandle, at now: Instant
    ) throws(NodeError) {
        let witness = try spaces[index].acknowledge(
            nil, by: device, &entropy, at: now, cursors: epochs.current, in: &transaction)
        spaces[index].checkpoints.pending = PendingProposal(
            previous: previous, absent: absent, witness: witness, covered: spaces[index].known)
    }
}

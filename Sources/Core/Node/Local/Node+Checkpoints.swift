// Checkpoints as programs ask for them: what stands, whom the open one waits for, one more now, and
// forgetting now what may be forgotten.

import Bytes
import Causality
import Mesh
import Replication
import Roster
import Wire

extension Node {
    // MARK: Told

    mutating func checkpoints(of index: SpaceHandle, at now: Instant) throws(NodeError) -> CheckpointsReport {
        try reading(in: index) { node throws(StoreFailure) in
            try node.checkpointsReport(of: index, at: now)
        }
    }

    /// What is known of a space's checkpoints.
    func checkpointsReport(of index: SpaceHandle, at now: Instant) throws(StoreFailure)
        -> CheckpointsReport
    {
        let bytes = try spaces[index].logs.bytes(in: store)
        let space = spaces[index]
        let standing = space.documents.bases.standing.flatMap { base in
            space.checkpoints.agreement.proposal(base.id).map { proposal in
                CheckpointsReport.Standing(
                    id: base.id, atMs: space.roster.timestamp(of: base.id).milliseconds,
                    author: space.named(proposal.author), changes: base.changes, documents: base.visible,
                    bytes: base.summary.bytes)
            }
        }
        let open = space.checkpoints.agreement.open.last
        return CheckpointsReport(
            standing: standing, open: open.map { report($0, in: index) },
            log: .init(
                bytes: bytes, collectable: try collectable(in: index, at: now), since: space.logs.since),
            waitingFor: open.map { unseen(for: $0, in: index, at: now) } ?? [])
    }

    /// Bytes that could go now, as far as logs are let go and settings keep nothing.
    private func collectable(in index: SpaceHandle, at now: Instant) throws(StoreFailure) -> Int {
        guard spaces[index].documents.bases.standing != nil, spaces[index].documents.bases.applying == nil
        else {
            return 0
        }
        return try spaces[index].collectableBytes(
            keeping: Retained(configuration.settings.retainHistory, at: now), in: store)
    }

    private func report(_ proposal: CheckpointProposal, in index: SpaceHandle) -> CheckpointsReport.Open {
        let space = spaces[index]
        let waiting = space.checkpoints.agreement.unacknowledged(proposal.id)
        let acknowledged = proposal.required.subtracting(waiting).sorted()
        return CheckpointsReport.Open(
            id: proposal.id, author: space.named(proposal.author),
            sinceMs: space.roster.timestamp(of: proposal.id).milliseconds,
            acknowledged: acknowledged.map(space.named),
            waitingFor: waiting.map { .init(space.named($0), why($0, waitsWith: proposal, in: index)) })
    }

    private func why(
        _ member: DeviceID, waitsWith proposal: CheckpointProposal, in index: SpaceHandle
    ) -> CheckpointsReport.WaitingWhy {
        let space = spaces[index]
        if member == device {
            if space.checkpoints.differing.contains(proposal.id) { return .cannotCompute }
            let isHeld = space.durable.contains(proposal.body.witness)
            return isHeld && !space.checkpoints.isRestored ? .computing : .catchingUp
        }
        if olderMembers(of: index, than: .checkpoints).contains(where: { $0.device == member }) {
            return .olderVersion
        }
        guard links.connections.table.isLinked(to: member) else { return .notLinked }
        guard let held = space.peerVectors[member] else { return .silent }
        return held.contains(proposal.body.witness) ? .computing : .catchingUp
    }

    /// Required members that are not linked, and since when they were not seen.
    private func unseen(
        for proposal: CheckpointProposal, in index: SpaceHandle, at now: Instant
    ) -> [CheckpointsReport.Unseen] {
        let space = spaces[index]
        let proposed = space.roster.timestamp(of: proposal.id).milliseconds
        let isLate = now.wall > proposed + NodeLimits.checkpointPatienceMilliseconds
        return space.checkpoints.agreement.unacknowledged(proposal.id).compactMap { member in
            let isLinked = member == device || links.connections.table.isLinked(to: member)
            guard isLate || !isLinked else { return nil }
            let seen = isLinked ? now.wall : view.lastSeen(member, at: now)
            let since = seen ?? space.roster.member(member)?.since.milliseconds ?? proposed
            return .init(space.named(member), unseenMs: now.wall > since ? now.wall - since : 0)
        }
    }

    // MARK: Asked

    /// Proposes one now, by this admin.
    mutating func proposeCheckpoint(
        _ id: RequestID, in index: SpaceHandle, without absent: [MemberReference]?, at now: Instant
    ) throws(NodeError) {
        try need(.admin, in: index)
        var named: Set<DeviceID> = []
        for reference in absent ?? [] {
            named.insert(try member(reference, in: index, isActive: true).device)
        }
        if spaces[index].checkpoints.isRestored { throw .restored(spaces[index].name) }
        let older = olderMembers(of: index, than: .checkpoints)
        if !older.isEmpty {
            let listed = Array(older.prefix(MemberDirectory.listedMax))
            throw .olderVersion(
                spaces[index].name, listed, more: older.count - listed.count, lacking: .checkpoints)
        }
        let space = spaces[index]
        if space.checkpoints.pending != nil { throw .checkpointOpen(by: space.named(device)) }
        let choice = space.checkpoints.agreement.choice(of: device)
        switch choice {
        case .follow:
            // What is not held by the one that stands, acknowledgements aside, has to be something.
            guard try hasNews(in: index) else { throw .nothingNew(space.name) }
        case .replace(let open, _):
            let before = space.checkpoints.agreement.proposal(open)?.body.absent ?? []
            guard absent != nil, named != Set(before) else { throw .checkpointOpen(by: space.named(device)) }
        case .outbid(let open, _), .succeed(let open):
            let author = space.checkpoints.agreement.proposal(open)?.author ?? device
            guard author == device, absent != nil else { throw .checkpointOpen(by: space.named(author)) }
        }
        let members = Set(
            space.roster.activeDevices().filter { (space.roster.role(of: $0) ?? .relay) > .relay })
        named.formUnion(space.checkpoints.agreement.absentees(of: members, following: choice.previous))
        named.remove(device)
        guard
            space.checkpoints.agreement.isMajority(
                members.subtracting(named), following: choice.previous)
        else { throw .noMajority(space.name) }
        try beginProposal(following: choice.previous, absent: named.sorted(), in: index, at: now)
        checkpointRequests.proposals[space.id] = id
    }

    /// True when a document differs from the base that stands, or nothing stands yet and something is held. A
    /// document that is as its base has no record of its own.
    mutating func hasNews(in index: SpaceHandle) throws(NodeError) -> Bool {
        if spaces[index].documents.bases.newest == nil { return !spaces[index].held.isEmpty }
        if spaces[index].hasUnwritten { return true }
        return try reading(in: index) { node throws(StoreFailure) in
            try !node.store.touchedKeys(node.spaces[index].id, after: nil, since: .start, limit: 1).keys
                .isEmpty
        }
    }

    mutating func collect(_ id: RequestID, in index: SpaceHandle, at now: Instant) throws(NodeError) {
        try need(.reader, in: index)
        guard spaces[index].documents.bases.applying == nil, spaces[index].documents.bases.standing != nil
        else {
            return batch.answer(id, .collected(CollectReport(bytes: 0, changes: 0)))
        }
        checkpointRequests.collections[spaces[index].id, default: []].append(id)
        if !spaces[index].checkpoints.collecting.isUnderWay {
            spaces[index].checkpoints.collecting.begin(at: now.monotonic)
        }
    }
}

/// Requests about checkpoints that are answered once something was computed or forgotten.
struct CheckpointRequests: Sendable {
    var proposals: [SpaceID: RequestID] = [:]
    var collections: [SpaceID: [RequestID]] = [:]

    /// A batch was lost, and what they waited for.
    mutating func batchLost() -> [RequestID] {
        defer { self = CheckpointRequests() }
        return (Array(proposals.values) + Array(collections.values.joined())).sorted()
    }
}

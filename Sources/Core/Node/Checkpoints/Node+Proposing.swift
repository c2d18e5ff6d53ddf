// Checkpoints by themselves: an admin proposes when enough was written since the last one, or enough time
// went by with something new. Which admin follows from what is to be followed, so they do not get in each
// other's way; members that were not seen for long are named absent, and do not hold the others back.

import Bytes
import Causality
import Mesh
import Replication
import Roster
import Wire

extension Node {
    /// Looks now and then whether it is this device's turn.
    mutating func tickProposals(in index: SpaceHandle, at now: Instant) {
        guard spaces[index].checkpoints.proposalCheck <= now.monotonic else { return }
        spaces[index].checkpoints.proposalCheck = now.monotonic + NodeLimits.proposalCheckMilliseconds
        do throws(NodeError) {
            guard spaces[index].roster.role(of: device) == .admin, try isProposalDue(in: index, at: now)
            else {
                return
            }
            try proposeByItself(in: index, at: now)
        } catch {
            batch.log(
                .debug, "checkpoint-waits",
                "no checkpoint of space \(spaces[index].name) is proposed: \(error)")
        }
    }

    private mutating func isProposalDue(in index: SpaceHandle, at now: Instant) throws(NodeError) -> Bool {
        let space = spaces[index]
        guard !space.isSeeding, !space.checkpoints.isRestored,
            space.checkpoints.taken == nil, space.checkpoints.pending == nil,
            space.documents.bases.applying == nil, space.checkpoints.differing.isEmpty,
            // What could not be computed once cannot be the next time, until something is judged otherwise.
            space.checkpoints.work.map({ $0.failure == nil || $0.isDoubtful }) ?? true,
            space.checkpoints.agreement.open.isEmpty, olderMembers(of: index, than: .checkpoints).isEmpty
        else { return false }
        let isNews = try hasNews(in: index)
        guard isNews || isMembershipNew(in: index) else {
            spaces[index].checkpoints.newsSince = nil
            return false
        }
        let since = space.checkpoints.newsSince ?? now.wall
        spaces[index].checkpoints.newsSince = since
        let (bytes, base) = try reading(in: index) { node throws(StoreFailure) in
            try (
                node.store.logBytes(node.spaces[index].id), node.store.baseBytes(node.spaces[index].id).bytes
            )
        }
        let settings = configuration.settings
        let limit = settings.checkpointLogBytes ?? UInt64(max(NodeLimits.checkpointLogBytesMin, base / 2))
        let isMuch = UInt64(max(0, bytes - space.checkpoints.standingLogBytes)) > limit
        let age = now.wall > since ? now.wall - since : 0
        let isOld = age / 1_000 >= settings.checkpointSeconds
        guard isMuch || isOld else { return false }
        // Each in its turn; the first at once.
        let linked = Set(links.channels(of: space.id).map { links[links[$0].link].device })
        let admins = space.roster.activeDevices().filter { member in
            space.roster.role(of: member) == .admin && (member == device || linked.contains(member))
        }
        let order = Checkpoints.proposers(admins, following: space.checkpoints.agreement.newest)
        let rank = UInt64(order.firstIndex(of: device) ?? 0)
        return rank == 0 || isMuch && age > rank * NodeLimits.proposalTurnMilliseconds
            || age > settings.checkpointSeconds * 1_000 + rank * NodeLimits.proposalTurnMilliseconds
    }

    private func readingMembers(of index: SpaceHandle) -> Set<DeviceID> {
        let roster = spaces[index].roster
        return Set(roster.activeDevices().filter { (roster.role(of: $0) ?? .relay) > .relay })
    }

    /// Somebody came or left since the one that stands: until the next one, it waits for whom it knows.
    private func isMembershipNew(in index: SpaceHandle) -> Bool {
        let agreement = spaces[index].checkpoints.agreement
        guard let standing = agreement.newest.flatMap(agreement.proposal) else { return false }
        return standing.members != readingMembers(of: index)
    }

    private mutating func proposeByItself(in index: SpaceHandle, at now: Instant) throws(NodeError) {
        let space = spaces[index]
        guard case .follow(let previous) = space.checkpoints.agreement.choice(of: device) else { return }
        let members = readingMembers(of: index)
        var absent = Set(space.checkpoints.agreement.absentees(of: members, following: previous))
        let patience = configuration.settings.absentAfterSeconds.multipliedReportingOverflow(by: 1_000)
        let watch = min(patience.partialValue, NodeLimits.absentWatchMilliseconds)
        let isSure = !patience.overflow && steady.isSteady(for: watch, at: now)
        for member in members where member != device && isSure {
            let isLinked = links.connections.table.isLinked(to: member)
            let since = space.roster.member(member)?.since.milliseconds ?? now.wall
            let seen = max(since, isLinked ? now.wall : view.lastSeen(member, at: now) ?? since)
            if now.wall > seen, now.wall - seen > patience.partialValue { absent.insert(member) }
        }
        absent.remove(device)
        guard space.checkpoints.agreement.isMajority(members.subtracting(absent), following: previous) else {
            throw .noMajority(space.name)
        }
        try beginProposal(following: previous, absent: absent.sorted(), in: index, at: now)
    }
}

// What a person sees of spaces and their members.

import Causality
import Replication
import Roster
import Wire

extension Node {
    func report(_ space: Space) -> SpaceReport { report(space, nil) }

    /// `sync`: for `status`.
    func report(_ space: Space, _ sync: SyncReport?) -> SpaceReport {
        SpaceReport(
            id: space.id, name: space.name,
            role: space.roster.role(of: device) ?? space.roster.member(device)?.role ?? .relay,
            members: space.roster.activeDevices().count,
            documents: space.documents.count,
            state: space.roster.role(of: device) == nil ? "removed" : "active", sync: sync,
            bootstrap: sync == nil ? nil : bootstrap(of: space))
    }

    /// How far the base is that a space takes from others; nil: it takes none.
    private func bootstrap(of space: Space) -> BootstrapReport? {
        guard let taken = space.checkpoints.taken else { return nil }
        return BootstrapReport(
            documents: taken.documents, ofDocuments: taken.manifest?.documentCount ?? 0,
            bytes: taken.bytes, ofBytes: taken.manifest?.byteCount ?? 0,
            from: Set(taken.taking.sources.map(\.device)).sorted().map { space.named($0) })
    }

    func members(of index: SpaceHandle, at now: Instant) -> [MemberReport] {
        spaces[index].roster.members().map { report($0, in: index, at: now) }
    }

    func report(_ member: Member, in index: SpaceHandle, at now: Instant) -> MemberReport {
        let (space, isMe) = (spaces[index], member.device == device)
        let removal = space.roster.removal(of: member.device)
        return MemberReport(
            device: member.device, name: member.description.name.string, role: member.role,
            addedBy: space.named(member.addedBy), state: member.state.name,
            lastSeenAt: isMe ? now.wall : view.lastSeen(member.device, at: now),
            behindChanges: isMe ? 0 : view.behindChanges(of: member.device, in: space),
            software: isMe ? configuration.version : space.roster.software(of: member.device)?.version,
            removedBy: removal.map { space.named($0.author) }, removedAt: removal?.timestamp.milliseconds,
            adminSince: space.roster.adminSince(member.device)?.milliseconds)
    }
}

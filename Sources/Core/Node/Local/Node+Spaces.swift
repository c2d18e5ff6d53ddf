// Spaces as programs make and open them to others. Each is one store transaction: roster, keys and
// invites never disagree on disk.

import Bytes
import Causality
import Crypto
import Roster
import Wire

extension Node {
    // MARK: Making

    mutating func createSpace(_ id: RequestID, name: String, at now: Instant) throws(NodeError) {
        guard let spaceName = SpaceName(name) else { throw .invalidName(name) }
        try checkName(name)
        let genesis = Roster.genesis(
            name: spaceName, creator: try description(), nonce: entropy.bytes(32), at: now.timestamp,
            by: configuration.device)
        let roster: Roster
        do throws(RosterFault) {
            roster = try Roster(genesis: genesis)
        } catch {
            preconditionFailure("a genesis of our own was refused: \(error)")
        }
        let keys = SpaceKeys(founding: roster.space, from: &entropy)
        try stored { node throws(StoreFailure) in
            try node.add(Space(roster: roster, keys: keys, name: name, device: node.device))
        }
        batch.log(.notice, "space-created", "space \(name) (\(roster.space)) was created")
        guard let index = spaces.handle(of: roster.space) else { preconditionFailure("the space was added") }
        batch.answer(id, .space(report(spaces[index])))
    }

    /// What this device says of itself in rosters.
    func description() throws(NodeError) -> DeviceDescription {
        guard let name = DeviceName(configuration.settings.deviceName) else {
            throw .invalidName(configuration.settings.deviceName)
        }
        return DeviceDescription(
            name: name, boxKey: configuration.box.publicKey, addresses: reachability.advertisedAddresses)
    }

    /// Keeps a new space with its roster, in memory and in the open store transaction.
    mutating func add(_ space: Space) throws(StoreFailure) {
        precondition(spaces.handle(of: space.id) == nil, "space \(space.id) is added once")
        try transaction.beginWriting()
        try store.put(space.record)
        if space.isSeeding { try store.setMeta(NodeMeta.seeding(space.id), [1]) }
        for place in space.roster.places {
            try store.addRosterOperation(space.id, space.roster.bytes(at: place))
        }
        var space = space
        space.exceptions.quarantined = crashGuard.quarantined(in: space.id)
        spaces.insert(space)
    }

    // MARK: Invites

    mutating func invite(
        _ id: RequestID, in index: SpaceHandle, role: Role, expiresSeconds: UInt64, at now: Instant
    ) throws(NodeError) {
        try need(.admin, in: index)
        let expiry = now.wall / 1_000 + min(expiresSeconds, NodeLimits.inviteSecondsMax)
        let hints = reachability.advertisedAddresses
        let issued: (operation: RosterOperation, token: InviteToken)
        do throws(IssueFault) {
            issued = try spaces[index].membership.issueInvite(
                role, expirySeconds: expiry, secret: entropy.secret(32), hints: hints, at: now,
                by: configuration.device)
        } catch {
            switch error {
            case .tooMany(let limit): throw .tooMany(what: "open invites", limit: limit)
            case .refused: throw .noRight(have: try myRole(in: index), need: .admin)
            }
        }
        try stored { node throws(StoreFailure) in try node.storeInvites(of: index, issued.operation, at: now)
        }
        batch.answer(id, .invite(id: issued.token.secret.id.description, token: issued.token.text()))
    }

    func invites(of index: SpaceHandle, at now: Instant) -> [InviteReport] {
        spaces[index].roster.inviteRecords().map { record in
            InviteReport(
                id: record.invite.id.description, role: record.invite.role,
                expires: record.invite.expirySeconds, state: state(of: record, in: index, at: now),
                spentBy: record.spentBy.map(spaces[index].named))
        }
    }

    /// What became of an invite. Only its issuer knows that it is burned, or let a device in again that was
    /// still listed: neither leaves an operation.
    private func state(of record: InviteRecord, in index: SpaceHandle, at now: Instant) -> String {
        let issued = spaces[index].invites
        if record.spentBy != nil || issued.isSpent(record.invite.id) { return "spent" }
        // It admits as long as its issuer may.
        if record.isRevoked || spaces[index].roster.role(of: record.issuer) != .admin { return "revoked" }
        if issued.isBurned(record.invite.id) { return "burned" }
        return now.wall / 1_000 > record.invite.expirySeconds ? "expired" : "open"
    }

    mutating func revokeInvite(_ id: RequestID, in index: SpaceHandle, invite: String, at now: Instant)
        throws(NodeError)
    {
        try need(.admin, in: index)
        let known = spaces[index].roster.inviteRecords().contains { $0.invite.id.description == invite }
        guard known, let inviteID = InviteID(invite) else { throw .noSuchInvite(invite) }
        if !spaces[index].roster.isRevoked(inviteID) {
            let operation: RosterOperation
            do throws(RosterFault) {
                operation = try spaces[index].membership.revokeInvite(
                    inviteID, at: now, by: configuration.device)
            } catch {
                throw .noRight(have: try myRole(in: index), need: .admin)
            }
            try stored { node throws(StoreFailure) in try node.storeInvites(of: index, operation, at: now) }
        }
        batch.answer(id, .done)
    }

    /// Stores a roster operation of ours together with the invites that it changed.
    mutating func storeInvites(
        of index: SpaceHandle, _ operation: RosterOperation?, at now: Instant
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        if let operation {
            try store.addRosterOperation(spaces[index].id, operation.bytes)
            rosterAdvanced(index, by: [operation], at: now)
        }
        try store.setMeta(NodeMeta.invites(spaces[index].id), spaces[index].invites.encoded())
    }
}

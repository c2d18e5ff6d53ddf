// Who belongs to a space: the roster, the keys that its members share, and the invites that this node
// issued. A step that changes one of them mostly changes another, so they are one value.

import Bytes
import Causality
import Crypto
import Identity
import Roster
import Wire

/// The membership of a space as this node knows it.
struct SpaceMembership: Sendable {
    var roster: Roster
    var keys: SpaceKeys
    /// Secrets of the invites that this node issued here.
    var invites: IssuedInvites

    /// Of a space that was just made or joined.
    init(roster: Roster, keys: SpaceKeys) {
        self.roster = roster
        self.keys = keys
        invites = IssuedInvites()
    }

    init(of record: SpaceRecord, from store: some StoreReading) throws(StoreFailure) {
        roster = try Self.roster(of: record.id, stored: try store.rosterOperations(record.id))
        do throws(SpaceKeysFault) {
            keys = try SpaceKeys(decoding: record.keys, of: record.id)
        } catch {
            throw .unreadable(.keys(of: record.id), error)
        }
        invites = try Self.invites(of: record.id, from: store)
    }

    /// Decides about a joiner; roster and invites change together.
    mutating func admit(
        _ request: JoinRequest, ephemeral: AgreementKey, at now: Instant, by key: SigningKey
    ) -> JoinOutcome {
        invites.admit(request, in: &roster, keys: keys, ephemeral: ephemeral, at: now, by: key)
    }

    mutating func issueInvite(
        _ role: Role, expirySeconds: UInt64, secret: Secret, hints: [PeerAddress], at now: Instant,
        by key: SigningKey
    ) throws(IssueFault) -> (operation: RosterOperation, token: InviteToken) {
        try invites.issue(
            role, expirySeconds: expirySeconds, secret: secret, hints: hints, in: &roster, at: now, by: key)
    }

    mutating func revokeInvite(_ id: InviteID, at now: Instant, by key: SigningKey) throws(RosterFault)
        -> RosterOperation
    {
        try invites.revoke(id, in: &roster, at: now, by: key)
    }

    private static func roster(of space: SpaceID, stored operations: [[UInt8]]) throws(StoreFailure) -> Roster
    {
        do {
            guard let genesis = operations.first else { throw RosterFault.notGenesis }
            var roster = try Roster(genesis: RosterOperation(decoding: genesis))
            for bytes in operations.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
            return roster
        } catch {
            throw .unreadable(.roster(of: space), error)
        }
    }

    private static func invites(of space: SpaceID, from store: some StoreReading) throws(StoreFailure)
        -> IssuedInvites
    {
        guard let bytes = try store.meta(NodeMeta.invites(space)) else { return IssuedInvites() }
        do throws(DecodeFault) {
            return try IssuedInvites(decoding: bytes)
        } catch {
            throw .unreadable(.invites(of: space), error)
        }
    }
}

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
    /// What each author may still say in the roster.
    private(set) var budgets = RosterBudgets()

    /// Of a space that was just made or joined.
    init(roster: Roster, keys: SpaceKeys) {
        self.roster = roster
        self.keys = keys
        invites = IssuedInvites()
    }

    init(of record: SpaceRecord, from store: some StoreReading, at now: Instant) throws(StoreFailure) {
        budgets = try Self.budgets(of: record.id, from: store, at: now)
        roster = try Self.roster(of: record.id, from: store, flooding: budgets.flooding)
        do throws(SpaceKeysFault) {
            keys = try SpaceKeys(decoding: record.keys, of: record.id)
        } catch {
            throw .unreadable(.keys(of: record.id), error)
        }
        invites = try Self.invites(of: record.id, from: store)
    }

    /// What became of an operation that a peer sent.
    enum Intake {
        /// Store them, in this order.
        case added([RosterOperation])
        case known
        /// It waits for operations that it names.
        case waiting
        /// Its author said enough for now. `isFirst`: nothing else of it was put off.
        case putOff(isFirst: Bool)
    }

    /// Takes an operation from a peer; nobody's signature is looked at for more than its author's budget. A
    /// throw is the author's or the sender's fault.
    mutating func take(_ operation: RosterOperation, at now: Instant) throws(RosterFault) -> Intake {
        switch roster.known(operation.id) {
        case .known: return .known
        case .waiting: return .waiting
        case .added, nil: break
        }
        let role = roster.role(of: operation.author)
        let isOpen = budgets.isOpen(for: operation.author, role, at: now)
        guard isOpen || isPlanted("roster-unbudgeted") else {
            return .putOff(isFirst: budgets.putOff(operation.bytes.count, of: operation.author, role))
        }
        guard operation.isSigned() else { throw .notSigned(by: operation.author) }
        budgets.spend(operation.bytes.count, of: operation.author, role, at: now)
        if roster.flooding != budgets.flooding { roster.flooding = budgets.flooding }
        switch try roster.add(signed: operation) {
        case .added(let added): return .added(added)
        case .known: return .known
        case .waiting: return .waiting
        }
    }

    /// When what was put off may be asked for again, monotonic milliseconds.
    var deadline: UInt64? { budgets.deadline { roster.role(of: $0) } }

    /// Authors whose operations may be asked for again now.
    mutating func askAgain(at now: Instant) -> [DeviceID?] {
        let roster = roster
        return budgets.askAgain({ roster.role(of: $0) }, at: now)
    }

    /// The accounts, when they changed since they were stored.
    mutating func budgetsToStore(at now: Instant) -> [UInt8]? {
        budgets.isChanged ? budgets.encoded(at: now) : nil
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

    private static func budgets(
        of space: SpaceID, from store: some StoreReading, at now: Instant
    ) throws(StoreFailure) -> RosterBudgets {
        guard let bytes = try store.meta(NodeMeta.rosterBudgets(space)) else { return RosterBudgets() }
        do throws(DecodeFault) {
            return try RosterBudgets(decoding: bytes, at: now)
        } catch {
            // They guard against others, and nothing is lost with them.
            return RosterBudgets()
        }
    }

    private static func roster(
        of space: SpaceID, from store: some StoreReading, flooding: Set<DeviceID>
    ) throws(StoreFailure) -> Roster {
        var roster: Roster?
        try store.readRoster(space) { bytes throws(StoreFailure) in
            do throws(RosterFault) {
                if roster == nil {
                    roster = try Roster(restoring: bytes, flooding: flooding)
                } else {
                    try roster?.restore(bytes)
                }
            } catch {
                throw .unreadable(.roster(of: space), error)
            }
        }
        guard let roster else { throw .unreadable(.roster(of: space), RosterFault.notGenesis) }
        return roster
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

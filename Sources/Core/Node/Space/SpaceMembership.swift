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
    private(set) var keys: SpaceKeys
    /// Which key epochs the roster says there are, and who can open them.
    private(set) var epochs: KeyEpochs
    /// Access secrets under which links of others are answered, newest first.
    private(set) var accepted: [SpaceKeys.Epoch]
    private var linked = LinkedEpochs()
    /// The keys differ from those in the store.
    private var areKeysUnstored = false
    /// What lacks of the keys, and since when.
    private(set) var keyWork = KeyWork()
    /// Secrets of the invites that this node issued here.
    var invites: IssuedInvites
    /// What each author may still say in the roster.
    private(set) var budgets = RosterBudgets()
    /// What this device runs may have to be said: the roster was opened, or grew.
    var isSoftwareDue = true

    /// This node's.
    var device: DeviceID { epochs.device }

    /// Of a space that was just made or joined.
    init(roster: Roster, keys: SpaceKeys, device: DeviceID) {
        self.roster = roster
        self.keys = keys
        epochs = KeyEpochs(of: &self.roster, for: device)
        accepted = keys.accessEpochs
        invites = IssuedInvites()
    }

    init(
        of record: SpaceRecord, device: DeviceID, from store: some StoreReading, at now: Instant
    ) throws(StoreFailure) {
        budgets = try Self.budgets(of: record.id, from: store, at: now)
        (roster, epochs) = try Self.roster(
            of: record.id, for: device, from: store, flooding: budgets.flooding)
        do throws(SpaceKeysFault) {
            keys = try SpaceKeys(decoding: record.keys, of: record.id)
        } catch {
            throw .unreadable(.keys(of: record.id), error)
        }
        accepted = keys.accessEpochs
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
        guard let payer = payer(of: operation, at: now) else {
            let role = roster.role(of: operation.author)
            return .putOff(isFirst: budgets.putOff(operation.bytes.count, of: operation.author, role))
        }
        guard operation.isSigned() else { throw .notSigned(by: operation.author) }
        budgets.spend(operation.bytes.count, of: payer, roster.role(of: payer), at: now)
        if roster.flooding != budgets.flooding { roster.flooding = budgets.flooding }
        switch try roster.add(signed: operation) {
        case .added(let added): return .added(added)
        case .known: return .known
        case .waiting: return .waiting
        }
    }

    /// Whose account an operation is on: its author's. When that is used up, that of a member whose operation
    /// waits for this one: while its author was calm, others named what it signed, and they shall not wait
    /// for what it signed since. Nil: it is put off.
    private mutating func payer(of operation: RosterOperation, at now: Instant) -> DeviceID? {
        let author = operation.author
        if budgets.isOpen(for: author, roster.role(of: author), at: now) || isPlanted("roster-unbudgeted") {
            return author
        }
        for waiting in roster.authors(waitingFor: operation.id) where waiting != author {
            guard let role = roster.role(of: waiting), !budgets.flooding.contains(waiting) else { continue }
            if budgets.isOpen(for: waiting, role, at: now) { return waiting }
        }
        return nil
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

    // MARK: Keys

    /// Takes in what the roster says of keys. `isForced`: also when no operation is about them.
    mutating func readKeys(with boxKey: AgreementKey, isForced: Bool, at now: Instant) {
        guard epochs.read(&roster) || isForced else { return }
        if keys.read(epochs, in: roster, with: boxKey) { areKeysUnstored = true }
        updateAccepted()
        keyWork.update(keys, epochs, &roster, at: now.monotonic)
    }

    /// What is told here of another device's packages and links is not this one's.
    mutating func forgetKeyWork(of device: DeviceID) {
        epochs = KeyEpochs(of: &roster, for: device)
        (linked, keyWork) = (LinkedEpochs(), KeyWork())
    }

    /// True once after the keys changed: the record is to be stored.
    mutating func takeKeysUnstored() -> Bool {
        defer { areKeysUnstored = false }
        return areKeysUnstored
    }

    /// Begins an epoch: its operations are in the roster, and are stored with the record. Admins only.
    mutating func rotate(_ entropy: inout Entropy, at now: Instant, by key: SigningKey) throws(RosterFault)
        -> KeyRotation
    {
        let rotation = try keys.rotated(in: &roster, epochs, &entropy, at: now.timestamp, by: key)
        keys = rotation.keys
        areKeysUnstored = true
        return rotation
    }

    /// Packages of the current epoch, and of stranded ones, for members that lack them and are this device's
    /// to give now; the roster has them.
    mutating func givePackages(_ entropy: inout Entropy, at now: Instant, by key: SigningKey)
        throws(RosterFault) -> [RosterOperation]
    {
        var given: [RosterOperation] = []
        let mayGive = roster.role(of: device)?.allows(.keyEpoch) == true
        for (epoch, members) in keyWork.takeDue(at: now.monotonic) {
            given +=
                mayGive
                ? try keys.packages(
                    of: epoch, for: members, in: &roster, &entropy, at: now.timestamp, by: key)
                : try keys.packages(
                    fromBefore: epoch, for: members, epochs, in: &roster, &entropy, at: now.timestamp, by: key
                )
        }
        return given
    }

    /// Under which a peer is sent what is here.
    func sealing(to peer: DeviceID) -> SpaceKeys.Epoch { keys.sealing(to: peer, epochs, in: roster) }

    mutating func putOffRotation(to moment: UInt64) { keyWork.rotationCheck = moment }

    /// This device was let in again: what came with it is held beside the rest.
    mutating func join(_ other: SpaceKeys) {
        keys.formUnion(other)
        areKeysUnstored = true
    }

    /// A member is linked under an epoch of this number.
    mutating func recordLinked(_ device: DeviceID, under number: KeyEpochNumber) {
        guard keys.epochs.count > 1 else { return }
        linked.record(device, linkedUnder: number)
        updateAccepted()
    }

    private mutating func updateAccepted() {
        accepted = keys.accessEpochs(in: roster, epochs, linked: linked)
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
        of space: SpaceID, for device: DeviceID, from store: some StoreReading, flooding: Set<DeviceID>
    ) throws(StoreFailure) -> (Roster, KeyEpochs) {
        var restored: RestoredRoster?
        try store.readRoster(space) { bytes throws(StoreFailure) in
            do throws(RosterFault) {
                if restored == nil {
                    restored = try RestoredRoster(genesis: bytes, for: device, flooding: flooding)
                } else {
                    try restored?.restore(bytes)
                }
            } catch {
                throw .unreadable(.roster(of: space), error)
            }
        }
        guard let restored else { throw .unreadable(.roster(of: space), RosterFault.notGenesis) }
        var roster = restored.roster
        // What followed from it was done, or is noted, since it was taken in.
        _ = roster.takeRejudged()
        return (roster, restored.epochs)
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

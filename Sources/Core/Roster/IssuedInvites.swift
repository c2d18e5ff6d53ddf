// The secrets of the invites that this node issued, by space. The roster keeps the public halves only, so
// nobody else can admit. What is spent, expired, revoked or burned is remembered for 30 days after its
// expiry, so that its holder completes the handshake and hears which it is instead of silence (DESIGN 7).

import Bytes
public import Causality
public import Crypto
public import Wire

/// Why no invite was issued.
public enum IssueFault: Error, Equatable, Sendable {
    /// The roster refuses it: the device is no admin.
    case refused(RosterFault)
    /// So many are open at once.
    case tooMany(limit: Int)
}

/// The invites that this node issued in one space.
public struct IssuedInvites: Sendable {
    struct Entry: Sendable, Equatable {
        let secret: InviteSecret
        let role: Role
        let expirySeconds: UInt64
        var state: State
    }

    enum State: Sendable, Equatable {
        case open(wrongProofs: Int)
        /// The operation that added the device is the answer to repeat.
        case spent(by: DeviceID, add: Bytes32)
        case revoked
        case burned
    }

    /// At most `RosterLimits.issuedInvitesMax`.
    var entries: [InviteID: Entry] = [:]

    public init() {}

    public var count: Int { entries.count }

    /// Adds an invite to the roster and keeps its secret; both are to be stored in one transaction. `secret`
    /// is 32 fresh random bytes.
    public mutating func issue(
        _ role: Role, expirySeconds: UInt64, secret: Secret, hints: [PeerAddress], in roster: inout Roster,
        at now: Instant, by key: SigningKey
    ) throws(IssueFault) -> (operation: RosterOperation, token: InviteToken) {
        makeRoom(at: now)
        guard entries.count < RosterLimits.issuedInvitesMax else {
            throw .tooMany(limit: RosterLimits.issuedInvitesMax)
        }
        let invite = InviteSecret(secret)
        let publicHalf = RosterBody.Invite(
            id: invite.id, role: role, expirySeconds: expirySeconds, key: invite.signingKey().publicKey)
        let operation: RosterOperation
        do throws(RosterFault) {
            operation = try roster.author(.invite(publicHalf), at: now.timestamp, by: key)
            _ = try roster.add(operation)
        } catch {
            throw .refused(error)
        }
        entries[invite.id] = Entry(
            secret: invite, role: role, expirySeconds: expirySeconds, state: .open(wrongProofs: 0))
        let token = InviteToken(
            secret: invite, space: roster.space, expirySeconds: expirySeconds,
            hints: Array(hints.prefix(RosterLimits.addressesMax)))
        return (operation, token)
    }

    /// Revokes an invite, of this node or of another; the result is to be stored with `self` in one
    /// transaction.
    public mutating func revoke(
        _ id: InviteID, in roster: inout Roster, at now: Instant, by key: SigningKey
    ) throws(RosterFault) -> RosterOperation {
        let operation = try roster.author(.revokeInvite(id), at: now.timestamp, by: key)
        _ = try roster.add(operation)
        // Who came by it stays a member and may still fetch its answer.
        if case .open = entries[id]?.state { entries[id]?.state = .revoked }
        return operation
    }

    /// The secret behind an invite id that a link's preamble names, remembered ones included; nil: silence.
    public func secret(of id: InviteID) -> InviteSecret? { entries[id]?.secret }

    /// All that are remembered, ascending by id.
    public var secrets: [InviteSecret] {
        entries.sorted { $0.key.raw < $1.key.raw }.map(\.value.secret)
    }

    /// True when a device came by this invite, or came back by it.
    public func isSpent(_ id: InviteID) -> Bool {
        if case .spent = entries[id]?.state { true } else { false }
    }

    /// True when wrong proofs closed it for all.
    public func isBurned(_ id: InviteID) -> Bool {
        if case .burned = entries[id]?.state { true } else { false }
    }

    /// Forgets what expired more than 30 days ago. True when something went.
    @discardableResult
    public mutating func forget(at now: Instant) -> Bool {
        let before = entries.count
        entries = entries.filter { !$0.value.isForgotten(at: now) }
        return entries.count < before
    }

    /// When it is full, an invite that is of no use any more gives way, the one that expired first before
    /// others.
    private mutating func makeRoom(at now: Instant) {
        forget(at: now)
        guard entries.count >= RosterLimits.issuedInvitesMax else { return }
        let useless = entries.filter { !$0.value.isOpen(at: now) }
        let first = useless.min { left, right in
            (left.value.expirySeconds, left.key.raw) < (right.value.expirySeconds, right.key.raw)
        }
        if let first { entries[first.key] = nil }
    }
}

extension IssuedInvites.Entry {
    func isExpired(at now: Instant) -> Bool { now.wall / 1_000 > expirySeconds }

    func isOpen(at now: Instant) -> Bool {
        if case .open = state { !isExpired(at: now) } else { false }
    }

    func isForgotten(at now: Instant) -> Bool {
        let seconds = now.wall / 1_000
        return seconds > expirySeconds && seconds - expirySeconds > RosterLimits.inviteMemorySeconds
    }
}

extension Instant {
    /// The wall time as operations carry it; one past what they can carry is cut.
    var timestamp: Timestamp { min(Timestamp(milliseconds: wall), .max) }
}

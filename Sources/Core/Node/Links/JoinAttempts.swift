// Requests to join, from the token to the answer: which address is tried next, what came of it, and what the
// person who waits is told. Hints of the token come first, then static peers, then whoever is heard on the
// local network. Connections, keys and the space that comes of it are `Node`'s.
//
//     begin -> dial -> (the handshake: prove -> answer -> finish) | failed -> the next address
//                                                                  -> pause, listen for datagrams
//                                                                  -> all again, for a minute -> refuse

import Causality
import Crypto
import Mesh
import Roster
import Wire

/// The joiner's half of joining, all requests.
struct JoinAttempts: StateMachine {
    /// What a request asks for.
    enum Action: Sendable {
        /// The program that waits hears how far it is.
        case stage(RequestID, String)
        /// The address is to be dialled for the request, which joins this space.
        case dial(PeerAddress, RequestID, SpaceID)
        /// The address under way did not answer in time: its connection or dial ends, and that is a failure.
        case hangUp(RequestID)
        /// Nothing is left to try.
        case refuse(RequestID, NodeError)
    }

    /// Who was heard on the local network.
    struct Neighbourhood: Sendable {
        /// Senders of datagrams, the last heard first.
        let hosts: [String]
        let isListening: Bool
    }

    private var attempts: [RequestID: JoinAttempt] = [:]

    var count: Int { attempts.count }
    subscript(_ request: RequestID) -> JoinAttempt? { attempts[request] }

    /// True while an attempt to join the space is under way.
    func areJoining(_ space: SpaceID) -> Bool { attempts.values.contains { $0.token.space == space } }

    /// Monotonic milliseconds.
    var deadline: UInt64? { attempts.values.lazy.map(\.deadline).min() }

    // MARK: From the request

    /// Addresses in the order in which they are tried, each once.
    mutating func begin(
        _ request: RequestID, _ token: InviteToken, name: String?, addresses: [PeerAddress],
        _ near: Neighbourhood, at now: Instant
    ) -> [Action] {
        precondition(attempts[request] == nil, "request \(request) joins already")
        precondition(count < JoinAttempt.attemptsMax, "\(count) joins are under way")
        attempts[request] = JoinAttempt(
            token: token, name: name, addresses: addresses, at: now.monotonic)
        return tryNext(request, near, at: now)
    }

    /// The program went away, or the space is joined; a membership that is on its way is then found by the
    /// next try with the same token.
    mutating func end(_ request: RequestID) { attempts[request] = nil }

    /// The node stops: the requests, ascending.
    mutating func endAll() -> [RequestID] {
        defer { attempts = [:] }
        return attempts.keys.sorted()
    }

    // MARK: From dials and connections

    /// The connection on which a leave was told is over, whatever came of it: now the address is joined at.
    /// False when the request went on or is gone.
    mutating func leaveAcknowledged(_ request: RequestID, at address: PeerAddress, _ now: Instant) -> Bool {
        guard attempts[request]?.phase.address == address else { return false }
        attempts[request]?.deadline = now.monotonic + JoinAttempt.addressMilliseconds
        return true
    }

    /// The present address failed. `answered`: the connection stood.
    mutating func fail(
        _ request: RequestID, reason: String, answered: Bool, _ near: Neighbourhood, at now: Instant
    ) -> [Action] {
        guard let address = attempts[request]?.phase.address else { return [] }
        attempts[request]?.fail(address, reason, isUnknown: answered)
        return tryNext(request, near, at: now)
    }

    /// A joining connection is gone, or was refused by the issuer.
    mutating func connectionEnded(
        _ request: RequestID, reason: String, refusal: JoinRefusal?, _ near: Neighbourhood, at now: Instant
    ) -> [Action] {
        guard let attempt = attempts[request] else { return [] }
        if let error = refusal.flatMap({ Self.error(of: $0, attempt, at: now) }) {
            attempts[request] = nil
            return [.refuse(request, error)]
        }
        let isUnknown = attempt.phase.isBeforeProof || refusal == .unknown
        return fail(request, reason: reason, answered: isUnknown, near, at: now)
    }

    /// The handshake is complete, and this is what the proof is made with. Nothing comes of it when the
    /// request is gone.
    mutating func prove(_ request: RequestID, with joining: Joining) -> [Action] {
        guard let address = attempts[request]?.phase.address else { return [] }
        attempts[request]?.phase = .proving(address, joining)
        return [.stage(request, "proving the invite")]
    }

    /// A part of the issuer's answer; nil: more is to come, or nobody waits for it.
    mutating func receive(
        _ body: [UInt8], for request: RequestID, at now: Instant
    ) throws(JoinFault) -> JoinedSpace? {
        guard case .proving(let address, var joining)? = attempts[request]?.phase else { return nil }
        // Not held twice while it grows; and after a fault the address is one that does not know the invite.
        attempts[request]?.phase = .trying(address)
        let joined = try joining.take(body)
        attempts[request]?.phase = .proving(address, joining)
        // A roster may be large and the link slow: whoever sends on is not given up.
        attempts[request]?.deadline = now.monotonic + JoinAttempt.addressMilliseconds
        return joined
    }

    // MARK: From time and the local network

    mutating func tick(_ near: Neighbourhood, at now: Instant) -> [Action] {
        var actions: [Action] = []
        for request in attempts.keys.sorted() {
            guard let attempt = attempts[request], now.monotonic >= attempt.deadline else { continue }
            if attempt.phase.address != nil {
                actions.append(.hangUp(request))
                continue
            }
            // Between two rounds: all addresses again, until time is up.
            if now.monotonic < attempt.until { attempts[request]?.remaining = attempt.addresses }
            actions += tryNext(request, near, at: now)
        }
        return actions
    }

    /// Somebody sent a datagram of a beacon's size: whoever waits for one tries it.
    mutating func senderHeard(_ host: String, _ near: Neighbourhood, at now: Instant) -> [Action] {
        var actions: [Action] = []
        for request in attempts.keys.sorted() {
            guard let attempt = attempts[request], attempt.phase.address == nil,
                !attempt.senders.contains(host)
            else { continue }
            actions += tryNext(request, near, at: now)
        }
        return actions
    }

    func checkInvariants(whole: Bool) {
        precondition(count <= JoinAttempt.attemptsMax, "\(count) joins are under way")
        guard whole else { return }
        for (request, attempt) in attempts {
            precondition(
                attempt.phase.address.map(attempt.tried.contains) ?? true,
                "request \(request) dials an address that it does not remember")
            precondition(
                attempt.phase.address != nil || attempt.deadline <= attempt.until,
                "request \(request) waits longer than it may")
            precondition(attempt.senders.count <= JoinAttempt.sendersMax, "\(attempt.senders.count) senders")
        }
    }

    // MARK: - The next address

    private mutating func tryNext(
        _ request: RequestID, _ near: Neighbourhood, at now: Instant
    ) -> [Action] {
        guard var attempt = attempts[request] else { return [] }
        if attempt.remaining.isEmpty { attempt.addSenders(near.hosts) }
        guard !attempt.remaining.isEmpty else {
            if attempt.isOver(isListening: near.isListening, at: now.monotonic) {
                attempts[request] = nil
                return [.refuse(request, attempt.end(isListening: near.isListening))]
            }
            attempt.pause(at: now.monotonic)
            attempts[request] = attempt
            return attempt.rounds == 1 ? [.stage(request, Self.waiting(near))] : []
        }
        let address = attempt.remaining.removeFirst()
        attempt.phase = .trying(address)
        attempt.tried.insert(address)
        attempt.deadline = now.monotonic + JoinAttempt.addressMilliseconds
        attempts[request] = attempt
        return [.stage(request, "dialling \(address)"), .dial(address, request, attempt.token.space)]
    }

    private static func waiting(_ near: Neighbourhood) -> String {
        "the inviting box is not reached yet: trying again for a minute"
            + (near.isListening ? ", and listening for boxes on the local network" : "")
    }

    /// A refusal that no other address can turn; nil: try the next one.
    private static func error(
        of refusal: JoinRefusal, _ attempt: JoinAttempt, at now: Instant
    ) -> NodeError? {
        switch refusal {
        case .spent: .inviteSpent
        case .burned: .inviteBurned
        case .wrongProof: .inviteProofWrong
        case .issuerWithoutRight: .issuerWithoutRight
        // Ours never is; whoever says so did not accept it.
        case .weakBoxKey: .inviteProofWrong
        case .expired: .inviteExpired(at: attempt.token.expirySeconds, now: now.wall / 1_000)
        case .revoked: .inviteRevoked
        case .alreadyMember: .alreadyMember(attempt.token.space)
        case .unknown: nil
        }
    }
}

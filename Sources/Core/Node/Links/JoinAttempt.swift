// One request to join, from the token to the space. It tries address after address; each failure is kept, so
// that a person learns what was tried and why it did not work. A joiner whose token leads nowhere sees who
// sends datagrams of a beacon's size, and tries them at the standard port (DESIGN 7): the inviter may have
// moved, or be on this network and nowhere else. Who does not know the invite is silent.

import Causality
import Mesh
import Roster
import Wire

/// A joiner's state.
struct JoinAttempt: Sendable {
    /// How far it is with one address.
    enum Phase: Sendable {
        /// None is under way: between two, or datagrams are waited for.
        case idle
        /// Dialled, or connected and shaking hands.
        case trying(PeerAddress)
        /// The proof was sent, and the answer is awaited.
        case proving(PeerAddress, Joining)

        var address: PeerAddress? {
            switch self {
            case .idle: nil
            case .trying(let address), .proving(let address, _): address
            }
        }

        /// Who ends the connection now does not know the invite.
        var isBeforeProof: Bool {
            if case .proving = self { false } else { true }
        }
    }

    let token: InviteToken
    /// The local name wanted; nil: the creator's.
    let name: String?
    /// Not tried yet, in order.
    var remaining: [PeerAddress]
    /// "ADDRESS: why", in the order tried.
    var failures: [String] = []
    /// Somebody answered the connection, but not the handshake: it does not know the invite.
    var wasUnknown = false
    /// Everything that was tried.
    var tried: Set<PeerAddress> = []
    /// Senders of datagrams that were tried, at TCP 21420 whatever they announced.
    private(set) var senders: Set<String> = []
    /// Nobody was left to try, so datagrams are waited for, until this moment at most; set once.
    private(set) var listeningUntil: UInt64?
    var phase = Phase.idle
    /// Monotonic milliseconds by which the present address must have answered, or a datagram come.
    var deadline: UInt64

    init(token: InviteToken, name: String?, remaining: [PeerAddress], deadline: UInt64) {
        (self.token, self.name, self.remaining, self.deadline) = (token, name, remaining, deadline)
    }

    /// Who was heard lately is tried after everything else.
    mutating func addSenders(_ hosts: [String]) {
        for host in hosts {
            guard senders.count < Self.sendersMax, senders.insert(host).inserted,
                let address = PeerAddress("\(host):\(Self.senderPort)"), !tried.contains(address)
            else { continue }
            remaining.append(address)
        }
    }

    /// True when it waits for a datagram now; false when it waited long enough or tried as many as it may.
    mutating func listens(at now: Instant) -> Bool {
        let until = listeningUntil ?? now.monotonic + Self.listenMilliseconds
        guard senders.count < Self.sendersMax, now.monotonic < until else { return false }
        listeningUntil = until
        deadline = until
        phase = .idle
        return true
    }

    /// For one address: connecting, shaking hands, and an answer of up to 64 MiB.
    static let addressMilliseconds: UInt64 = 60_000
    /// Joins at once; one more is 429.
    static let attemptsMax = 16
    /// A beacon comes each half minute, a fifth later at most.
    static let listenMilliseconds: UInt64 = 40_000
    /// Strangers tried by one attempt: each costs a dial.
    static let sendersMax = 16
    static let senderPort = 21_420
}

// One request to join, from the token to the space. It tries address after address, and all of them again
// for a minute (0161); failures are kept, so that a person learns what was tried and why it did not work.
// A joiner whose token leads nowhere sees who sends datagrams of a beacon's size, and tries them at the
// standard port (DESIGN 7): the inviter may have moved, or be on this network and nowhere else. Who does
// not know the invite is silent.

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

    /// An address that did not let the device in.
    struct Failure: Sendable {
        let address: PeerAddress
        var reason: String
        var count = 1
        /// Somebody answered the connection, but not the handshake: it does not know the invite.
        var isUnknown: Bool
    }

    let token: InviteToken
    /// The local name wanted; nil: the creator's.
    let name: String?
    /// What the token and the settings name, in the order in which a round tries them.
    let addresses: [PeerAddress]
    /// Monotonic milliseconds after which no round begins.
    let until: UInt64
    /// Not tried yet in this round, in order.
    var remaining: [PeerAddress]
    /// The last of each address, in the order tried first.
    private(set) var failures: [Failure] = []
    /// Everything that was tried.
    var tried: Set<PeerAddress> = []
    /// Senders of datagrams that were tried, at TCP 21420 whatever they announced.
    private(set) var senders: Set<String> = []
    var phase = Phase.idle
    /// Monotonic milliseconds by which the present address must have answered, or the next round begins.
    var deadline: UInt64
    /// Rounds that are over.
    private(set) var rounds = 0

    init(token: InviteToken, name: String?, addresses: [PeerAddress], at now: UInt64) {
        (self.token, self.name, self.addresses, remaining) = (token, name, addresses, addresses)
        until = now + Self.patienceMilliseconds
        deadline = until
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

    /// The present address failed.
    mutating func fail(_ address: PeerAddress, _ reason: String, isUnknown: Bool) {
        phase = .idle
        if let index = failures.firstIndex(where: { $0.address == address }) {
            failures[index].reason = reason
            failures[index].count += 1
            failures[index].isUnknown = isUnknown
        } else {
            failures.append(Failure(address: address, reason: reason, isUnknown: isUnknown))
        }
    }

    /// True when nothing is left that could still let the device in: time is up, or whoever is there does not
    /// know the invite and nobody else can turn up.
    func isOver(isListening: Bool, at now: UInt64) -> Bool {
        if now >= until { return true }
        return !isListening && failures.allSatisfy(\.isUnknown)
    }

    /// A round is over: when the next one begins. The first ones follow quickly, for an inviter that just
    /// starts.
    mutating func pause(at now: UInt64) {
        rounds += 1
        phase = .idle
        deadline = min(until, now + Self.pausesMilliseconds[min(rounds, Self.pausesMilliseconds.count) - 1])
    }

    /// Why it ends without a space.
    func end(isListening: Bool) -> NodeError {
        if failures.contains(where: \.isUnknown) { return .inviteForeign }
        var words = failures.map { failure in
            "\(failure.address): \(failure.reason)" + (failure.count > 1 ? " (\(failure.count) times)" : "")
        }
        if isListening, senders.isEmpty { words.append("local network: no other box was heard") }
        return .inviterUnreachable(tried: words)
    }

    /// For one address: connecting, shaking hands, and an answer of up to 64 MiB.
    static let addressMilliseconds: UInt64 = 60_000
    /// Joins at once; one more is 429.
    static let attemptsMax = 16
    /// From the request on: a beacon comes each half minute, a fifth later at most, and a person starts the
    /// inviter when the joiner says that it is not there.
    static let patienceMilliseconds: UInt64 = 60_000
    /// Between rounds over all addresses; the last one stays.
    static let pausesMilliseconds: [UInt64] = [500, 1_000, 2_000, 4_000]
    /// Strangers tried by one attempt: each costs a dial.
    static let sendersMax = 16
    static let senderPort = 21_420
}

// One request to join, from the token to the space. It tries address after address; each failure is kept, so
// that a person learns what was tried and why it did not work.

import Causality
import Mesh
import Roster
import Wire

/// A joiner's state.
struct JoinAttempt: Sendable {
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
    var senders: Set<String> = []
    /// Nobody is left to try, so datagrams are waited for, until this moment at most.
    var listeningUntil: UInt64?
    /// The address under way, with its connection and what came of it so far.
    var current: PeerAddress?
    /// Set once the proof was sent.
    var joining: Joining?
    /// Monotonic milliseconds by which the present address must have answered.
    var deadline: UInt64

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

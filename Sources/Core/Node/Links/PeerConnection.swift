// One connection to another node, from its first byte: the secure link, and once the handshake is complete
// what is spoken on it. A link carries one channel a shared space; channel 0 is the space under whose key it
// was opened.

import Bytes
import Causality
import Mesh
import Replication
import Roster
import SecureLink
import Wire

/// Why there is a connection.
enum ConnectionPurpose: Sendable {
    /// Somebody dialled us.
    case accepted
    /// We dialled, under the key of this space.
    case mesh(PeerAddress, SpaceID)
    /// We dialled to join, for this request.
    case join(PeerAddress, RequestID)
    /// We dialled to tell that this device left the space, which this request then joins again.
    case tell(PeerAddress, SpaceID, RequestID)

    /// The address that was dialled.
    var address: PeerAddress? {
        switch self {
        case .accepted: nil
        case .mesh(let address, _), .join(let address, _), .tell(let address, _, _): address
        }
    }

    /// The join that waits for it.
    var request: RequestID? {
        switch self {
        case .accepted, .mesh: nil
        case .join(_, let request), .tell(_, _, let request): request
        }
    }
}

/// A connection of the node, reached by its `ConnectionHandle`.
struct PeerConnection: Sendable {
    /// How far it has come.
    enum Phase: Sendable {
        /// The handshake is under way.
        case handshaking
        /// Somebody who holds an invite of ours is at the other end, and must prove who it is by `deadline`,
        /// monotonic milliseconds. A proof is answered once.
        case admitting(deadline: UInt64, hasProved: Bool)
        /// Our proof is with the issuer of an invite, whose answer is awaited.
        case joining
        /// A mesh link, on which channels are open.
        case linked(LinkHandle)
    }

    let id: ConnectionID
    let purpose: ConnectionPurpose
    /// "ip:port" of the other end.
    let remote: String
    var secure: SecureLink
    var phase = Phase.handshaking
    var traffic = LinkTraffic()
    /// Rosters on their way out.
    var pour = Pour()

    init(id: ConnectionID, purpose: ConnectionPurpose, remote: String, secure: SecureLink) {
        (self.id, self.purpose, self.remote, self.secure) = (id, purpose, remote, secure)
    }
}

/// Bytes of connections, encrypted, as they cross the network.
struct LinkTraffic: Sendable, Equatable {
    var received: UInt64 = 0
    var sent: UInt64 = 0

    mutating func add(_ other: LinkTraffic) {
        received &+= other.received
        sent &+= other.sent
    }
}

/// A mesh link whose handshake is complete.
struct PeerLink: Sendable {
    /// One space that is spoken of.
    struct Channel: Sendable {
        let number: UInt16
        var space: SpaceID
        let handle: ChannelHandle
    }

    let connection: ConnectionHandle
    let device: DeviceID
    let instance: UInt64
    let handshakeHash: [UInt8]
    let role: LinkRole
    /// Monotonic milliseconds.
    let begun: UInt64
    var liveness: Liveness
    /// The cap of this link.
    var rate = RateBucket()
    /// Ascending by number; a space has at most one. Changed by `Connections` alone.
    var channels: [Channel] = []
    /// The next number that this side may open: even for the initiator, odd for the responder.
    var nextChannel: UInt16
    /// A newer link of another instance of the device stands: an answer to this token proves that both live.
    var cloneProbe: UInt64?
    /// The peer's wall clock minus ours, milliseconds: from its certificate, then from its PINGs.
    var clockOffset: Int64
}

/// A cap on bytes a second.
enum RateCap: Sendable {
    case link
    case total
}

// One connection to another node, from its first byte: the secure link, and once the handshake is complete
// what is spoken on it. A link carries one channel a shared space; channel 0 is the space under whose key it
// was opened.

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

/// A connection of the node. All of it stands in one box: reading one field of it out of the table of
/// connections, which each frame does many times, copies one reference.
struct PeerConnection: Sendable {
    private struct Parts: Sendable {
        let id: ConnectionID
        let purpose: ConnectionPurpose
        let remote: String
        var secure: SecureLink
        var link: PeerLink?
        var traffic = LinkTraffic()
        var proofDeadline: UInt64?
        var hasProved = false
    }

    private var parts: Boxed<Parts>

    init(id: ConnectionID, purpose: ConnectionPurpose, remote: String, secure: SecureLink) {
        parts = Boxed(Parts(id: id, purpose: purpose, remote: remote, secure: secure))
    }

    var id: ConnectionID { parts.value.id }
    var purpose: ConnectionPurpose { parts.value.purpose }
    /// "ip:port" of the other end.
    var remote: String { parts.value.remote }

    var secure: SecureLink {
        _read { yield parts.value.secure }
        _modify { yield &parts.value.secure }
    }
    /// Set from the complete handshake of a mesh link on.
    var link: PeerLink? {
        _read { yield parts.value.link }
        _modify { yield &parts.value.link }
    }
    var traffic: LinkTraffic {
        _read { yield parts.value.traffic }
        _modify { yield &parts.value.traffic }
    }
    /// Set on a joining link at the issuer, until the proof came: monotonic milliseconds.
    var proofDeadline: UInt64? {
        _read { yield parts.value.proofDeadline }
        _modify { yield &parts.value.proofDeadline }
    }
    /// The proof of a joining link came: it is answered once.
    var hasProved: Bool {
        get { parts.value.hasProved }
        set { parts.value.hasProved = newValue }
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
    let device: DeviceID
    let instance: UInt64
    let handshakeHash: [UInt8]
    let role: LinkRole
    /// Monotonic milliseconds.
    let begun: UInt64
    var liveness: Liveness
    /// The cap of this link.
    var rate = RateBucket()
    /// By number; a space has at most one.
    var channels: [UInt16: SpaceChannel] = [:]
    /// The next number that this side may open: even for the initiator, odd for the responder.
    var nextChannel: UInt16
    /// A newer link of another instance of the device stands: an answer to this token proves that both live.
    var cloneProbe: UInt64?
    /// The peer's wall clock minus ours, milliseconds: from its certificate, then from its PINGs.
    var clockOffset: Int64

    func channel(of space: SpaceID) -> UInt16? { channels.first { $0.value.space == space }?.key }
    /// Ascending.
    var channelNumbers: [UInt16] { channels.keys.sorted() }
}

/// A cap on bytes a second.
enum RateCap: Sendable {
    case link
    case total
}

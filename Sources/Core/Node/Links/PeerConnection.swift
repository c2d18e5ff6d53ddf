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

    /// The address that was dialled.
    var address: PeerAddress? {
        switch self {
        case .accepted: nil
        case .mesh(let address, _), .join(let address, _): address
        }
    }
}

/// A connection of the node.
struct PeerConnection: Sendable {
    let id: ConnectionID
    let purpose: ConnectionPurpose
    /// "ip:port" of the other end.
    let remote: String
    var secure: SecureLink
    /// Set from the complete handshake of a mesh link on.
    var link: PeerLink?
    /// Set on a joining link at the issuer, until the proof came: monotonic milliseconds.
    var proofDeadline: UInt64?
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
    /// By number; a space has at most one.
    var channels: [UInt16: SpaceChannel] = [:]
    /// The next number that this side may open: even for the initiator, odd for the responder.
    var nextChannel: UInt16
    /// A newer link of another instance of the device stands: an answer to this token proves that both live.
    var cloneProbe: UInt64?
    /// The peer's wall clock minus ours when the link began, milliseconds.
    let clockOffset: Int64

    func channel(of space: SpaceID) -> UInt16? { channels.first { $0.value.space == space }?.key }
    /// Ascending.
    var channelNumbers: [UInt16] { channels.keys.sorted() }
}

/// One shared space on a link.
struct SpaceChannel: Sendable {
    /// What the peer may say here.
    enum Standing: Equatable, Sendable {
        /// My roster does not list it yet: roster frames only, so many more bytes, until this moment.
        case provisional(bytesLeft: Int, deadline: UInt64)
        case full
    }

    let space: SpaceID
    var standing: Standing
    var sync = SpaceSync()
    /// Roster heads that the peer showed or was sent; nil before its first ROSTER_HAVE.
    var peerRosterHeads: [RosterHead]?
    /// Position up to which the peer was told what is held, so that an idle channel costs nothing.
    var toldPosition: CommitPosition?
    /// `LinksState.addressesVersion` when PEERS was last looked at, and what was then sent, not to repeat it.
    var toldAddresses: UInt64 = 0
    var toldPeers: [PeersFrame.Entry] = []

    /// Since when both sides hold the same, monotonic milliseconds; nil while they do not.
    var levelSince: UInt64?
    /// The digest that this side sent last, and the one that the peer did.
    var toldDigest: DigestFrame?
    var peerDigest: DigestFrame?

    /// The hash over closed logs was told, if there are any; the list of them was.
    var hasToldForks = false
    var hasListedForks = false
    /// When a search for the place of a fork was begun, monotonic milliseconds.
    var comparisons: [ReplicaID: UInt64] = [:]
    /// Branches of our own closed logs that the peer is asked for.
    var branches: [ReplicaID: BranchWalk] = [:]

    var isFull: Bool { standing == .full }

    init(space: SpaceID, standing: Standing) {
        self.space = space
        self.standing = standing
    }
}

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

/// The steps by which two sides find the document in which they differ.
enum DigestStep: Sendable {
    case parts
    case documents
    case document
}

/// One shared space on a link. Boxed as its connection is: what is asked of all channels after each commit
/// copies a reference of each.
@dynamicMemberLookup
struct SpaceChannel: Sendable {
    /// What the peer may say here.
    enum Standing: Equatable, Sendable {
        /// My roster does not list it yet: roster frames only, so many more bytes, until this moment.
        case provisional(bytesLeft: Int, deadline: UInt64)
        case full
    }

    private var parts: Boxed<ChannelParts>

    init(space: SpaceID, standing: Standing) {
        parts = Boxed(ChannelParts(space: space, standing: standing))
    }

    subscript<Value>(dynamicMember part: KeyPath<ChannelParts, Value>) -> Value {
        @inline(__always) _read { yield parts.value[keyPath: part] }
    }
    subscript<Value>(dynamicMember part: WritableKeyPath<ChannelParts, Value>) -> Value {
        @inline(__always) _read { yield parts.value[keyPath: part] }
        @inline(__always) _modify { yield &parts.value[keyPath: part] }
    }
}

/// What a channel consists of.
struct ChannelParts: Sendable {
    let space: SpaceID
    var standing: SpaceChannel.Standing
    var sync = SpaceSync()
    /// Roster heads that the peer showed or was sent; nil before its first ROSTER_HAVE.
    var peerRosterHeads: [RosterHead]?
    /// The ROSTER_HAVE that is not answered yet, and what answers cost lately.
    var rosterQuestion: RosterHaveFrame?
    var rosterAnswers = RateBucket()
    /// Position up to which the peer was told what is held, so that an idle channel costs nothing.
    var toldPosition: CommitPosition?
    /// Since when something waits to be told in HAVE, and when the last one went; monotonic milliseconds.
    var advancedAt: UInt64?
    var haveAt: UInt64 = 0
    /// The peer named something in HAVE that was not held then; looked at again when a gap is.
    var isAhead = false
    /// When something that was lacking arrived here, or a part of it.
    var usefulAt: UInt64?
    /// How many links the peer said it has, whether it was told how many there are here, and until when its
    /// walks are paid for; large spaces only.
    var neighbour: NeighbourFrame?
    var toldNeighbour = false
    var walksUntil: UInt64 = 0
    /// Which cap something waits for.
    var heldBackBy: RateCap?
    /// Logs to name in the next PRUNE, and when the last one went.
    var pruning: Set<ReplicaID> = []
    var prunedAt: UInt64?
    /// `LinksState.addressesVersion` when PEERS was last looked at, and what was then sent, not to repeat it.
    var toldAddresses: UInt64 = 0
    var toldPeers: [DeviceID: [PeerAddress]] = [:]

    /// By how many changes each side is behind, as far as it was told.
    var backlog = Backlog()
    /// Since when both sides hold the same, monotonic milliseconds; nil while they do not.
    var levelSince: UInt64?
    /// The digest that this side sent last, and the one that the peer did.
    var toldDigest: DigestFrame? { didSet { digestSteps = [] } }
    var peerDigest: DigestFrame?
    /// What the peer was answered about the digest that was told: each step once, since it may cost a walk
    /// over all documents.
    var digestSteps: Set<DigestStep> = []

    /// The hash over closed logs was told, if there are any; the list of them was; the peer's was answered.
    /// Each once: what is learned later goes to everybody at once.
    var hasToldForks = false
    var hasListedForks = false
    var hasAnsweredForks = false
    /// When a search for the place of a fork was begun, monotonic milliseconds.
    var comparisons: [ReplicaID: UInt64] = [:]
    /// Searches of the peer's that were answered since this moment, monotonic milliseconds.
    var searches: (count: Int, since: UInt64) = (0, 0)
    /// Branches of our own closed logs that the peer is asked for.
    var branches: [ReplicaID: BranchWalk] = [:]

    var isFull: Bool { standing == .full }
    /// Not before the peer has the roster that lists us: it would drop what it hears. It says what it holds,
    /// gets what it lacks, and what is sent after that on the same stream finds it ready.
    var isReady: Bool { isFull && peerRosterHeads != nil }

    init(space: SpaceID, standing: SpaceChannel.Standing) {
        self.space = space
        self.standing = standing
    }
}

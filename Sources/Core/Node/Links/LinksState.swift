// Everything the node knows of other nodes while it runs: connections, links, what waits. All of it can be
// lost: after a restart, or a batch that failed, links are made again and need is computed again.

import Bytes
import Causality
import Crypto
import Mesh
import Replication
import Roster
import SecureLink
import Wire

typealias RosterHead = Bytes32

/// A dial that the shell was asked for and has not answered.
struct PendingDial: Sendable {
    let address: PeerAddress
    let purpose: ConnectionPurpose
}

/// The node's links and what belongs to them.
struct LinksState: Sendable {
    /// With their links and channels.
    var connections: Connections
    var dials: [ConnectionID: PendingDial] = [:]
    /// Numbers of our dials; the shell's own stay below (`ConnectionID.firstDialled`).
    var nextDial = ConnectionID.firstDialled
    /// While the disk is full.
    var pause = DiskFullBackoff()
    /// When the value was handed something last, monotonic milliseconds.
    var clock: UInt64
    var buffer = CausalBuffer<Candidate>()
    /// The cap of all links together, whose turn it is under it, and how often it or that of a link held
    /// something back.
    var totalRate = RateBucket()
    var lastServed: ConnectionID?
    /// Which of equal peers, and how long of a while: chance that guards nothing.
    var dice: SeededGenerator
    /// When each device's state in `peers` changed, and to what.
    var peerStates: [DeviceID: PeerStateSince] = [:]
    /// The keys a responder tries; nil: to be made again.
    var candidates: (signature: [CandidateSignature], list: [PSKCandidate])?
    var counters = LinkCounters()
    /// What members said on a link that they run; of devices that a roster lists or listed.
    var levels: [DeviceID: FeatureLevel] = [:]
    /// What may still be looked at of rosters before the next commit.
    var rosterLooksLeft = rosterLooksPerTurn
    static let rosterLooksPerTurn =
        ReplicationLimits.rosterChecksPerTurn * (ReplicationLimits.rosterLooksPerCheck + 1)
    /// The process ends: no connection is made or taken in.
    var isStopping = false

    init(identity: LinkIdentity, seed: UInt64, times: LivenessTimes, at now: UInt64) {
        connections = Connections(identity: identity, times: times)
        clock = now
        dice = SeededGenerator(seed: seed &+ 1)
    }

    subscript(_ connection: ConnectionHandle) -> PeerConnection {
        unsafeAddress { connections.address(of: connection) }
        unsafeMutableAddress { connections.mutableAddress(of: connection) }
    }
    subscript(_ link: LinkHandle) -> PeerLink {
        unsafeAddress { connections.address(of: link) }
        unsafeMutableAddress { connections.mutableAddress(of: link) }
    }
    subscript(_ channel: ChannelHandle) -> SpaceChannel {
        unsafeAddress { connections.address(of: channel) }
        unsafeMutableAddress { connections.mutableAddress(of: channel) }
    }

    /// Remembers since when a device is in this state.
    mutating func recordState(of peer: DeviceID, _ state: String, at now: Instant) {
        if peerStates[peer]?.state == state { return }
        peerStates[peer] = PeerStateSince(state: state, since: now.wall)
    }

    /// Links on which a space is spoken, ascending by connection.
    func channels(of space: SpaceID) -> [ChannelHandle] { connections.channels(of: space) }
    /// Those of them on which both sides may say what they hold.
    func readyChannels(of space: SpaceID) -> [ChannelHandle] {
        channels(of: space).filter { self[$0].isReady }
    }
    /// The connection of a channel, for what outlives the step.
    func connectionID(of channel: ChannelHandle) -> ConnectionID { connectionID(of: self[channel].link) }
    func connectionID(of link: LinkHandle) -> ConnectionID { self[self[link].connection].id }
    /// The device at the other end of a channel.
    func peer(of channel: ChannelHandle) -> DeviceID { self[self[channel].link].device }
}

/// While the disk is full no segment is taken in: each would be a batch that fails, and ends all links. Links
/// stand meanwhile, what this node has goes out on them, and since nothing is acknowledged peers send no more
/// than a window.
struct DiskFullBackoff: Sendable {
    /// Monotonic milliseconds.
    private(set) var until: UInt64 = 0
    private var length: UInt64 = 0

    /// A batch was lost for want of room.
    mutating func begin(at now: UInt64) {
        length = min(max(2 * length, ReplicationLimits.fullPauseFirst), ReplicationLimits.fullPauseMax)
        until = now + length
    }

    /// Something was written, or room was made.
    mutating func end() { (until, length) = (0, 0) }

    func isOn(at now: UInt64) -> Bool { now < until }
}

/// A device's line in `peers`.
struct PeerStateSince: Sendable, Equatable {
    var state: String
    var since: UInt64
}

/// What the candidates follow from; equal signatures, equal keys.
struct CandidateSignature: Sendable, Equatable {
    let space: SpaceID
    let rosterCount: Int
    let epochs: Int
    let current: KeyEpochName
}

/// Counts for the metrics; nothing is decided by them.
struct LinkCounters: Sendable {
    var segmentsSent: UInt64 = 0
    var segmentsReceived: UInt64 = 0
    var segmentBytesSent: UInt64 = 0
    var segmentBytesReceived: UInt64 = 0
    var duplicates: UInt64 = 0
    var duplicateBytes: UInt64 = 0
    var grafts: UInt64 = 0
    var prunes: UInt64 = 0
    var haveBytesSent: UInt64 = 0
    var usefulBytes: UInt64 = 0
    var heldBack: UInt64 = 0
    var early: UInt64 = 0
    var gaps: UInt64 = 0
    var unknownKeys: UInt64 = 0
}

extension LinksState {
    /// Keeps what the certificate of a connection says of a member.
    mutating func recordLevel(of connection: ConnectionHandle) {
        guard let peer = self[connection].secure.established?.peer else { return }
        levels[peer.device] = FeatureLevel(features: peer.features)
    }
}

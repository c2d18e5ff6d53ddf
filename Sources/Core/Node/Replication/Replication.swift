// Replication of one space, over all the links on which it is spoken: what this node advertises, where
// changes come from and which are missing, whom to be linked to, and the digest that two level sides compare.
// All of it follows from logs, rosters and what peers say, so it can be lost: need is computed again from the
// vectors. It is a part of its space and goes with it; what is said on one channel dies with the channel
// (`ChannelParts`).

import Bytes
import Causality
import Mesh
import Replication
import Wire

/// What this node knows of the spread of one space. It holds no store: whoever calls reads for it.
struct Replication: Sendable {
    /// What HAVE names; nil until the first commit since links were dropped.
    var advertised: AdvertisedLogs?
    /// Where changes come from, and what is missing.
    var gossip = SpaceGossip()
    /// Whom to be linked to; nil until the roster was looked at.
    var view: SpaceView?
    /// The digest of the documents, or how far it has come; nil until two sides are level.
    var digest: DigestWalk?

    init() {}

    /// Every link was dropped with the batch they spoke in. Whom to be linked to stays known.
    mutating func dropLinks() { (advertised, gossip, digest) = (nil, SpaceGossip(), nil) }

    /// A log was closed: what was advertised of it counts to its trunk only, and documents changed.
    mutating func logClosed() { (advertised, digest) = (nil, nil) }
}

/// What a space's HAVE names: sealed, durable prefixes with the chain hash there.
struct AdvertisedLogs: Sendable {
    /// Up to this commit position.
    var position = CommitPosition.start
    /// `durable` at that position.
    var durable = VersionVector()
    /// The last sealed sequence of each log, at most what is durable.
    var sealed = VersionVector()
    var hashes: [ReplicaID: Bytes32] = [:]
}

/// Where the changes of a space come from. All of it is a hint: need is computed from the vectors.
struct SpaceGossip: Sendable {
    /// Something that a peer holds and I lack.
    struct Gap: Sendable {
        /// Monotonic milliseconds when the first of them was named, and when a peer may be asked for them.
        var since: UInt64
        var graftAt: UInt64
        /// The logs and how far; at most `graftLogsMax` and one, which then stands for more.
        var dots: [VersionVector.Entry]
    }

    /// What a gap is waiting for: this connection was asked at this moment.
    struct Ask: Sendable {
        let connection: ConnectionID
        let at: UInt64
    }

    /// A member that was asked for what it names and did not bring it in its turn.
    struct Doubt: Sendable {
        /// How often; each time halves its next turn.
        var count = 0
        /// Something that it names is lacking still: nobody waits for it, it is asked beside the others.
        var stands = true
        /// When what it names is looked at again, and when it is asked again; monotonic milliseconds.
        var lookAt: UInt64 = 0
        var askAt: UInt64 = 0
    }

    var budget = HaveBudget(at: 0)
    /// Members only, so there are as many at most.
    var doubts: [DeviceID: Doubt] = [:]
    /// When `mendGap` has something to do; it says so itself.
    var due: UInt64?
    /// The eager link that brings a log: the others that push it too are pruned. Connections that are gone
    /// count as none.
    var suppliers: [ReplicaID: ConnectionID] = [:]
    /// Whose link brought the last change of a log.
    var deliverers: [ReplicaID: DeviceID] = [:]
    var gap: Gap?
    var ask: Ask?
}

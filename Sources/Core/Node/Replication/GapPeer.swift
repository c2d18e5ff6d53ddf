// What the repair of gaps knows: the channels of a space and the heads of its logs, as copies that decide one
// step. They are gone when its actions are performed, so that nothing is copied when channels change then.

import Causality
import Identity
import Mesh
import Replication
import Wire

/// A channel of the space as the repair of gaps sees it.
struct GapPeer: Sendable {
    let channel: ChannelHandle
    /// What outlives the step.
    let connection: ConnectionID
    let device: DeviceID
    /// Both sides may say what they hold. Others only count as links that may bring something.
    let isReady: Bool
    /// What the peer said it holds; nil before its first HAVE.
    let have: VersionVector?
    /// The peer was told what is held here.
    var isTold: Bool
    /// Which logs are pushed here.
    var tree: PushTree
    /// The peer named something that was missing when it did.
    var isAhead: Bool
    /// When the channel last brought something that was missing, monotonic milliseconds.
    let usefulAt: UInt64?
    /// Milliseconds; nil before the first answer to a PING.
    let roundTrip: UInt64?
    /// A large segment on a slow line arrives in parts: one has begun, and the line is not silent.
    let isReceiving: Bool

    /// Milliseconds of silence after which a peer that was asked has had its turn.
    var patience: UInt64 {
        max(
            ReplicationLimits.patienceRoundTrips * (roundTrip ?? 0),
            ReplicationLimits.patienceMillisecondsMin)
    }

    /// Nearest first; links as old as their number where nothing was measured.
    var distance: (UInt64, ConnectionID) {
        (roundTrip ?? ReplicationLimits.graftMillisecondsMin, connection)
    }
}

/// How far each log of a space is verified here: held, or waiting in the buffer for its context.
struct LogHeads: Sendable {
    let held: VersionVector
    let logs: [ReplicaID: LogState]

    subscript(_ replica: ReplicaID) -> SequenceNumber { max(held[replica], logs[replica]?.last ?? .none) }

    /// Those of the entries that name more than is here; at most one more than a GRAFT names, which then
    /// stands for more.
    func missing(of entries: some Sequence<VersionVector.Entry>) -> [VersionVector.Entry] {
        var missing: [VersionVector.Entry] = []
        for entry in entries where entry.last > self[entry.replica] {
            missing.append(entry)
            if missing.count > ReplicationLimits.graftLogsMax { break }
        }
        return missing
    }
}

// One space of the node: its roster, keys, logs and documents, and what moves with them. Files beside this
// one are its parts: Documents (load, fold), Road (append and apply), Author (local transactions).

import Bytes
import Causality
import Documents
import Identity
import Replication
import Roster
import Wire

/// A space this node is in. Everything here can be made again from the store.
struct SpaceState: Sendable {
    let id: SpaceID
    /// Local name.
    var name: String
    var roster: Roster
    var keys: SpaceKeys
    /// Secrets of the invites that this node issued here.
    var invites: IssuedInvites
    /// The last commit position used.
    var position: CommitPosition
    /// Prefixes in the log, those of the open batch included.
    var held: VersionVector
    /// `held` as of the last commit: what HAVE, `wait` and acknowledgements may name.
    var durable: VersionVector
    /// Logs at their heads, recovered from the store when first needed.
    var logs: [ReplicaID: LogState] = [:]
    /// The incarnation we write under; nil until the next local write opens one.
    var incarnation: UInt64?
    /// The replica of `incarnation`.
    var ownReplica: ReplicaID?
    /// Changes collected for one row of the store; all of the open batch.
    var openRun: OpenRun?
    var documents = DocumentCache()
    /// Documents that were found damaged in this batch.
    var damages: [Key: Damage] = [:]
    var documentCount: Int
    var ring: EventRing
    /// Open change streams here; without any, no patches are made.
    var watchers = 0
    /// Last vectors that other members told us, as far as they said it is durable there.
    var peerVectors: [DeviceID: VersionVector] = [:]

    /// Whose logs `logs` are.
    var census = LogCensus()
    /// Closed logs, and what follows from them.
    var forks = SpaceForks()
    /// What no lost batch undoes.
    var findings = SpaceFindings()
    /// Changes that are held and not executed, although they are not void, by their ids.
    var skipped: [Dot: SkippedRecord] = [:]

    /// Where changes go and come from, while links last.
    var replication: Replication {
        _read { yield replicationBox.value }
        _modify { yield &replicationBox.value }
    }
    private var replicationBox = Boxed(Replication())

    /// What is wrong with what is stored of a document.
    struct Damage: Sendable {
        let reason: String
        /// It cannot be made from its changes either.
        var isUnreadable = false
    }

    /// Something of the open batch is not written to the store yet.
    var hasUnwritten: Bool { openRun != nil || documents.dirtyCount > 0 || held != durable }

    /// What a device calls itself; empty for one that never belonged.
    func nameOf(_ device: DeviceID) -> String { roster.description(of: device)?.name.string ?? "" }

    /// The device that writes a replica; nil for one whose first change is not held.
    func author(of replica: ReplicaID) -> DeviceID? { logs[replica]?.declaration.device }
}

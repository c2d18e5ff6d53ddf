// One space of the node. Its parts own what belongs together and know nothing of each other; the steps that
// move several of them stand here and in the files beside: Road (append and apply), Author (local
// transactions), Status (closing logs, executing what was skipped).
//
//     Space ─┬─ membership   roster, keys, invites          who may write, and who can read
//            ├─ logs         heads, held, durable, open run  what was written
//            ├─ exceptions   closed logs, skipped changes    what of it does not count
//            ├─ documents    cache, events, damages          what follows from the rest
//            └─ findings     alarms, claims, re-issues       what no lost batch undoes
//
// Leaving a space is removing this value. All but `findings` can be made again from the store.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Roster
import Wire

/// A space this node is in.
struct Space: Sendable {
    let id: SpaceID
    /// Local name.
    var name: String
    var membership: SpaceMembership
    var logs: SpaceLogs
    var documents: SpaceDocuments
    var exceptions: SpaceExceptions
    var checkpoints: SpaceCheckpoints
    var findings = SpaceFindings()
    /// Where changes go and come from, while links last.
    var replication: Replication {
        _read { yield replicationBox.value }
        _modify { yield &replicationBox.value }
    }
    private var replicationBox = Boxed(Replication())
    /// Last vectors that other members told us, as far as they said it is durable there.
    var peerVectors: [DeviceID: VersionVector] = [:]
    /// Heads of their rosters, as they named them last.
    var peerRosters: [DeviceID: [RosterHead]] = [:]

    /// A space as the store keeps it.
    init(
        _ record: SpaceRecord, device: DeviceID, from store: some StoreReading, at now: Instant
    ) throws(StoreFailure) {
        id = record.id
        name = record.name
        membership = try SpaceMembership(of: record, device: device, from: store, at: now)
        documents = try SpaceDocuments(of: record, from: store)
        checkpoints = try SpaceCheckpoints(of: record.id, in: membership.roster, from: store)
        let agreement = checkpoints.agreement
        exceptions = try SpaceExceptions(
            of: record.id, fencedBy: documents.bases.newest.flatMap { agreement.table(of: $0.id) },
            from: store)
        logs = try SpaceLogs(
            of: record, device: device, closings: exceptions.closings, forks: exceptions.forks, from: store)
    }

    /// A space that was just made or joined.
    init(roster: Roster, keys: SpaceKeys, name: String, device: DeviceID) {
        id = roster.space
        self.name = name
        membership = SpaceMembership(roster: roster, keys: keys, device: device)
        logs = SpaceLogs(of: roster.space)
        documents = SpaceDocuments(of: roster.space)
        exceptions = SpaceExceptions()
        checkpoints = SpaceCheckpoints(of: roster)
    }

    /// How the store keeps this space.
    var record: SpaceRecord {
        SpaceRecord(
            id: id, name: name, keys: keys.encoded(), incarnation: logs.incarnation, position: position)
    }

    // MARK: What others may see

    var roster: Roster { membership.roster }
    var keys: SpaceKeys { membership.keys }
    var invites: IssuedInvites { membership.invites }
    var held: VersionVector { logs.held }
    var durable: VersionVector { logs.durable }
    /// True when a change is on the disk here, if only as a part of the base.
    func isDurable(_ change: Dot) -> Bool { durable.contains(change) || exceptions.gone.contains(change) }
    var position: CommitPosition { logs.position }
    var ownReplica: ReplicaID? { logs.ownReplica }
    var forks: SpaceForks { exceptions.forks }
    var closings: ClosedLogs { exceptions.closings }
    var skipped: [Dot: SkippedRecord] { exceptions.skipped }
    var watchers: Int { documents.watchers }

    /// Of all beside vectors and roster that documents follow from: equal on nodes whose documents must be.
    var exceptionsHash: Bytes32 {
        guard let standing = documents.bases.standing else { return exceptions.hash }
        var writer = ByteWriter(reserving: 64)
        exceptions.hash.encode(into: &writer)
        standing.id.encode(into: &writer)
        return Blake2b.hash256(writer.bytes, personal: "repld-exceptns-2")
    }

    /// How far each log is verified here.
    var logHeads: LogHeads { LogHeads(held: logs.held, logs: logs.heads) }

    /// Something of the open batch is not written to the store yet.
    var hasUnwritten: Bool { logs.hasUnwritten || documents.cache.dirtyCount > 0 }

    /// What a device calls itself; empty for one that never belonged.
    func nameOf(_ device: DeviceID) -> String { roster.member(device)?.description.name.string ?? "" }

    /// A device as people are told of it.
    func named(_ device: DeviceID) -> NamedDevice { NamedDevice(device, nameOf(device)) }

    /// The device that writes a replica; nil for one whose first change is not held.
    func author(of replica: ReplicaID) -> DeviceID? { logs[replica]?.declaration.device }
    func namedAuthor(of replica: ReplicaID) -> NamedDevice? { author(of: replica).map(named) }

    // MARK: Steps of several parts

    /// What becomes of a change that was verified.
    mutating func admit(_ candidate: Candidate) -> Admission.Decision {
        let isLate = isLate(candidate.change)
        return Admission.admit(
            candidate, held: logs.held, closed: exceptions.closings, roster: &membership.roster,
            isLate: isLate)
    }

    /// True for a change beyond the checkpoint that documents are made on whose author may not have known
    /// what that lets go. A node that comes to several in a row asks each: what the next one holds is final
    /// as the one before it says.
    func isLate(_ change: Change) -> Bool {
        guard let standing = documents.bases.newest, !standing.released.isEmpty else { return false }
        return checkpoints.agreement.isLate(
            change.replica, from: change.first, context: change.context, within: standing.id)
    }

    mutating func takeDocument(_ key: Key, from transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure) -> CachedDocument
    {
        try documents.take(key, from: transaction.store)
    }

    /// Before anything reads the log.
    mutating func writeRun(to transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        try logs.writeRun(to: &transaction)
    }

    /// Writes the open run, then the records of documents that changed, and what has outgrown its snapshot.
    mutating func writeDocuments(to transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try logs.writeRun(to: &transaction)
        try documents.write(to: &transaction)
    }

    /// The end of a batch that is about to be committed.
    mutating func seal(with key: SigningKey, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try logs.seal(with: key, in: &transaction)
        try writeDocuments(to: &transaction)
        try checkpoints.write(of: id, to: &transaction)
    }

    /// A batch was committed.
    mutating func markDurable() {
        logs.markDurable()
        findings.isRetiring = false
    }
}

extension Space: StateMachine {
    /// The next step of a re-issue, of judging again, or the next proofs.
    var deadline: UInt64? {
        [findings.deadline, exceptions.rejudging.deadline, checkpoints.deadline, documents.bases.deadline]
            .compactMap { $0 }.min()
    }

    func checkInvariants(whole: Bool) {
        precondition(
            id == logs.space && id == documents.space && id == roster.space,
            "parts of several spaces in \(id)")
        logs.checkInvariants(whole: whole, forks: forks)
        documents.checkInvariants(whole: whole)
        exceptions.checkInvariants()
        findings.proofs.checkInvariants(whole: whole)
        guard whole else { return }
        for replica in closings.replicas {
            let trunkLast = closings[replica]?.trunkLast ?? .none
            precondition(held[replica] <= trunkLast, "closed log \(replica) is held beyond \(trunkLast)")
        }
    }
}

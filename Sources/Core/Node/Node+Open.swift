// How the value comes out of the store: spaces with rosters and keys at once, logs and documents when needed.
// The same code makes it again after a commit that failed.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

/// Names of meta values in the store.
enum NodeMeta {
    static let store = "store"
    static let addresses = "addresses"
    static let left = "left-spaces"
    /// Why the last new incarnation was opened: wall milliseconds (8 bytes), then the reason in UTF-8. The
    /// state directory writes it too, under the same name.
    static let continuity = "continuity"
    static func invites(_ space: SpaceID) -> String { "invites/\(space)" }
}

extension Node {
    mutating func openStore(reading: Bool = true, at now: Instant) throws(StoreFailure) {
        if reading { try loadSpaces() }
        let known = try store.meta(NodeMeta.store)
        if let known, configuration.discontinuity == nil {
            try resumeStore(after: known)
        } else {
            try beginStore(wasUsed: known != nil, at: now)
        }
        try whereThereIsRoom { node throws(StoreFailure) in try node.recallContinuity(at: now) }
        recallForks(at: now)
        for index in spaces.indices {
            for device in spaces[index].census.crowding { noteCrowd(of: device, in: index, at: now) }
        }
        resumeReissues(from: 0)
        try whereThereIsRoom { node throws(StoreFailure) in try node.openCaution(at: now) }
        recallQuarantine(at: now)
        try whereThereIsRoom { node throws(StoreFailure) in try node.executeSkipped(at: now) }
        (nextSweep, swept) = (now.monotonic + 60_000, now)
    }

    /// A step of the start that may write and need not: a full disk can be read, so the first batch fails and
    /// the node does not.
    private mutating func whereThereIsRoom(_ step: (inout Node) throws(StoreFailure) -> Void)
        throws(StoreFailure)
    {
        do throws(StoreFailure) {
            try step(&self)
        } catch {
            if case .unusable = error { throw error }
            transaction.fail(error)
        }
    }

    /// A person may have missed the alarm of the last start: it is shown again, with its date, for a while.
    private mutating func recallContinuity(at now: Instant) throws(StoreFailure) {
        guard let note = try store.meta(NodeMeta.continuity), note.count >= 8 else { return }
        let since = note.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let age = max(now.wall, since) - min(now.wall, since)
        guard age < NodeLimits.continuityShownMilliseconds else {
            try transaction.beginWriting()
            return try store.setMeta(NodeMeta.continuity, nil)
        }
        raise(Self.restored(String(decoding: note.dropFirst(8), as: UTF8.self), since: since))
    }

    /// Keeps why a log of this node was closed, so that the next start tells it too.
    mutating func keepContinuity(_ reason: String, at now: Instant) throws(StoreFailure) {
        var note = ByteWriter()
        note.u64(now.wall)
        note.raw(reason.utf8)
        try transaction.beginWriting()
        try store.setMeta(NodeMeta.continuity, note.bytes)
    }

    private static func restored(_ reason: String, since: UInt64) -> Alarm {
        Alarm(
            code: "restored", message: reason,
            hint: "nothing is lost: this node writes under a new incarnation and fetches what its peers hold",
            since: since)
    }

    /// A store that is new, or whose continuity is uncertain: cursors of before are foreign, logs of before
    /// are not written to again.
    private mutating func beginStore(wasUsed: Bool, at now: Instant) throws(StoreFailure) {
        try renameStore()
        guard wasUsed, let reason = configuration.discontinuity else { return }
        for index in spaces.indices where !isPlanted("sequence-reused-after-restore") {
            spaces[index].retireOwnLog()
            try store.put(spaces[index].record)
        }
        try keepContinuity(reason, at: now)
        raise(Self.restored(reason, since: now.wall))
    }

    /// The store goes on where it stood, as far as this disk knows it.
    private mutating func resumeStore(after known: [UInt8]) throws(StoreFailure) {
        do throws(DecodeFault) {
            starts = try StoreStarts(decoding: known)
        } catch {
            throw .unreadable(.starts, error)
        }
        let ends = Dictionary(spaces.map { ($0.id, $0.position) }) { first, _ in first }
        starts.begin(entropy.u64(), after: ends)
        isStartKept = false
        try whereThereIsRoom { node throws(StoreFailure) in try node.transaction.beginWriting() }
    }

    /// From now on all cursors given out before are foreign.
    mutating func renameStore() throws(StoreFailure) {
        starts = StoreStarts(name: entropy.u64())
        isStartKept = false
        try transaction.beginWriting()
    }

    /// Writes the names of starts into a batch that is about to be committed, until one of them was.
    mutating func keepStart() throws(StoreFailure) {
        if !isStartKept { try store.setMeta(NodeMeta.store, starts.encoded()) }
    }

    /// Reads all spaces. Branches of this device's closed logs are issued again from `due` on.
    mutating func loadSpaces(reissuesFrom due: UInt64 = 0) throws(StoreFailure) {
        var loaded: [SpaceState] = []
        for record in try store.spaces() {
            loaded.append(try SpaceState(record, device: device, from: store))
        }
        spaces.replaceAll(with: Spaces(loaded))
        try loadLeft()
        resumeReissues(from: due)
    }

    private mutating func loadLeft() throws(StoreFailure) {
        left = LeftSpaces()
        guard let bytes = try store.meta(NodeMeta.left) else { return }
        guard let known = LeftSpaces(bytes) else {
            throw .unusable(.unreadable(.leftSpaces, nil))
        }
        left = known
    }
}

extension SpaceState {
    init(_ record: SpaceRecord, device: DeviceID, from store: some StoreReading) throws(StoreFailure) {
        let operations = try store.rosterOperations(record.id)
        roster = try Self.roster(of: record.id, stored: operations)
        do throws(SpaceKeysFault) {
            keys = try SpaceKeys(decoding: record.keys, of: record.id)
        } catch {
            throw .unreadable(.keys(of: record.id), error)
        }
        invites = try Self.invites(of: record.id, from: store)
        id = record.id
        name = record.name
        position = record.position
        incarnation = record.incarnation
        forks = try SpaceForks(of: record.id, from: store)
        for one in try store.skipped(record.id) { skipped[Dot(one.change.replica, one.change.last)] = one }
        let heads = try store.heads(record.id)
        held = forks.closed.clamped(heads)
        durable = held
        documentCount = try store.documentCount(record.id)
        ring = EventRing(start: record.position)
        for entry in heads.entries {
            let log = try Self.log(entry.replica, in: id, from: store)
            logs[entry.replica] = log
            census.note(entry.replica, of: log.declaration.device)
        }
        ownReplica = incarnation.map {
            ReplicaID(space: record.id, declaration: .init(device: device, incarnation: $0))
        }
    }

    /// A space that was just made or joined.
    init(roster: Roster, keys: SpaceKeys, name: String) {
        id = roster.space
        self.name = name
        self.roster = roster
        self.keys = keys
        invites = IssuedInvites()
        position = .start
        incarnation = nil
        held = VersionVector()
        durable = VersionVector()
        documentCount = 0
        ring = EventRing(start: .start)
    }

    private static func roster(of space: SpaceID, stored operations: [[UInt8]]) throws(StoreFailure) -> Roster
    {
        do {
            guard let genesis = operations.first else { throw RosterFault.notGenesis }
            var roster = try Roster(genesis: RosterOperation(decoding: genesis))
            for bytes in operations.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
            return roster
        } catch {
            throw .unreadable(.roster(of: space), error)
        }
    }

    private static func invites(of space: SpaceID, from store: some StoreReading) throws(StoreFailure)
        -> IssuedInvites
    {
        guard let bytes = try store.meta(NodeMeta.invites(space)) else { return IssuedInvites() }
        do throws(DecodeFault) {
            return try IssuedInvites(decoding: bytes)
        } catch {
            throw .unreadable(.invites(of: space), error)
        }
    }

    /// A log at its head, from its last boundary on.
    static func log(_ replica: ReplicaID, in space: SpaceID, from store: some StoreReading)
        throws(StoreFailure)
        -> LogState
    {
        let stored = try store.boundary(space, replica, before: .max)
        var pieces: [[UInt8]] = []
        var from = (stored?.last ?? .none) + 1
        while true {
            let runs = try store.runs(space, replica, from: from, bytesMax: WireLimits.boundaryBytes)
            guard let last = runs.last else { break }
            pieces += runs.map(\.bytes)
            from = last.last + 1
        }
        do {
            let boundary = try stored.map { try LogBoundary(decoding: $0.state) }
            return try LogState(recovering: replica, in: space, from: boundary, pieces)
        } catch {
            throw .unreadable(.log(replica), error)
        }
    }

    /// The next local write opens a new incarnation; the old log is from now on one like any other.
    mutating func retireOwnLog() {
        incarnation = nil
        ownReplica = nil
    }
}

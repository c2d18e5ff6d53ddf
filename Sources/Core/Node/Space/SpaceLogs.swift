// The logs of a space: their heads, how far each is held, and the run of changes that this batch appends.
// Changes get here through `append` alone, in the order of their log; they reach the store as rows, one for
// each run.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Wire

/// What is held of each log, in memory and on its way to the store.
struct SpaceLogs: Sendable {
    let space: SpaceID
    /// The last commit position used.
    private(set) var position: CommitPosition
    /// Prefixes in the log, those of the open batch included. Of a closed log at most its trunk.
    var held: VersionVector
    /// `held` as of the last commit: what HAVE, `wait` and acknowledgements may name. Never beyond `held`.
    private(set) var durable: VersionVector
    /// At their heads.
    private(set) var heads: [ReplicaID: LogState] = [:]
    /// The boundary from which each log that was cut is kept.
    private(set) var cuts = VersionVector()
    /// Whose logs they are.
    var census = LogCensus()
    /// The incarnation we write under; nil until the next local write opens one.
    private(set) var incarnation: UInt64?
    /// The replica of `incarnation`.
    private(set) var ownReplica: ReplicaID?
    /// Changes collected for one row of the store; all of the open batch.
    private(set) var openRun: OpenRun?
    /// Logs that branches are re-issued into, appended to in this batch and not sealed yet.
    private var unsealed: Set<ReplicaID> = []

    /// Of a space that was just made or joined.
    init(of space: SpaceID) {
        self.space = space
        position = .start
        held = VersionVector()
        durable = held
    }

    /// Recovers all logs at their heads, from their last boundaries on.
    init(
        of record: SpaceRecord, device: DeviceID, closings: ClosedLogs, forks: SpaceForks,
        from store: some StoreReading
    ) throws(StoreFailure) {
        space = record.id
        position = record.position
        incarnation = record.incarnation
        let stored = try store.heads(space)
        held = closings.clamped(stored)
        held.join(forks.elsewhere { stored[$0] })
        durable = held
        for entry in stored.entries {
            let log = try Self.recover(entry.replica, in: space, from: store)
            heads[entry.replica] = log
            census.note(entry.replica, of: log.declaration.device)
        }
        cuts = try store.cuts(space)
        ownReplica = incarnation.map {
            ReplicaID(space: record.id, declaration: .init(device: device, incarnation: $0))
        }
    }

    /// The head of a log. It may be ahead of `held`, by what was verified and waits.
    subscript(_ replica: ReplicaID) -> LogState? {
        get { heads[replica] }
        set { heads[replica] = newValue }
    }

    /// Takes the head of a log out: who appends to it beside a copy would copy what they share. Put it back.
    mutating func takeHead(of replica: ReplicaID) -> LogState? { heads.removeValue(forKey: replica) }

    /// What is held of a log, the open batch included; nil where nothing is.
    func extent(of replica: ReplicaID) -> LogExtent? { LogExtent(through: held[replica]) }

    /// Something of the open batch is not written to the store yet.
    var hasUnwritten: Bool { openRun != nil || held != durable }

    /// The logs that a device declared, ascending.
    func written(by device: DeviceID) -> [ReplicaID] {
        heads.filter { $0.value.declaration.device == device }.keys.sorted()
    }

    /// Whose each log is that is held.
    var authors: [ReplicaID: DeviceID] { heads.mapValues(\.declaration.device) }

    // MARK: Appending

    /// Appends a change to the open run. `closing`: where its log is closed, if it is; a branch is void.
    /// `isInBase`: documents have it already.
    mutating func append(
        _ verified: VerifiedChange, status: ChangeStatus, closed closing: Closing?, isInBase: Bool = false,
        to transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let change = verified.change
        let isBranch = closing.map { change.last >= $0.first } ?? false
        precondition(
            held[change.replica] == change.first.previous || isBranch && status == .void,
            "change \(change.replica):\(change.first) after \(held[change.replica])")
        if openRun?.continues(with: change.replica, at: change.first) != true {
            try writeRun(to: &transaction)
        }
        position = position.next
        let record = CommitRecord(
            position: position, replica: change.replica, first: change.first, last: change.last,
            status: status)
        var run = openRun ?? OpenRun(replica: change.replica, first: change.first, position: position)
        openRun = nil
        let touched = status == .void || isInBase ? [] : change.touched
        run.append(record, touching: touched, bytes: verified.bytes)
        openRun = run
        if isBranch {
            held.advance(change.replica, to: closing?.trunkLast ?? .none)
        } else {
            held.advance(to: change.id)
        }
        if let declaration = change.declaration { census.note(change.replica, of: declaration.device) }
        if let boundary = verified.endsSection {
            try writeRun(to: &transaction)
            let record = BoundaryRecord(last: boundary.position.last, state: boundary.encoded())
            try transaction.store.addBoundary(space, change.replica, record)
        }
    }

    /// A position that no change takes: a rebuild's. The space's record keeps it.
    mutating func advancePosition() {
        precondition(openRun == nil, "changes of one row take positions in a row")
        position = position.next
    }

    /// Writes the open run as one row. Before anything reads the log, and at the end of the batch.
    mutating func writeRun(to transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        guard let run = openRun, let row = run.stored else { return }
        try transaction.beginWriting()
        try transaction.store.append(space, row, changes: run.records, touched: run.touched)
        openRun = nil
    }

    /// A log of which nothing before a boundary is held: it is in a base.
    mutating func begin(_ replica: ReplicaID, at boundary: LogBoundary) throws(StoreFailure) {
        do throws(LogFault) {
            heads[replica] = try LogState(recovering: replica, in: space, from: boundary, [])
        } catch {
            throw .unreadable(.log(replica), error)
        }
        held.advance(replica, to: boundary.position.last)
        cuts.advance(replica, to: boundary.position.last)
        census.note(replica, of: boundary.declaration.device)
    }

    /// The version up to which logs were forgotten, as far as one token says it.
    var since: String {
        let cuts = cuts.entries.prefix(VersionToken.entriesMax).map { Dot($0.replica, $0.last) }
        return VersionToken(frontier: cuts).text
    }

    /// A log begins at this boundary from now on.
    mutating func cut(_ replica: ReplicaID, at boundary: SequenceNumber) {
        cuts.advance(replica, to: boundary)
    }

    /// Canonical bytes of all changes that are kept, the open batch included.
    func bytes(in store: some StoreReading) throws(StoreFailure) -> Int {
        try store.logBytes(space) + (openRun?.bytes.count ?? 0)
    }

    /// A committed batch: what it appended is durable.
    mutating func markDurable() {
        precondition(openRun == nil, "a batch was committed before its last run was written")
        durable = held
    }

    // MARK: Our own log

    /// Recovers our log, or begins a new incarnation. True when its record changed.
    mutating func openOwn(of device: DeviceID, _ entropy: inout Entropy) -> Bool {
        if let ownReplica, heads[ownReplica] != nil { return false }
        let isNew = incarnation == nil
        let current = incarnation ?? entropy.u64()
        incarnation = current
        let log = LogState(
            space: space, declaration: Change.Declaration(device: device, incarnation: current))
        ownReplica = log.replica
        // One that has changes was recovered when the space was opened.
        if heads[log.replica] == nil { heads[log.replica] = log }
        return isNew
    }

    /// The next local write opens a new incarnation; the old log is from now on one like any other. What this
    /// batch wrote to it is sealed all the same.
    mutating func retireOwn() {
        if let ownReplica, heads[ownReplica]?.isSealed == false { unsealed.insert(ownReplica) }
        incarnation = nil
        ownReplica = nil
    }

    /// The log of a re-issued branch at its new head: it is sealed with our own at the end of the batch.
    mutating func advanceReissue(_ log: LogState) {
        heads[log.replica] = log
        unsealed.insert(log.replica)
    }

    /// Seals what we wrote since the last seal. At the end of a batch: one seal covers all of it.
    mutating func seal(with key: SigningKey, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if let ownReplica { try seal(ownReplica, with: key, in: &transaction) }
        for replica in unsealed.sorted() { try seal(replica, with: key, in: &transaction) }
        unsealed = []
    }

    private mutating func seal(
        _ replica: ReplicaID, with key: SigningKey, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard var log = heads[replica], !log.isSealed else { return }
        try transaction.beginWriting()
        let head = log.last
        let boundary = log.boundary?.position.last
        for seal in log.seal(with: key, keepsLast: true) {
            try transaction.store.addSeal(space, seal, isBoundary: seal.last < head || seal.last == boundary)
        }
        heads[replica] = log
    }

    // MARK: Going back

    /// What a log's verifier passed is not held: its head goes back to what is.
    mutating func reopen(_ replica: ReplicaID, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        heads[replica] = nil
        guard extent(of: replica) != nil else { return }
        try writeRun(to: &transaction)
        // The base may have all that this node holds of the log.
        guard try transaction.store.heads(space)[replica] > .none else { return }
        heads[replica] = try Self.recover(replica, in: space, from: transaction.store)
    }

    /// A closed log counts to its trunk only.
    mutating func lower(_ replica: ReplicaID, to trunkLast: SequenceNumber) {
        held.lower(replica, to: trunkLast)
        durable.lower(replica, to: trunkLast)
    }

    /// More of a closed log counts than before: it is in the log already, or in the base.
    mutating func raise(_ replica: ReplicaID, to last: SequenceNumber) { held.advance(replica, to: last) }

    // MARK: Reading

    /// A log at its head, from its last boundary on.
    static func recover(_ replica: ReplicaID, in space: SpaceID, from store: some StoreReading)
        throws(StoreFailure) -> LogState
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

    /// Changes of a log that end at or after a sequence, in order, from the store.
    func committed(of replica: ReplicaID, from first: SequenceNumber, in store: some StoreReading)
        throws(StoreFailure) -> [CommitRecord]
    {
        precondition(openRun == nil, "a log is read after its open run was written")
        var (from, found) = (first, [CommitRecord]())
        while true {
            let rows = try store.runs(space, replica, from: from, bytesMax: OpenRun.bytesMax)
            guard let end = rows.last?.last else { return found }
            for row in rows {
                found += try store.commits(
                    space, after: CommitPosition(row.position.value - 1), limit: row.changes
                ).filter { $0.last >= first }
            }
            from = end + 1
        }
    }

    // MARK: Invariants

    /// `whole`: every log, not only ours.
    func checkInvariants(whole: Bool, forks: SpaceForks) {
        precondition((incarnation == nil) == (ownReplica == nil), "own log \(String(describing: ownReplica))")
        if let run = openRun, let last = run.records.last {
            precondition(last.position == position, "the open run ends at \(last.position), not \(position)")
        }
        guard whole else { return }
        for entry in durable.entries {
            precondition(held[entry.replica] >= entry.last, "\(entry.replica) is durable beyond what is held")
        }
        for entry in held.entries {
            guard let head = heads[entry.replica], forks.elsewhere(entry.replica, head: head.last) == nil
            else { continue }
            precondition(head.last >= entry.last, "the head of \(entry.replica) is behind what is held")
            precondition(
                extent(of: entry.replica)?.last == entry.last, "\(entry.replica) is held beyond its extent")
        }
    }
}

// A change that kills whoever executes it must not kill the whole mesh again and again (DESIGN 11). After a
// crash, and only then, what comes from peers is marked durably before it is executed, and executed in a
// batch of its own, so that the next crash has a name:
//
//     crash ─▶ start: segments are marked     ─ crash ─▶ start: that segment's changes are marked singly
//           ─ crash ─▶ start: the change that was marked alone is quarantined: held, relayed, never executed
//
// A crash is a trap, which the shell tells from a stop, a kill or a loss of power (decision 0064): those may
// hit any change and say nothing about it.

import Bytes
import Causality
import Replication
import Wire

/// What is being executed, as it is written down before.
struct ExecutionMarker: Hashable, Sendable {
    let space: SpaceID
    let replica: ReplicaID
    let first: SequenceNumber
    let last: SequenceNumber
    /// One change, of a segment that was marked when the process died before.
    let isSingle: Bool

    func covers(_ other: ExecutionMarker) -> Bool {
        space == other.space && replica == other.replica && first <= other.last && other.first <= last
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 80)
        space.raw.encode(into: &writer)
        replica.raw.encode(into: &writer)
        writer.u64(first.value)
        writer.u64(last.value)
        writer.u8(isSingle ? 1 : 0)
        return writer.bytes
    }

    init(space: SpaceID, replica: ReplicaID, first: SequenceNumber, last: SequenceNumber, isSingle: Bool) {
        self.space = space
        self.replica = replica
        self.first = first
        self.last = last
        self.isSingle = isSingle
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        space = SpaceID(raw: try Bytes32(from: &reader))
        replica = ReplicaID(raw: try Bytes16(from: &reader))
        first = SequenceNumber(try reader.u64())
        last = SequenceNumber(try reader.u64())
        isSingle = try reader.u8() == 1
    }
}

/// What waits because the node crashed, what was marked for execution, and what is not executed any more.
struct CrashGuard: Sendable {
    /// Something that waits for its turn.
    enum Item: Sendable {
        /// Without a channel it came in a bundle.
        case segment([UInt8], ExecutionMarker, ChannelPlace.Name?)
        case change(Candidate, ExecutionMarker)

        var marker: ExecutionMarker {
            switch self {
            case .segment(_, let marker, _), .change(_, let marker): marker
            }
        }
        /// What it takes in memory, roughly.
        var byteCount: Int {
            switch self {
            case .segment(let body, _, _): body.count
            case .change(let candidate, _): candidate.heldBytes(after: nil)
            }
        }
    }

    /// How far the marker of the first that waits has come.
    private enum Marking {
        case none
        /// In the open batch.
        case written
        case durable
    }

    /// Monotonic milliseconds at which the crash is far enough away; nil: there was none.
    private var until: UInt64?
    /// What was marked at the last crash: its changes are executed one by one.
    private var suspect: ExecutionMarker?
    /// Changes that are not executed any more, of whatever space.
    private(set) var quarantined: Set<ExecutionMarker> = []
    /// In order.
    private var queue: [Item] = []
    /// Of the first of the queue; none while the queue is empty.
    private var marking = Marking.none
    /// The item that was marked is being executed: it is not marked again.
    private var isExecuting = false

    // MARK: Starting

    /// At the start: after a crash, what was being executed is looked at. A change that is quarantined now;
    /// nil: none is. A throw leaves what was read in place: the batch fails, and the node does not.
    mutating func open(
        hasCrashed: Bool, at now: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> ExecutionMarker? {
        self = CrashGuard()
        quarantined = Set(try Self.markers(NodeMeta.quarantined, in: transaction.store))
        guard hasCrashed else {
            try Self.removeMarker(in: &transaction)
            return nil
        }
        until = now + NodeLimits.crashGuardMilliseconds
        guard let marker = try Self.markers(NodeMeta.executing, in: transaction.store).first else {
            return nil
        }
        guard marker.isSingle else {
            suspect = marker
            return nil
        }
        try Self.removeMarker(in: &transaction)
        guard quarantined.count < NodeLimits.quarantinedMax else { return nil }
        quarantined.insert(marker)
        var writer = ByteWriter()
        for one in sortedQuarantine { writer.raw(one.encoded()) }
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.quarantined, writer.bytes)
        return marker
    }

    /// Ascending by log and sequence.
    var sortedQuarantine: [ExecutionMarker] {
        quarantined.sorted { ($0.replica, $0.last) < ($1.replica, $1.last) }
    }

    /// Changes of a space that are not executed, by their ids.
    func quarantined(in space: SpaceID) -> Set<Dot> {
        Set(quarantined.lazy.filter { $0.space == space }.map { Dot($0.replica, $0.last) })
    }

    // MARK: Holding back

    /// True when a segment that comes now has to wait until it is marked.
    var isHoldingBack: Bool { until != nil && !isExecuting }

    /// False: the segment is to be asked for again.
    func hasRoom(for byteCount: Int) -> Bool {
        queue.reduce(0) { $0 + $1.byteCount } + byteCount <= NodeLimits.crashQueueBytesMax
    }

    /// Keeps a segment until it is marked.
    mutating func hold(
        _ body: [UInt8], _ marker: ExecutionMarker, _ name: ChannelPlace.Name?,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) {
        enqueue([.segment(body, marker, name)], atFront: false, in: &transaction)
    }

    /// Keeps changes that are ready and have to be marked one by one; false: they may go on. `isWhole`: they
    /// are the segment that is marked and executed now, which may go on unless it is suspect.
    mutating func holds(
        _ candidates: [Candidate], isWhole: Bool, of space: SpaceID,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) -> Bool {
        guard until != nil, let first = candidates.first, let last = candidates.last else { return false }
        let range = ExecutionMarker(
            space: space, replica: first.change.replica, first: first.change.first, last: last.change.last,
            isSingle: false)
        if isWhole, suspect.map({ !$0.covers(range) }) ?? true { return false }
        let items = candidates.map { candidate in
            Item.change(
                candidate,
                ExecutionMarker(
                    space: space, replica: candidate.change.replica, first: candidate.change.first,
                    last: candidate.change.last, isSingle: true))
        }
        enqueue(items, atFront: isWhole, in: &transaction)
        return true
    }

    private mutating func enqueue(
        _ items: [Item], atFront: Bool, in transaction: inout StoreTransaction<some ChangeStore>
    ) {
        // The item that is executed now is out of the queue already.
        queue.insert(contentsOf: items, at: atFront ? 0 : queue.count)
        if !isExecuting { markNext(in: &transaction) }
    }

    private mutating func markNext(in transaction: inout StoreTransaction<some ChangeStore>) {
        guard marking == .none, let next = queue.first else { return }
        marking = .written
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try transaction.store.setMeta(NodeMeta.executing, next.marker.encoded())
        } catch {
            transaction.fail(error)
        }
    }

    // MARK: Executing

    /// What was marked in an earlier batch and is to be executed now; call `finish` after that.
    mutating func next(at now: UInt64, in transaction: inout StoreTransaction<some ChangeStore>) -> Item? {
        guard let until else { return nil }
        if queue.isEmpty, now >= until {
            (self.until, suspect) = (nil, nil)
            removeMarker(in: &transaction)
            return nil
        }
        guard marking == .durable, !queue.isEmpty else { return nil }
        (marking, isExecuting) = (.none, true)
        return queue.removeFirst()
    }

    /// The item was executed: the next one is marked.
    mutating func finish(in transaction: inout StoreTransaction<some ChangeStore>) {
        isExecuting = false
        if queue.isEmpty { removeMarker(in: &transaction) } else { markNext(in: &transaction) }
    }

    /// A batch was committed: what was marked in it is durable.
    mutating func markDurable() {
        if marking == .written { marking = .durable }
    }

    /// Forgets what waits: its links are gone, or the batch was lost.
    mutating func drop() {
        queue = []
        (marking, isExecuting) = (.none, false)
    }

    private func removeMarker(in transaction: inout StoreTransaction<some ChangeStore>) {
        do throws(StoreFailure) {
            try Self.removeMarker(in: &transaction)
        } catch {
            transaction.fail(error)
        }
    }

    private static func removeMarker(in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        guard try transaction.store.meta(NodeMeta.executing) != nil else { return }
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.executing, nil)
    }

    private static func markers(_ name: String, in store: some StoreReading) throws(StoreFailure)
        -> [ExecutionMarker]
    {
        guard let bytes = try store.meta(name) else { return [] }
        do throws(DecodeFault) {
            var reader = ByteReader(bytes)
            var found: [ExecutionMarker] = []
            while !reader.isAtEnd { found.append(try ExecutionMarker(from: &reader)) }
            return found
        } catch {
            throw .unreadable(.executionNotes(name: name), error)
        }
    }
}

extension CrashGuard: StateMachine {
    /// When `next` has something to do.
    var deadline: UInt64? { until.map { marking == .durable && !queue.isEmpty ? 0 : $0 } }

    func checkInvariants(whole: Bool) {
        precondition(marking == .none || !queue.isEmpty, "a marker of nothing that waits")
        precondition(until != nil || queue.isEmpty, "\(queue.count) items wait, and there was no crash")
        precondition(quarantined.count <= NodeLimits.quarantinedMax, "\(quarantined.count) are quarantined")
    }
}

extension NodeMeta {
    /// An `ExecutionMarker`.
    static let executing = "executing"
    /// `ExecutionMarker`s of single changes, one after the other.
    static let quarantined = "quarantined"
}

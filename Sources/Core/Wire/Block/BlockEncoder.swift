// Changes to columns. A block holds changes of any number of logs in a causal order; each log begins at its
// beginning or at a boundary, so its canonical bytes follow from the changes (DESIGN 5). What is named more
// than once has an index in a table that lasts as long as the block, so nothing is spelled out again after a
// boundary.
//
// The unit of the columns is the step: operations of one log that continue each other, however many changes
// they are in. Typing a word, deleting it backwards, counting to a thousand are one step each.

import Bytes
public import Causality
import Documents

/// Packs changes into one block.
public struct BlockEncoder: Sendable {
    /// What of a log the next change is coded against.
    struct Log: Sendable {
        var next: SequenceNumber
        var timestamp: Timestamp
        var context = VersionVector()
        /// Near which dot the next one is expected.
        var near: Dot
        var lastRight: Dot?
        /// Contexts of the log and the first sequence of each, to find the version at any of its dots.
        var history: [(first: SequenceNumber, ordinal: Int, context: VersionVector)] = []
    }

    /// Operations that continue each other.
    enum Step {
        case none
        case insertText(last: Dot, right: Dot?, scalars: Int, count: Int)
        case deleteText(range: DotRange, previous: DotRange?, count: Int)
        case increment(by: Int64, count: Int)
    }

    struct PlaceName: Hashable, Sendable {
        let document: Key
        let path: ContainerPath
    }

    private(set) var operationCount = 0
    private var changeCount = 0
    var logs: [Log] = []
    /// Index of a log by the index of its replica.
    var logOfReplica: [Int: Int] = [:]
    var replicas = Interned<ReplicaID>()
    /// One for each replica: the sequence mentioned last.
    var mentioned: [SequenceNumber] = []
    var places = Interned<PlaceName>()
    var recentPlace = -1
    private var definedPlaces = 0
    var keys = Interned<Key>()
    /// The integer written last: neighbours are often near.
    var lastInteger: Int64 = 0
    private var scheduled: (log: Int, count: Int) = (-1, 0)
    /// Log and place of the step at hand.
    private var stepOwner: (log: Int, place: Int) = (-1, -1)
    private var step = Step.none

    var schedule = ByteWriter()
    var shapes = RunWriter()
    var times = RunWriter()
    var contexts = ByteWriter()
    var names = ByteWriter()
    var steps = ByteWriter()
    var placeColumn = RunWriter()
    var counts = ByteWriter()
    var lengths = ByteWriter()
    var dots = ByteWriter()
    var rights = ByteWriter()
    var text = ByteWriter()
    var numbers = ByteWriter()
    var keyColumn = ByteWriter()
    var strings = ByteWriter()
    var tags = ByteWriter()
    var generations = RunWriter()
    var rest = ByteWriter()
    /// True when the contexts of a block would be more than a reader holds: it takes no further change.
    private(set) var isFull = false
    var contextEntries = 0

    public init() {}

    /// The block of these changes, which are in a causal order. `starts`: where logs begin that do not begin
    /// at their beginning. Nil when they are more than one block holds.
    public static func encode(
        _ changes: [Change], starts: [ReplicaID: BoundaryPosition] = [:]
    ) -> [UInt8]? {
        var encoder = BlockEncoder()
        for change in changes where !encoder.append(change, start: starts[change.replica] ?? .start) {
            return nil
        }
        return encoder.finish()
    }

    /// Adds the next change of its log; everything of this block that its context covers has been added.
    /// False, and nothing is added, when the block is full.
    public mutating func append(_ change: Change, start: BoundaryPosition = .start) -> Bool {
        let room = WireLimits.blockOperationsMax - operationCount
        let bytes = text.count + strings.count + rest.count + names.count
        guard !isFull, change.operations.count <= room, bytes < WireLimits.blockBytesMax / 2 else {
            return false
        }
        let log = open(change, start)
        precondition(change.first == logs[log].next, "\(change.first) is not the next of \(change.replica)")
        precondition(change.timestamp > logs[log].timestamp, "time must grow")
        if scheduled.log == log { scheduled.count += 1 } else { flushSchedule(next: log) }
        let context = change.context
        let hasContext = context != logs[log].context
        shapes.append(
            UInt64(change.operations.count) << 2 | (change.rosterHeads.isEmpty ? 0 : 2) | (hasContext ? 1 : 0)
        )
        times.append(change.timestamp.milliseconds - logs[log].timestamp.milliseconds)
        if let declaration = change.declaration {
            declaration.device.publicKey.encode(into: &names)
            names.u64(declaration.incarnation)
        }
        if hasContext || logs[log].history.isEmpty {
            if hasContext { encodeContext(context, of: change.replica, log) }
            logs[log].history.append((change.first, changeCount, context))
            contextEntries += context.count
            if contextEntries > WireLimits.blockContextEntriesMax / 2 { isFull = true }
        }
        if !change.rosterHeads.isEmpty { RosterHeads.encode(change.rosterHeads, into: &names) }
        logs[log].context = context
        logs[log].timestamp = change.timestamp
        var next = Dot(change.replica, change.first)
        for operation in change.operations {
            append(operation, at: next, log)
            next = next.advanced(by: operation.sequenceCount)
        }
        operationCount += change.operations.count
        changeCount += 1
        logs[log].next = change.first + change.sequenceCount
        return true
    }

    /// The block's bytes.
    public mutating func finish(_ effort: BlockEffort = .archive) -> [UInt8] {
        flushStep()
        flushSchedule(next: -1)
        let columns = [
            schedule.bytes, shapes.finish(), times.finish(), contexts.bytes, names.bytes, steps.bytes,
            placeColumn.finish(), counts.bytes, lengths.bytes, dots.bytes, rights.bytes, text.bytes,
            numbers.bytes, keyColumn.bytes, strings.bytes, tags.bytes, generations.finish(), rest.bytes,
        ]
        return BlockFrame.encode(columns, operations: operationCount, effort)
    }

    // MARK: Logs

    private mutating func open(_ change: Change, _ start: BoundaryPosition) -> Int {
        let replica = index(of: change.replica)
        if let log = logOfReplica[replica] { return log }
        let log = logs.count
        logOfReplica[replica] = log
        logs.append(
            Log(
                next: start.last + 1, timestamp: start.timestamp,
                near: Dot(change.replica, start.last)))
        return log
    }

    /// A log is named with its replica; where it begins stands with its first part.
    private mutating func flushSchedule(next log: Int) {
        if scheduled.log >= 0 { schedule.varint(scheduled.count) }
        scheduled = (log, 1)
        guard log >= 0 else { return }
        schedule.varint(log)
        if logs[log].history.isEmpty {
            schedule.varint(index(of: logs[log].near.replica))
            schedule.varint(logs[log].next.previous.value)
            schedule.varint(logs[log].timestamp.milliseconds)
        }
    }

    /// The index of a replica in the block's table; a new one is spelled out.
    mutating func index(of replica: ReplicaID) -> Int {
        if let known = replicas.index(of: replica) { return known }
        replica.raw.encode(into: &names)
        mentioned.append(.none)
        return replicas.add(replica)
    }

    // MARK: Steps

    private mutating func append(_ operation: Operation, at dot: Dot, _ log: Int) {
        guard case .act(let path, let action) = operation.body else {
            flushStep()
            stepOwner = (log, -1)
            steps.u8(BlockStep.rest.rawValue)
            encodeRest(operation)
            return
        }
        let place = place(of: operation.document, path)
        if stepOwner == (log, place), extend(with: action, at: dot) { return }
        flushStep()
        stepOwner = (log, place)
        switch action {
        case .insertText(let left, let right, let inserted):
            beginStep(.insertText, place)
            encodeLeft(left, log)
            encodeRight(right, after: left, log)
            let scalars = append(text: inserted)
            step = .insertText(last: dot.advanced(by: scalars - 1), right: right, scalars: scalars, count: 1)
        case .deleteText(let ranges) where ranges.count == 1:
            beginStep(.deleteOnce, place)
            encode(ranges[0].start, log)
            step = .deleteText(range: ranges[0], previous: nil, count: 1)
        case .increment(let amount):
            beginStep(.increment, place)
            step = .increment(by: amount, count: 1)
        case .write(.key(let key), let value, let generation):
            beginStep(.write, place)
            encode(key)
            encode(value)
            generations.append(UInt64(generation.value))
        default:
            steps.u8(BlockStep.rest.rawValue)
            rest.varint(action.tag.rawValue)
            encode(place: place)
            encodeRest(action, at: dot, log)
        }
    }

    private mutating func beginStep(_ kind: BlockStep, _ place: Int) {
        steps.u8(kind.rawValue)
        encode(place: place)
    }

    /// What the next step acts in; one past the last place defines a new one.
    private mutating func encode(place: Int) {
        placeColumn.append(UInt64(place))
        guard place == definedPlaces else { return }
        definedPlaces += 1
        encodePlace(places.values[place], stepOwner.log)
    }

    /// True when the action continues the step at hand.
    private mutating func extend(with action: Action, at dot: Dot) -> Bool {
        switch (step, action) {
        case (
            .insertText(let last, let right, let scalars, let count), .insertText(let left, let to, let next)
        ):
            guard left == last, right == to, next.unicodeScalars.count == scalars else { return false }
            _ = append(text: next)
            step = .insertText(
                last: dot.advanced(by: scalars - 1), right: right, scalars: scalars, count: count + 1)
        case (.deleteText(let range, let previous, let count), .deleteText(let ranges)):
            guard ranges.count == 1, ranges[0].count == range.count,
                ranges[0].replica == range.replica
            else { return false }
            let next = ranges[0]
            let goesBack = next.last + 1 == range.first && previous.map { range.last < $0.first } ?? true
            let goesOn = range.last + 1 == next.first && previous.map { $0.last < range.first } ?? true
            guard goesBack || goesOn else { return false }
            step = .deleteText(range: next, previous: range, count: count + 1)
        case (.increment(let amount, let count), .increment(let next)):
            guard amount == next else { return false }
            step = .increment(by: amount, count: count + 1)
        default:
            return false
        }
        return true
    }

    /// Writes what is known only at a step's end.
    private mutating func flushStep() {
        switch step {
        case .none: break
        case .insertText(let last, _, let scalars, let count):
            counts.varint(count)
            lengths.varint(scalars)
            logs[stepOwner.log].near = last
        case .deleteText(let range, let previous, let count):
            let direction = previous.map { range.first < $0.first ? 1 : 0 } ?? 0
            counts.varint((count - 1) << 1 | direction)
            lengths.varint(range.count)
            let first = range.first.value > 0 ? range.first.previous : range.first
            logs[stepOwner.log].near = Dot(range.replica, first)
        case .increment(let amount, let count):
            counts.varint(count)
            numbers.zigzag(amount)
        }
        step = .none
    }

    private mutating func append(text inserted: String) -> Int {
        var inserted = inserted
        return inserted.withUTF8 { utf8 in
            text.raw(utf8)
            return utf8.count { $0 & 0xC0 != 0x80 }
        }
    }
}

/// What a step is. The raw values are bytes on the wire.
enum BlockStep: UInt8 {
    /// Any one operation.
    case rest = 0
    /// Insertions of equally many scalars, each after the one before.
    case insertText = 1
    /// Deletions of one range each, equally long, one before or after the other.
    case deleteOnce = 2
    /// The same amount again and again.
    case increment = 3
    /// One write to a key of a map.
    case write = 4
}

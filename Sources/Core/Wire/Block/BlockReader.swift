// Columns to changes. `next` hands out one change after the other, so a reader may stop anywhere and go on
// later, and holds no more than the columns and the contexts. Every function is total: what is truncated,
// bent or made up is a typed fault. A block is not canonical (the same changes may be packed in several
// ways); the changes that come out are checked as any others.

public import Bytes
public import Causality
import Documents

/// Reads a block of changes. Not copyable: a copy of two dozen columns that nobody asked for costs more than
/// a step.
public struct BlockReader: ~Copyable, Sendable {
    struct Log: Sendable {
        let replica: Int
        let start: BoundaryPosition
        /// The first sequence of the next change.
        var next: UInt64
        var timestamp: UInt64
        var context = BlockContexts.Handle()
        /// Contexts and the first sequence of each.
        var history: ContiguousArray<(first: UInt64, context: BlockContexts.Handle)> = []
        /// The dot near which the next one is expected.
        var near: ReplayDot
        var lastRight = ReplayDot.none
        /// The current context, once somebody wanted it in this form.
        var vector: VersionVector?
    }

    let operationCount: Int
    private(set) var operationsLeft: Int
    var logs: ContiguousArray<Log> = []
    var replicas: [ReplicaID] = []
    private var numberOfReplica: [ReplicaID: Int32] = [:]
    var mentioned: ContiguousArray<UInt64> = []
    var contexts = BlockContexts()
    var places: [BlockEncoder.PlaceName] = []
    var keyTable: [Key] = []
    var lastInteger: Int64 = 0
    /// The log at hand and its changes that are left in this part of the schedule.
    var scheduledLog = -1
    var scheduledLeft: UInt64 = 0
    /// The step at hand.
    var step = BlockStepHead()
    private var isOver = false

    private var schedule: ColumnReader
    var shapes: RunReader
    var times: RunReader
    private var contextColumn: ColumnReader
    private var names: ColumnReader
    private var steps: ColumnReader
    private var placeColumn: RunReader
    var counts: ColumnReader
    var lengths: ColumnReader
    var dots: ColumnReader
    var rights: ColumnReader
    var text: ColumnReader
    var numbers: ColumnReader
    var keyColumn: ColumnReader
    var strings: ColumnReader
    var tags: ColumnReader
    var generations: RunReader
    var rest: ColumnReader

    public init(_ block: [UInt8]) throws(DecodeFault) { try self.init(block, limits: .history) }

    init(_ block: [UInt8], limits: BlockLimits) throws(DecodeFault) {
        let columns = try BlockFrame.decode(block, limits)
        operationCount = columns.operations
        operationsLeft = columns.operations
        schedule = columns[.schedule]
        shapes = RunReader(columns[.shapes])
        times = RunReader(columns[.times])
        contextColumn = columns[.contexts]
        names = columns[.names]
        steps = columns[.steps]
        placeColumn = RunReader(columns[.places])
        counts = columns[.counts]
        lengths = columns[.lengths]
        dots = columns[.dots]
        rights = columns[.rights]
        text = columns[.text]
        numbers = columns[.numbers]
        keyColumn = columns[.keys]
        strings = columns[.strings]
        tags = columns[.tags]
        generations = RunReader(columns[.generations])
        rest = columns[.rest]
    }

    /// The next change, nil after the last. On a fault nothing more can be read.
    public mutating func next() throws(DecodeFault) -> Change? {
        guard try nextScheduled() else { return nil }
        let shape = try shapes.next()
        scheduledLeft -= 1
        let log = scheduledLog
        let delta = try times.next()
        try advanceTime(of: log, by: delta, 1)
        let head = try readHead(shape, log)
        let count = try takeOperations(shape >> 2)
        var operations: [Operation] = []
        operations.reserveCapacity(min(count, 64))
        let first = logs[log].next
        var sequences = 0
        for _ in 0..<count {
            let operation = try nextOperation(log)
            sequences += operation.sequenceCount
            if sequences > WireLimits.changeSequencesMax { throw .outOfRange(field: "sequences") }
            logs[log].next += UInt64(operation.sequenceCount)
            operations.append(operation)
        }
        if operations.isEmpty {
            if head.declaration == nil { throw .outOfRange(field: "operations") }
            logs[log].next += 1
        }
        if logs[log].next > SequenceNumber.max.value { throw .outOfRange(field: "sequence") }
        return Change(
            replica: replicas[logs[log].replica], first: SequenceNumber(first),
            timestamp: Timestamp(milliseconds: logs[log].timestamp), context: vector(of: log),
            declaration: head.declaration, rosterHeads: head.rosterHeads, operations: operations)
    }

    /// Where the log of a change that was read begins in this block.
    public func start(of replica: ReplicaID) -> BoundaryPosition? {
        logs.first { replicas[$0.replica] == replica }?.start
    }

    // MARK: Schedule and heads

    /// False at the end, where every column must end too.
    mutating func nextScheduled() throws(DecodeFault) -> Bool {
        while scheduledLeft == 0 {
            if schedule.isAtEnd {
                try finish()
                return false
            }
            let log = try schedule.count(limit: logs.count, field: "log")
            if log == logs.count { try openLog() }
            scheduledLog = log
            scheduledLeft = try schedule.varint()
        }
        return true
    }

    private mutating func openLog() throws(DecodeFault) {
        let replica = try readReplica(Int(clamping: try schedule.varint()))
        let last = try schedule.varint()
        let time = try schedule.varint()
        if last > SequenceNumber.max.value { throw .outOfRange(field: "sequence") }
        if time > Timestamp.max.milliseconds { throw .outOfRange(field: "time") }
        if logOfReplica[replica] >= 0 { throw .notCanonical(field: "log") }
        let start = BoundaryPosition(last: SequenceNumber(last), timestamp: Timestamp(milliseconds: time))
        logs.append(
            Log(
                replica: replica, start: start, next: last + 1, timestamp: time,
                near: ReplayDot(replica: Int32(replica), sequence: last)))
        logOfReplica[replica] = logs.count - 1
    }

    /// By number of a replica: its log here, or -1.
    var logOfReplica: ContiguousArray<Int> = []

    /// The number of a replica; one past the last one spells out a new one.
    private mutating func readReplica(_ code: Int) throws(DecodeFault) -> Int {
        if code < replicas.count { return code }
        if code > replicas.count { throw .outOfRange(field: "replica") }
        let replica = ReplicaID(raw: Bytes16(try names.raw(Bytes16.byteCount)))
        let former = numberOfReplica.updateValue(Int32(replicas.count), forKey: replica)
        if former != nil { throw .notCanonical(field: "replica") }
        replicas.append(replica)
        mentioned.append(0)
        logOfReplica.append(-1)
        return code
    }

    mutating func advanceTime(of log: Int, by delta: UInt64, _ count: UInt64) throws(DecodeFault) {
        let (sum, isOver) = delta.multipliedReportingOverflow(by: count)
        let (time, isPast) = logs[log].timestamp.addingReportingOverflow(sum)
        if isOver || isPast || delta == 0 || time > Timestamp.max.milliseconds {
            throw .outOfRange(field: "time")
        }
        logs[log].timestamp = time
    }

    /// Operations of a change, or of several, against the announced sum.
    mutating func takeOperations(_ count: UInt64) throws(DecodeFault) -> Int {
        if count > UInt64(operationsLeft) {
            throw .overLimit(field: "operations", value: count, limit: UInt64(operationsLeft))
        }
        operationsLeft -= Int(count)
        return Int(count)
    }

    /// What a change says before its operations.
    mutating func readHead(
        _ shape: UInt64, _ log: Int
    ) throws(DecodeFault) -> (declaration: Change.Declaration?, rosterHeads: [Bytes32]) {
        var declaration: Change.Declaration?
        if logs[log].next == 1 {
            let device = DeviceID(publicKey: Bytes32(try names.raw(Bytes32.byteCount)))
            var incarnation: UInt64 = 0
            for byte in try names.raw(8) { incarnation = incarnation << 8 | UInt64(byte) }
            declaration = Change.Declaration(device: device, incarnation: incarnation)
        }
        if shape & 1 == 1 {
            try advanceContext(of: log)
        } else if logs[log].history.isEmpty {
            logs[log].history.append((logs[log].next, logs[log].context))
        }
        guard shape & 2 == 2 else { return (declaration, []) }
        let count = try names.count(limit: RosterLimits.headsMax, field: "roster heads")
        var heads: [Bytes32] = []
        for _ in 0..<count {
            let head = Bytes32(try names.raw(Bytes32.byteCount))
            if let former = heads.last, former >= head { throw .notCanonical(field: "roster heads") }
            heads.append(head)
        }
        if heads.isEmpty { throw .notCanonical(field: "roster heads") }
        return (declaration, heads)
    }

    /// All that most heads say: the context that the next change of a log is made on.
    mutating func advanceContext(of log: Int) throws(DecodeFault) {
        let context = try readContext(log)
        logs[log].context = context
        if logs[log].vector != nil { logs[log].vector = nil }
        logs[log].history.append((logs[log].next, context))
    }

    private mutating func readContext(_ log: Int) throws(DecodeFault) -> BlockContexts.Handle {
        let code = try contextColumn.varint()
        if code & 3 == 2 { throw .outOfRange(field: "context") }
        let count = Int(clamping: code >> 2)
        if count > contextColumn.remaining {
            throw .truncated(needed: count, available: contextColumn.remaining)
        }
        var context = logs[log].context
        if code & 3 == 0 {
            for _ in 0..<count {
                let replica = try contextColumn.count(limit: replicas.count - 1, field: "replica")
                let head = logOfReplica[replica]
                let lag = try contextColumn.varint()
                guard head >= 0, head != log, lag < logs[head].next,
                    let version = version(of: head, at: logs[head].next - 1 - lag)
                else { throw .outOfRange(field: "context") }
                context = try contexts.join(
                    context, version,
                    and: .init(replica: Int32(replica), last: logs[head].next - 1 - lag),
                    without: logs[log].replica)
            }
            return context
        }
        var entries: [BlockContexts.Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let replica = try readReplica(Int(clamping: try contextColumn.varint()))
            let sequence = try Self.sequence(mentioned[replica], try contextColumn.zigzag())
            if replica == logs[log].replica { throw .outOfRange(field: "context") }
            mentioned[replica] = sequence
            entries.append(.init(replica: Int32(replica), last: sequence))
        }
        return try contexts.add(entries, to: code & 3 == 1 ? context : .init())
    }

    /// Mutating, though nothing changes: else the compiler copies the whole reader for each call.
    private mutating func version(of log: Int, at sequence: UInt64) -> BlockContexts.Handle? {
        var (low, high) = (0, logs[log].history.count)
        // Mostly one of the last is meant.
        for _ in 0..<4 where high > 0 {
            if logs[log].history[high - 1].first <= sequence { return logs[log].history[high - 1].context }
            high -= 1
        }
        while low < high {
            let middle = (low + high) / 2
            if logs[log].history[middle].first <= sequence { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : logs[log].history[low - 1].context
    }

    mutating func vector(of log: Int) -> VersionVector {
        if let vector = logs[log].vector { return vector }
        var entries: [VersionVector.Entry] = []
        contexts.forEach(in: logs[log].context) {
            entries.append(.init(replicas[Int($0.replica)], SequenceNumber($0.last)))
        }
        entries.sort { $0.replica < $1.replica }
        let vector = VersionVector(entries)
        logs[log].vector = vector
        return vector
    }

    // MARK: Dots

    static func sequence(_ base: UInt64, _ difference: Int64) throws(DecodeFault) -> UInt64 {
        let (value, isOver) = Int64(base).addingReportingOverflow(difference)
        if isOver || value < 1 || UInt64(value) > SequenceNumber.max.value {
            throw .outOfRange(field: "dot")
        }
        return UInt64(value)
    }

    /// `code` was read; a difference, if there is one, stands in the same column.
    private mutating func dot(_ code: UInt64, _ log: Int, isRight: Bool) throws(DecodeFault) -> ReplayDot {
        let near = logs[log].near
        guard code & 1 == 1 else {
            let sequence = try Self.sequence(near.sequence, ColumnReader.unzigzag(code >> 1))
            mentioned[Int(near.replica)] = sequence
            return ReplayDot(replica: near.replica, sequence: sequence)
        }
        let replica = try readReplica(Int(clamping: code >> 1))
        let difference = isRight ? try rights.zigzag() : try dots.zigzag()
        let sequence = try Self.sequence(mentioned[replica], difference)
        mentioned[replica] = sequence
        return ReplayDot(replica: Int32(replica), sequence: sequence)
    }

    mutating func readDot(_ log: Int) throws(DecodeFault) -> ReplayDot {
        try dot(try dots.varint(), log, isRight: false)
    }

    mutating func readLeft(_ log: Int) throws(DecodeFault) -> ReplayDot {
        let code = try dots.varint()
        return code == 0 ? .none : try dot(code - 1, log, isRight: false)
    }

    mutating func readRight(after left: ReplayDot, _ log: Int) throws(DecodeFault) -> ReplayDot {
        let right: ReplayDot
        switch try rights.varint() {
        case 0: return .none
        case 1:
            guard !logs[log].lastRight.isNone else { throw .outOfRange(field: "right origin") }
            return logs[log].lastRight
        case 2:
            guard !left.isNone, left.sequence < SequenceNumber.max.value else {
                throw .outOfRange(field: "right origin")
            }
            right = ReplayDot(replica: left.replica, sequence: left.sequence + 1)
        case let code: right = try dot(code - 3, log, isRight: true)
        }
        logs[log].lastRight = right
        return right
    }

    func number(of replica: ReplicaID) -> Int32? { numberOfReplica[replica] }

    func publicDot(_ dot: ReplayDot) -> Dot? {
        dot.isNone ? nil : Dot(replicas[Int(dot.replica)], SequenceNumber(dot.sequence))
    }

    // MARK: Steps

    /// The place that the next step acts in; a new one is read.
    mutating func readPlace(_ log: Int) throws(DecodeFault) -> Int {
        let place = try placeColumn.next()
        if place < UInt64(places.count) { return Int(place) }
        if place > UInt64(places.count) { throw .outOfRange(field: "container") }
        places.append(try readPlaceName(log))
        return Int(place)
    }

    mutating func readStepKind() throws(DecodeFault) -> BlockStep {
        let raw = try steps.u8()
        guard let kind = BlockStep(rawValue: raw) else {
            throw .unknownTag(field: "step", value: UInt64(raw))
        }
        return kind
    }

    private mutating func finish() throws(DecodeFault) {
        if isOver { return }
        isOver = true
        guard step.count == 0, operationsLeft == 0 else {
            throw .trailing(count: step.count + operationsLeft)
        }
        for column in [
            contextColumn, names, steps, counts, lengths, dots, rights, text, numbers, keyColumn, strings,
            tags,
            rest,
        ] { try column.finish() }
        for column in [shapes, times, placeColumn, generations] { try column.finish() }
    }
}

// A block of changes taken apart into what a fuzzer mutates, and put together again so that it can be
// decoded: sequences without gaps, times that grow, contexts that never shrink and name nothing of the block
// that stands later. What an operation names follows it when it moves. The rest is as hostile as the mutation
// made it: dots that nobody inserted, containers that nobody made, replicas that nobody knows.

import Bytes
import Causality
import Documents
import Wire

/// Changes of several logs in a causal order, without what follows from their order.
struct History {
    /// An operation, and the dot that it had before the mutation; nil for a new one.
    struct Piece {
        var operation: Operation
        var former: Dot?
    }

    /// A change, without its sequences.
    struct Step {
        var replica: ReplicaID
        /// Milliseconds after the change before it in its log, at least 1.
        var elapsed: UInt64
        var context: VersionVector
        var rosterHeads: [Bytes32]
        var pieces: [Piece]
    }

    /// Where the logs begin.
    var starts: [ReplicaID: BoundaryPosition]
    var steps: [Step]

    /// Nil when the bytes are no block.
    init?(block: [UInt8]) {
        guard let read = ColumnProperties.read(block) else { return nil }
        self.init(read.changes, starts: read.starts)
    }

    init(_ changes: [Change], starts: [ReplicaID: BoundaryPosition]) {
        self.starts = starts
        var times = starts.mapValues(\.timestamp.milliseconds)
        steps = changes.map { change in
            let former = times.updateValue(change.timestamp.milliseconds, forKey: change.replica)
            var next = Dot(change.replica, change.first)
            let pieces = change.operations.map { operation in
                defer { next = next.advanced(by: operation.sequenceCount) }
                return Piece(operation: operation, former: next)
            }
            return Step(
                replica: change.replica, elapsed: change.timestamp.milliseconds - (former ?? 0),
                context: change.context, rosterHeads: change.rosterHeads, pieces: pieces)
        }
    }

    var operationCount: Int { steps.reduce(0) { $0 + $1.pieces.count } }

    // MARK: Putting together

    private struct LogEnd {
        var next: UInt64
        var time: UInt64
        var context = VersionVector()
        var rosterHeads: [Bytes32] = []
    }

    /// Changes that a block can hold. `keepsVoid`: also those that have no effect; otherwise contexts are
    /// raised to what operations name, and an operation that stays void is left out.
    func changes(keepsVoid: Bool) -> [Change] {
        var ends = starts.mapValues {
            LogEnd(next: $0.last.value + 1, time: $0.timestamp.milliseconds)
        }
        let inside = Set(steps.map(\.replica))
        var renamed = RenamedDots()
        var changes: [Change] = []
        for step in steps {
            var end = ends[step.replica] ?? LogEnd(next: 1, time: 0)
            let room = Timestamp.max.milliseconds - end.time
            if room == 0 { continue }
            end.time += min(max(step.elapsed, 1), room)
            var named: [Dot] = []
            let pieces = step.pieces.map { piece in
                let operation = piece.operation.mapDots { dot in
                    let dot = renamed(dot)
                    if !keepsVoid { named.append(dot) }
                    return dot
                }
                return Piece(operation: operation, former: piece.former)
            }
            for entry in step.context.entries.map(renamed.callAsFunction)
                + named.map({ .init($0.replica, $0.sequence) })
            where entry.replica != step.replica {
                let known =
                    inside.contains(entry.replica)
                    ? SequenceNumber((ends[entry.replica]?.next ?? 1) - 1) : SequenceNumber.max
                end.context.advance(entry.replica, to: min(entry.last, known))
            }
            guard let change = change(step, pieces, &end, &renamed, keepsVoid: keepsVoid) else { continue }
            changes.append(change)
            ends[step.replica] = end
        }
        return changes
    }

    /// Nil when nothing is left of it.
    private func change(
        _ step: Step, _ pieces: [Piece], _ end: inout LogEnd, _ renamed: inout RenamedDots, keepsVoid: Bool
    ) -> Change? {
        let first = SequenceNumber(end.next)
        let timestamp = Timestamp(milliseconds: end.time)
        var operations: [Operation] = []
        for piece in pieces {
            let dot = Dot(step.replica, SequenceNumber(end.next))
            let count = UInt64(piece.operation.sequenceCount)
            if end.next + count > SequenceNumber.max.value { break }
            if !keepsVoid {
                let stamp = OperationStamp(dot: dot, timestamp: timestamp, context: end.context)
                if case .unknown = piece.operation.body { continue }
                guard piece.operation.isStaticallyValid(stamp) else { continue }
            }
            operations.append(piece.operation)
            if let former = piece.former { renamed.add(former, Int(count), dot) }
            end.next += count
        }
        if operations.isEmpty {
            guard first.value == 1 else { return nil }
            end.next += 1
        }
        let heads = step.rosterHeads == end.rosterHeads ? [] : step.rosterHeads
        if !heads.isEmpty { end.rosterHeads = heads }
        let declaration = Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 7)
        return Change(
            replica: step.replica, first: first, timestamp: timestamp, context: end.context,
            declaration: first.value == 1 ? declaration : nil, rosterHeads: heads, operations: operations)
    }
}

/// Where operations went, and so the dots that they had.
private struct RenamedDots {
    private struct Range {
        let first: UInt64
        let count: Int
        let new: Dot
    }

    private var ranges: [ReplicaID: [Range]] = [:]
    /// False as long as everything has the dot that it had.
    private var isMoved = false

    /// The first place counts: a copy has a dot of its own.
    mutating func add(_ former: Dot, _ count: Int, _ new: Dot) {
        if former != new { isMoved = true }
        ranges[former.replica, default: []].append(
            Range(first: former.sequence.value, count: count, new: new))
    }

    func callAsFunction(_ dot: Dot) -> Dot {
        guard isMoved, let ranges = ranges[dot.replica] else { return dot }
        let sequence = dot.sequence.value
        let found = ranges.first { $0.first <= sequence && sequence - $0.first < UInt64($0.count) }
        return found.map { $0.new.advanced(by: Int(sequence - $0.first)) } ?? dot
    }

    /// An entry of a context goes with the last operation that it covers.
    func callAsFunction(_ entry: VersionVector.Entry) -> VersionVector.Entry {
        guard isMoved else { return entry }
        let dot = self(Dot(entry.replica, entry.last))
        return dot.replica == entry.replica ? VersionVector.Entry(dot.replica, dot.sequence) : entry
    }
}

// MARK: Dots

extension Operation {
    func mapDots(_ map: (Dot) -> Dot) -> Operation {
        guard case .act(let path, let action) = body else { return self }
        return Operation(document: document, body: .act(in: path.mapDots(map), action.mapDots(map)))
    }
}

extension Slot {
    func mapDots(_ map: (Dot) -> Dot) -> Slot {
        if case .element(let dot) = self { .element(map(dot)) } else { self }
    }
}

extension ContainerPath {
    fileprivate func mapDots(_ map: (Dot) -> Dot) -> ContainerPath {
        let steps = steps
        let hasElement = steps.contains { if case .element = $0.slot { true } else { false } }
        guard hasElement else { return self }
        return ContainerPath(
            generation: generation,
            steps: steps.map { ContainerStep($0.slot.mapDots(map), $0.kind, $0.generation) })
    }
}

extension Action {
    func mapDots(_ map: (Dot) -> Dot) -> Action {
        switch self {
        case .make, .increment, .add, .remove: self
        case .write(let slot, let value, let generation):
            .write(slot: slot.mapDots(map), value: value, generation: generation)
        case .clear(let slot, let observed): .clear(slot: slot.mapDots(map), observed: observed)
        case .insertElements(let left, let right, let contents):
            .insertElements(left: left.map(map), right: right.map(map), contents)
        case .deleteElements(let ranges): .deleteElements(Self.mapDots(ranges, map))
        case .moveElement(let dot, let left, let right):
            .moveElement(map(dot), left: left.map(map), right: right.map(map))
        case .insertMembers(let left, let right, let members):
            .insertMembers(left: left.map(map), right: right.map(map), members)
        case .moveMember(let member, let left, let right):
            .moveMember(member, left: left.map(map), right: right.map(map))
        case .insertText(let left, let right, let text):
            .insertText(left: left.map(map), right: right.map(map), text)
        case .deleteText(let ranges): .deleteText(Self.mapDots(ranges, map))
        }
    }

    /// By its last dot: that is the one that must have been seen.
    private static func mapDots(_ ranges: [DotRange], _ map: (Dot) -> Dot) -> [DotRange] {
        ranges.map { range in
            let last = map(Dot(range.replica, range.last))
            let count = min(UInt64(range.count), last.sequence.value)
            return DotRange(last.replica, SequenceNumber(last.sequence.value - (count - 1)), last.sequence)
        }.inOrder
    }
}

extension [DotRange] {
    /// Ascending and disjoint, as ranges stand in an operation: what overlaps another one is left out.
    var inOrder: [DotRange] {
        if count == 1 { return self }
        var kept: [DotRange] = []
        for range in sorted(by: { $0.start < $1.start }) {
            if let last = kept.last, last.replica == range.replica, last.last >= range.first { continue }
            kept.append(range)
        }
        return kept
    }
}

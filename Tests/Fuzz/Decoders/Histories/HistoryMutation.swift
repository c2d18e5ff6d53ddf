// Mutations that keep a block decodable: operations and changes are dropped, doubled, moved, cut, joined and
// grafted from another history, runs are made and broken, contexts, times and the places of logs are pushed
// to their edges. What one operation says is changed in `HistoryMutation+Operations`.

import Bytes
import Causality
import Documents
import Wire

/// One history while it is mutated.
struct HistoryMutation {
    /// More are cut off.
    static let operationsMax = 60
    /// Replicas that may write; by bytes they stand in another order than by number.
    static let replicas = [7, 3, 0xFFFF_FFFF_FFFF, 1, 5].map {
        ReplicaID(raw: Bytes16(high: UInt64($0), low: 9 &- UInt64($0)))
    }
    /// Replicas that have no log here.
    static let strangers = [2, 6].map { ReplicaID(raw: Bytes16(high: UInt64($0), low: 0)) }

    var history: History
    /// The input that pieces come from.
    private let other: [UInt8]
    var random: SeededGenerator

    /// A plan and a block, one to four mutations on; the same with another plan when they are none.
    static func bent(
        _ bytes: [UInt8], _ other: [UInt8], countMax: Int, using random: inout SeededGenerator
    ) -> [UInt8] {
        let plan = (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard bytes.count > 8, let history = History(block: Array(bytes[8...])), !history.steps.isEmpty else {
            return Mutation.bent(bytes, other, countMax: countMax, using: &random)
        }
        var mutation = HistoryMutation(history: history, other: other, random: random)
        for _ in 0..<mutation.number(1...4) { mutation.mutate() }
        mutation.shorten()
        let keepsVoid = mutation.oneIn(4)
        if keepsVoid, mutation.oneIn(6) { mutation.addUnknown() }
        let changes = mutation.history.changes(keepsVoid: keepsVoid)
        random = mutation.random
        guard
            let block = ReplayProperties.encode(changes[...], starts: mutation.history.starts),
            !changes.isEmpty, block.count + 8 <= countMax
        else { return plan + bytes[8...] }
        return plan + block
    }

    private init(history: History, other: [UInt8], random: SeededGenerator) {
        (self.history, self.other, self.random) = (history, other, random)
    }

    // MARK: Chance

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }
    mutating func any<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }

    // MARK: Mutations

    private mutating func mutate() {
        if history.steps.isEmpty { return }
        let at = number(0...history.steps.count - 1)
        switch number(0...25) {
        case 0...5: mutateOperation(at)
        case 6, 7, 24: insertRun(at)
        case 8: breakRun()
        case 9: history.steps[at].pieces.insert(newPiece(at), at: 0)
        case 10, 11, 25: addStep(at)
        case 12: moveStep(at)
        case 13: doubleStep(at)
        case 14: cutStep(at)
        case 15: joinSteps(at)
        case 16: movePiece(at)
        case 17: graft(at)
        case 18, 19: changeContext(at)
        case 20: changeTime(at)
        case 21: history.steps[at].replica = any(of: Self.replicas)
        case 22: if oneIn(2) { changeStart(at) } else { dropPiece(at) }
        default: if oneIn(2) { changeHeads(at) } else { history.steps.remove(at: at) }
        }
    }

    private mutating func mutateOperation(_ at: Int) {
        guard !history.steps[at].pieces.isEmpty else { return }
        let place = number(0...history.steps[at].pieces.count - 1)
        let former = history.steps[at].pieces[place].operation
        history.steps[at].pieces[place].operation = bent(former, at)
    }

    private mutating func dropPiece(_ at: Int) {
        guard !history.steps[at].pieces.isEmpty else { return }
        history.steps[at].pieces.remove(at: number(0...history.steps[at].pieces.count - 1))
    }

    /// From a later version: its whole change is skipped.
    private mutating func addUnknown() {
        guard !history.steps.isEmpty else { return }
        let at = number(0...history.steps.count - 1)
        history.steps[at].pieces.append(unknownPiece())
    }

    /// A change of some log with one new operation.
    private mutating func addStep(_ at: Int) {
        var step = history.steps[at]
        if !oneIn(3) { step.replica = any(of: Self.replicas) }
        step.elapsed = UInt64(number(1...3))
        step.rosterHeads = []
        step.pieces = [newPiece(at)]
        if oneIn(3) { step.pieces.append(newPiece(at)) }
        history.steps.insert(step, at: at + 1)
    }

    private mutating func moveStep(_ at: Int) {
        let step = history.steps.remove(at: at)
        history.steps.insert(step, at: number(0...history.steps.count))
    }

    private mutating func doubleStep(_ at: Int) {
        var step = history.steps[at]
        if oneIn(2) { step.replica = any(of: Self.replicas) }
        history.steps.insert(step, at: number(at...history.steps.count))
    }

    private mutating func cutStep(_ at: Int) {
        let count = history.steps[at].pieces.count
        guard count > 1 else { return }
        let cut = number(1...count - 1)
        var step = history.steps[at]
        step.pieces.removeFirst(cut)
        step.rosterHeads = []
        if oneIn(2) { step.elapsed = 1 }
        history.steps[at].pieces.removeLast(count - cut)
        history.steps.insert(step, at: at + 1)
    }

    /// The next change of the same log comes into this one.
    private mutating func joinSteps(_ at: Int) {
        let replica = history.steps[at].replica
        guard let next = history.steps[(at + 1)...].firstIndex(where: { $0.replica == replica }) else {
            return
        }
        let joined = history.steps.remove(at: next)
        history.steps[at].pieces += joined.pieces
    }

    /// To another place, perhaps of another log; or a copy of it.
    private mutating func movePiece(_ at: Int) {
        let count = history.steps[at].pieces.count
        guard count > 0 else { return }
        let place = number(0...count - 1)
        let piece = history.steps[at].pieces[place]
        if oneIn(2) { history.steps[at].pieces.remove(at: place) }
        let to = oneIn(3) ? at : number(0...history.steps.count - 1)
        history.steps[to].pieces.insert(piece, at: number(0...history.steps[to].pieces.count))
    }

    /// Changes of the other history, or operations of it, with the dots that they had there.
    private mutating func graft(_ at: Int) {
        guard other.count > 8, let other = History(block: Array(other[8...])), !other.steps.isEmpty else {
            return
        }
        let first = number(0...other.steps.count - 1)
        let last = min(other.steps.count - 1, first + number(0...4))
        if oneIn(2) {
            history.steps.insert(contentsOf: other.steps[first...last], at: at + 1)
        } else {
            history.steps[at].pieces += other.steps[first...last].flatMap(\.pieces)
        }
    }

    // MARK: Contexts, times, starts

    private mutating func changeContext(_ at: Int) {
        switch number(0...4) {
        case 0: history.steps[at].context = VersionVector()
        case 1:
            // Everything; what stands later is cut off when it is put together.
            for replica in Self.replicas { history.steps[at].context.advance(replica, to: .max) }
        case 2:
            // A part of what a log holds, in the middle of a change too.
            guard let dot = anyDot(like: nil) else { return }
            history.steps[at].context.advance(dot.replica, to: dot.sequence)
        case 3:
            // A replica that has no log here: what it wrote was void.
            let last = oneIn(2) ? SequenceNumber.max : SequenceNumber(UInt64(number(1...9)))
            history.steps[at].context.advance(any(of: Self.strangers), to: last)
        default: history.steps[at].context = any(of: history.steps).context
        }
    }

    private mutating func changeTime(_ at: Int) {
        history.steps[at].elapsed =
            switch number(0...5) {
            case 0: .max
            case 1: Timestamp.max.milliseconds / 2
            case 2: 1 << 32
            case 3, 4: 1
            default: any(of: history.steps).elapsed
            }
    }

    /// A log that begins at a boundary: a little on, or where numbers of runs and of sequences end.
    private mutating func changeStart(_ at: Int) {
        let back = UInt64(number(0...40))
        let last: UInt64 =
            switch number(0...4) {
            case 0: 0
            case 1: UInt64(number(1...70))
            case 2, 3: UInt64(Int32.max) - back
            default: SequenceNumber.max.value - 1 - back
            }
        let time = UInt64(last == 0 || oneIn(2) ? 0 : number(1...9))
        history.starts[history.steps[at].replica] = BoundaryPosition(
            last: SequenceNumber(last), timestamp: Timestamp(milliseconds: time))
    }

    private mutating func changeHeads(_ at: Int) {
        history.steps[at].rosterHeads = (0..<number(0...2)).map {
            Bytes32([UInt8](repeating: UInt8($0 + 1), count: 32))
        }
    }

    /// Mostly to a dozen operations: many small histories find more than few large ones.
    private mutating func shorten() {
        let countMax = number(1...(oneIn(20) ? Self.operationsMax : oneIn(5) ? 24 : 12))
        while history.operationCount > countMax {
            history.steps.remove(at: number(0...history.steps.count - 1))
        }
    }

    // MARK: Runs

    /// Steps that continue each other, an operation a change or all in one.
    private mutating func insertRun(_ at: Int) {
        let count = number(2...8)
        let first = newPiece(at, kind: oneIn(4) ? .counter : .text)
        var step = history.steps[at]
        (step.elapsed, step.rosterHeads) = (1, [])
        guard case .act(let path, let action) = first.operation.body else { return }
        let pieces = (0..<count).map { index in
            // Later than every dot that was: these follow the copies when they are put together.
            History.Piece(
                operation: Operation(
                    document: first.operation.document,
                    body: .act(in: path, continued(action, index, step.replica))),
                former: Dot(step.replica, SequenceNumber(Self.runBase + UInt64(index * 4))))
        }
        if oneIn(3) {
            history.steps[at].pieces += pieces
            return
        }
        let steps = pieces.map { piece in
            var one = step
            one.pieces = [piece]
            return one
        }
        history.steps.insert(contentsOf: steps, at: at + 1)
    }

    /// Dots that only a run under way has.
    private static let runBase: UInt64 = 1 << 40

    /// What the operation of this index in a run does.
    private mutating func continued(_ action: Action, _ index: Int, _ replica: ReplicaID) -> Action {
        switch action {
        case .insertText(let left, let right, let text):
            // Each has the scalars of the first, which are four at most.
            let length = text.unicodeScalars.count
            let former = Dot(
                replica, SequenceNumber(Self.runBase + UInt64(max(index - 1, 0) * 4 + length - 1)))
            return .insertText(left: index == 0 ? left : former, right: right, text)
        case .deleteText(let ranges):
            guard let first = ranges.first else { return action }
            let (count, back) = (UInt64(first.count), oneIn(2))
            let distance = UInt64(index) * count
            if back, first.first.value <= distance { return action }
            let start = back ? first.first.value - distance : first.first.value + distance
            if start + count > SequenceNumber.max.value { return action }
            return .deleteText([
                DotRange(first.replica, SequenceNumber(start), SequenceNumber(start + count - 1))
            ])
        default: return action
        }
    }

    /// Somewhere in the middle of a run something else is done.
    private mutating func breakRun() {
        let at = number(0...history.steps.count - 1)
        let piece = newPiece(at)
        if oneIn(2) {
            let place = number(0...history.steps[at].pieces.count)
            history.steps[at].pieces.insert(piece, at: place)
        } else {
            var step = history.steps[at]
            (step.pieces, step.rosterHeads, step.elapsed) = ([piece], [], 1)
            history.steps.insert(step, at: number(0...history.steps.count))
        }
    }
}

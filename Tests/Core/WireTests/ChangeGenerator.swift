// Random logs by seed: every operation kind, repeated and fresh names, own and foreign dots. They are shaped
// like real ones (dots lie in the past, contexts grow) but make no sense as documents; the coder must not
// care.

import Bytes
import Causality
import Documents
import Wire

/// Makes the changes of one log, one after the other.
struct ChangeGenerator {
    private(set) var random: SeededGenerator
    let replica = ReplicaID(raw: Bytes16(high: 0xAAAA, low: 1))
    private var next = SequenceNumber(1)
    private var timestamp = Timestamp.zero
    private var context = VersionVector()
    private var heads: [Bytes32] = []
    private var cursor = SequenceNumber(1)
    let declaration = Change.Declaration(
        device: DeviceID(publicKey: Bytes32([UInt8](repeating: 7, count: 32))),
        incarnation: 0x0102_0304_0506_0708)

    /// False for the logs of kept vectors, which are older than acknowledgements.
    private let acknowledges: Bool

    init(seed: UInt64, acknowledges: Bool = true) {
        random = SeededGenerator(seed: seed)
        self.acknowledges = acknowledges
    }

    mutating func change(operations: Int? = nil) -> Change {
        timestamp = Timestamp(milliseconds: timestamp.milliseconds + .random(in: 1...5_000, using: &random))
        if chance(3) {
            for _ in 0..<number(1...3) { context.advance(other(), to: sequence(1...1_000_000)) }
        }
        var named: [Bytes32] = []
        if chance(9) || heads.isEmpty {
            named = (0..<number(1...3)).map { _ in hash() }.sorted()
            heads = named
        }
        cursor = next
        var list: [Operation] = []
        for _ in 0..<(operations ?? number(1...5)) {
            let operation = self.operation()
            list.append(operation)
            cursor = cursor + operation.sequenceCount
        }
        let change = Change(
            replica: replica, first: next, timestamp: timestamp, context: context,
            declaration: next.value == 1 ? declaration : nil, rosterHeads: named, operations: list)
        next = change.last + 1
        return change
    }

    mutating func operation() -> Operation {
        let document = self.document()
        switch number(0...(acknowledges ? 16 : 15)) {
        case 0: return Operation(document: document, body: .deleteDocument(observed: generations()))
        case 1:
            return Operation(
                document: document,
                body: .unknown(
                    tag: UInt64(number(64...5_000)), sequenceCount: number(1...300),
                    payload: (0..<number(0...20)).map { _ in UInt8(number(0...255)) }))
        case 16: return .acknowledging(chance(3) ? nil : hash())
        case let kind: return Operation(document: document, body: .act(in: path(), action(kind)))
        }
    }

    private mutating func action(_ kind: Int) -> Action {
        switch kind {
        case 2: return .make
        case 3: return .write(slot: slot(), value: scalar(), generation: generation())
        case 4:
            let observed = Set(
                (0..<number(0...3)).map { _ in ObservedContainer(containerKind(), generation()) })
            return .clear(slot: slot(), observed: observed.sorted())
        case 5: return .increment(by: integer())
        case 6: return .add(scalar())
        case 7: return .remove(scalar())
        case 8:
            let contents = (0..<number(1...4)).map { _ -> ElementContent in
                chance(2) ? .container : .register(scalar())
            }
            return .insertElements(left: origin(), right: origin(), contents)
        case 9: return .deleteElements(ranges())
        case 10: return .moveElement(dot(), left: origin(), right: origin())
        case 11:
            return .insertMembers(
                left: origin(), right: origin(), (0..<number(1...4)).map { _ in scalar() })
        case 12: return .moveMember(scalar(), left: origin(), right: origin())
        case 13: return .deleteText(ranges())
        default: return .insertText(left: origin(), right: origin(), text(1...12))
        }
    }

    // MARK: Parts

    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    private mutating func chance(_ oneIn: Int) -> Bool { number(1...oneIn) == 1 }
    private mutating func sequence(_ range: ClosedRange<UInt64>) -> SequenceNumber {
        SequenceNumber(.random(in: range, using: &random))
    }
    private mutating func hash() -> Bytes32 { Bytes32((0..<32).map { _ in UInt8(number(0...255)) }) }
    private mutating func other() -> ReplicaID {
        ReplicaID(raw: Bytes16(high: UInt64(number(1...6)), low: 0xFFFF_0000_0000_0000))
    }
    private mutating func document() -> Key { Key("note/\(chance(4) ? number(0...500) : number(0...3))") }
    private mutating func generation() -> Generation {
        Generation(UInt32(chance(5) ? number(1...1 << 30) : 1))
    }
    private mutating func generations() -> [Generation] {
        Set((0..<number(1...4)).map { _ in generation() }).sorted()
    }
    private mutating func containerKind() -> ContainerKind {
        ContainerKind.allCases[number(0...ContainerKind.allCases.count - 1)]
    }
    private mutating func slot() -> Slot {
        if chance(3) { return .element(dot()) }
        return .key(Key(chance(4) ? text(0...20) : ["title", "é", "e\u{301}", ""][number(0...3)]))
    }
    private mutating func path() -> ContainerPath {
        let steps = (0..<(chance(20) ? 32 : number(0...3))).map { _ in
            ContainerStep(slot(), containerKind(), generation())
        }
        return ContainerPath(generation: generation(), steps: chance(2) ? [] : steps)
    }
    private mutating func dot() -> Dot {
        if cursor.value > 1 && chance(2) { return Dot(replica, sequence(1...cursor.value - 1)) }
        return Dot(other(), chance(20) ? .max : sequence(1...1_000_000))
    }
    private mutating func origin() -> Dot? { chance(4) ? nil : dot() }
    private mutating func ranges() -> [DotRange] {
        var ranges: [DotRange] = []
        for start in Set((0..<number(1...5)).map { _ in dot() }).sorted() {
            if let last = ranges.last, last.replica == start.replica, last.last >= start.sequence { continue }
            let room = SequenceNumber.max.value - start.sequence.value
            ranges.append(
                DotRange(
                    start.replica, start.sequence, start.sequence + number(0...Int(min(room, 40)))))
        }
        return ranges
    }
    private mutating func integer() -> Int64 {
        [0, 1, -1, .max, .min, Int64.random(in: -100_000...100_000, using: &random)][number(0...5)]
    }
    private mutating func scalar() -> Scalar {
        switch number(0...7) {
        case 0: .null
        case 1: .bool(false)
        case 2: .bool(true)
        case 3: .integer(integer())
        case 4: .double([0.5, -0.25, 1e300, -.leastNonzeroMagnitude, 9.007199254740994e15][number(0...4)])
        default: .string(Key(text(0...12)))
        }
    }
    private mutating func text(_ length: ClosedRange<Int>) -> String {
        let scalars: [Unicode.Scalar] = ["a", "b", "\u{301}", "ß", "世", "😀", "\u{0}", "\u{10FFFF}"]
        var text = ""
        for _ in 0..<number(length) { text.unicodeScalars.append(scalars[number(0...7)]) }
        return text
    }
}

// Operations that no honest author writes: either they are statically invalid, which every replica sees
// alike, or they mean something that does not depend on the order of delivery.

import Bytes
import Causality
import Testing

@testable import Documents

private func stamp(_ sequence: UInt64, of replica: UInt64 = 1, seen: [UInt64: UInt64] = [:]) -> OperationStamp
{
    OperationStamp(
        dot: Dot(testReplica(replica), SequenceNumber(sequence)),
        timestamp: Timestamp(milliseconds: sequence),
        context: VersionVector(seen.map { .init(testReplica($0.key), SequenceNumber($0.value)) }))
}

private func mark(_ replica: UInt64, _ sequence: UInt64) -> Dot {
    Dot(testReplica(replica), SequenceNumber(sequence))
}

private func act(_ steps: [ContainerStep], _ action: Action, generation: UInt32 = 1) -> Operation {
    Operation(
        document: SimulatedReplica.key,
        body: .act(in: ContainerPath(generation: Generation(generation), steps: steps), action))
}

private func step(_ slot: Slot, _ kind: ContainerKind, _ generation: UInt32 = 1) -> ContainerStep {
    ContainerStep(slot, kind, Generation(generation))
}

@Suite struct ValidityTests {
    private static let list = [step(.key("l"), .list)]
    private static let text = [step(.key("t"), .text)]
    private static let long = Key(String(repeating: "x", count: DocumentLimits.stringBytesMax + 1))

    static let invalidOnes: [(String, Operation)] = [
        (
            "no document key",
            Operation(document: "", body: .act(in: ContainerPath(generation: .first), .make))
        ),
        ("document generation 0", act([], .make, generation: 0)),
        ("a generation beyond the greatest", act([], .make, generation: 1 << 30 + 1)),
        ("a step of generation 0", act([step(.key("l"), .list, 0)], .make)),
        ("nothing deleted", Operation(document: "d", body: .deleteDocument(observed: []))),
        ("deleted twice", Operation(document: "d", body: .deleteDocument(observed: [.first, .first]))),
        ("an element in a map", act([step(.element(mark(1, 1)), .map)], .make)),
        ("a key in a list", act(list + [step(.key("k"), .map)], .make)),
        ("a step below a text", act(text + [step(.key("k"), .map)], .make)),
        ("a step to an element not seen", act(list + [step(.element(mark(2, 3)), .map)], .make)),
        ("a write in a list by key", act(list, .write(slot: .key("k"), value: 1, generation: .first))),
        ("a write of generation 0", act([], .write(slot: .key("k"), value: 1, generation: .none))),
        ("a number in another form", act([], .write(slot: .key("k"), value: .double(1), generation: .first))),
        (
            "a string over the limit",
            act([], .write(slot: .key("k"), value: .string(long), generation: .first))
        ),
        (
            "a key over the limit",
            act(
                [],
                .write(slot: .key(Key(String(repeating: "k", count: 1_025))), value: 1, generation: .first))
        ),
        (
            "a write to an element of its own future",
            act(list, .write(slot: .element(mark(1, 5)), value: 1, generation: .first))
        ),
        (
            "a clear in no order",
            act(
                [],
                .clear(
                    slot: .key("k"),
                    observed: [ObservedContainer(.list, .first), ObservedContainer(.map, .first)]))
        ),
        ("a clear in a set", act([step(.key("s"), .set)], .clear(slot: .key("k"), observed: []))),
        ("an increment of a map", act([], .increment(by: 1))),
        ("an add to an ordered set", act([step(.key("o"), .orderedSet)], .add(1))),
        ("a remove from a list", act(list, .remove(1))),
        ("no elements", act(list, .insertElements(left: nil, right: nil, []))),
        ("an origin not seen", act(list, .insertElements(left: mark(2, 3), right: nil, [.container]))),
        ("elements in a text", act(text, .insertElements(left: nil, right: nil, [.container]))),
        ("no text", act(text, .insertText(left: nil, right: nil, ""))),
        ("a right origin not seen", act(text, .insertText(left: nil, right: mark(1, 5), "x"))),
        ("no ranges", act(text, .deleteText([]))),
        (
            "ranges that overlap",
            act(
                text,
                .deleteText([
                    DotRange(testReplica(1), SequenceNumber(1), SequenceNumber(2)), DotRange(mark(1, 2)),
                ]))
        ),
        ("ranges in no order", act(list, .deleteElements([DotRange(mark(2, 1)), DotRange(mark(1, 1))]))),
        (
            "a range that was not seen",
            act(list, .deleteElements([DotRange(testReplica(2), SequenceNumber(1), SequenceNumber(3))]))
        ),
        ("a move of an element not seen", act(list, .moveElement(mark(3, 1), left: nil, right: nil))),
        (
            "members twice",
            act([step(.key("o"), .orderedSet)], .insertMembers(left: nil, right: nil, [1, 2, 1]))
        ),
        ("33 steps", act((0..<33).map { _ in step(.key("k"), .map) }, .make)),
    ]

    @Test("an operation that breaks a rule is invalid", arguments: invalidOnes)
    func invalid(name: String, operation: Operation) {
        #expect(!operation.isStaticallyValid(stamp(5, seen: [2: 2])), "\(name)")
    }

    static let validOnes: [Operation] = [
        act((0..<32).map { _ in step(.key("k"), .map) }, .make),
        act(list, .insertElements(left: mark(1, 4), right: mark(2, 2), [.container, .register(1)])),
        act(text, .deleteText([DotRange(mark(1, 1)), DotRange(mark(1, 2)), DotRange(mark(2, 1))])),
        act([], .clear(slot: .key(""), observed: [])),
        act([], .make, generation: 1 << 30),
        Operation(document: "d", body: .unknown(tag: 99, sequenceCount: 3, payload: [1])),
    ]

    @Test("an operation at the limits of what is allowed is valid", arguments: validOnes)
    func valid(operation: Operation) {
        #expect(
            operation.isStaticallyValid(stamp(5, seen: [2: 2])),
            "\(String(describing: operation).suffix(600))")
    }
}

@Suite struct HostileTests {
    /// A history by replicas that draw operations at random, valid but without sense.
    private func history(seed: UInt64) -> [TestChange] {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        var changes: [TestChange] = []
        var knowns = (0..<3).map { _ in VersionVector() }
        var lasts = [UInt64](repeating: 0, count: 3)
        func anyDot(_ seen: [UInt64]) -> Dot? {
            let writers = seen.indices.filter { seen[$0] > 0 }
            guard let writer = writers.randomElement(using: &random) else { return nil }
            return mark(UInt64(writer + 1), UInt64(number(1...Int(seen[writer]))))
        }
        func anyAction(_ kind: ContainerKind, _ seen: [UInt64]) -> Action {
            let (left, right) = (
                number(0...1) == 0 ? nil : anyDot(seen), number(0...1) == 0 ? nil : anyDot(seen)
            )
            let value = Scalar.integer(Int64(number(0...2)))
            let generation = Generation(UInt32(number(1...4)))
            let observed =
                number(0...1) == 0
                ? [] : [ObservedContainer(ContainerKind.allCases[number(0...6)], generation)]
            let target = anyDot(seen)
            switch (kind, number(0...4)) {
            case (.map, 0): return .clear(slot: .key("a"), observed: observed)
            case (.map, 1...3): return .write(slot: .key("a"), value: value, generation: generation)
            case (.list, 0): return target.map { .deleteElements([DotRange($0)]) } ?? .make
            case (.list, 1): return target.map { .moveElement($0, left: left, right: right) } ?? .make
            case (.list, 2): return target.map { .clear(slot: .element($0), observed: observed) } ?? .make
            case (.list, 3):
                return target.map { .write(slot: .element($0), value: value, generation: generation) }
                    ?? .make
            case (.list, _): return .insertElements(left: left, right: right, [.container, .register(value)])
            case (.orderedSet, 0): return .remove(value)
            case (.orderedSet, 1): return .moveMember(value, left: left, right: right)
            case (.orderedSet, _): return .insertMembers(left: left, right: right, [value])
            case (.set, 0...1), (.removeWinsSet, 0...1): return .remove(value)
            case (.set, _), (.removeWinsSet, _): return .add(value)
            case (.text, 0...1): return target.map { .deleteText([DotRange($0)]) } ?? .make
            case (.text, _): return .insertText(left: left, right: right, "xy")
            case (.counter, _): return .increment(by: .max)
            default: return .make
            }
        }
        for _ in 0..<24 {
            let writer = number(0...2)
            if number(0...2) == 0 {
                for known in knowns where number(0...1) == 0 { knowns[writer].join(known) }
            }
            let id = testReplica(UInt64(writer + 1))
            let context = VersionVector(knowns[writer].entries.filter { $0.replica != id })
            var operations: [Operation] = []
            var stamps: [OperationStamp] = []
            for _ in 0..<number(1...3) {
                let own = OperationStamp(
                    dot: mark(UInt64(writer + 1), lasts[writer] + 1),
                    timestamp: Timestamp(milliseconds: UInt64(changes.count + 1)), context: context)
                let seen = (1...3).map {
                    UInt64($0) == UInt64(writer + 1) ? lasts[writer] : context[testReplica(UInt64($0))].value
                }
                var steps: [ContainerStep] = []
                var kind = ContainerKind.map
                while kind == .map || kind == .list, number(0...3) > 0 {
                    let slot = kind == .map ? Slot.key("a") : anyDot(seen).map(Slot.element)
                    guard let slot else { break }
                    kind = ContainerKind.allCases[number(0...6)]
                    steps.append(ContainerStep(slot, kind, Generation(UInt32(number(1...3)))))
                }
                let operation =
                    number(0...9) == 0
                    ? Operation(
                        document: SimulatedReplica.key,
                        body: .deleteDocument(observed: [Generation(UInt32(number(1...2)))]))
                    : act(steps, anyAction(kind, seen), generation: UInt32(number(1...2)))
                #expect(operation.isStaticallyValid(own))
                operations.append(operation)
                stamps.append(own)
                lasts[writer] += UInt64(operation.sequenceCount)
            }
            knowns[writer].advance(id, to: SequenceNumber(lasts[writer]))
            changes.append(TestChange(operations: operations, stamps: stamps))
        }
        return changes
    }

    @Test("senseless but valid operations mean the same in every order", arguments: 0..<150 as Range<UInt64>)
    func converges(seed: UInt64) throws {
        let changes = history(seed: seed)
        var random = SeededGenerator(seed: seed)
        var first = SimulatedReplica(99)
        for change in changes { first.execute(change) }
        for _ in 0..<3 {
            var other = SimulatedReplica(99)
            for change in DeliveryOrders.drawn(of: changes, using: &random) {
                other.execute(change)
                if Int.random(in: 0...5, using: &random) == 0 { try other.reopen() }
            }
            expectEqual(first, other, "seed \(seed)")
        }
    }

    @Test("an edit inside an element that was never inserted has no effect at all")
    func voidElement() throws {
        var (a, _) = pair([(["l"], .set([1]))])
        let before = a.document.encodeSnapshot()
        let own = stamp(1, of: 5, seen: [1: 50])
        for action in [
            Action.write(slot: .element(mark(1, 40)), value: 2, generation: .first),
            .moveElement(mark(1, 40), left: nil, right: nil),
            .clear(slot: .element(mark(1, 40)), observed: []),
        ] {
            #expect(a.document.apply([act([step(.key("l"), .list)], action)], stamps: [own]).isEmpty)
        }
        let inside = act([step(.key("l"), .list), step(.element(mark(1, 40)), .map)], .make)
        #expect(a.document.apply([inside], stamps: [own]).isEmpty)
        #expect(a.document.encodeSnapshot() == before)
    }

    @Test("the greatest generation can be deleted and made again")
    func generationsEnd() throws {
        var (a, b) = pair([([], .make(.map))])
        let end = act([step(.key("k"), .map, 1 << 30)], .make)
        let poison = TestChange(operations: [end], stamps: [stamp(1, of: 5)])
        a.execute(poison)
        let changes = [
            try a.change(["k"], .delete), try a.change(["k"], .set(["x": 1])), try a.change(["k"], .set(2)),
        ]
        #expect(a.plain == ["k": 2])
        b.execute(all: [poison] + changes)
        expectEqual(a, b)
    }

    @Test("a delete that names a range beyond what is known deletes what is known")
    func longRange() throws {
        var (a, _) = pair([(["l"], .set([1, 2])), (["t"], .splice(index: 0, delete: 0, insert: "ab"))])
        let own = stamp(1, of: 5, seen: [1: 1 << 40])
        let range = DotRange(testReplica(1), SequenceNumber(1), SequenceNumber(1 << 40))
        let operations = [
            act([step(.key("l"), .list)], .deleteElements([range])),
            act([step(.key("t"), .text)], .deleteText([range])),
        ]
        let stamps = [own, stamp(2, of: 5, seen: [1: 1 << 40])]
        _ = a.document.apply(operations, stamps: stamps)
        #expect(a.plain == ["l": [], "t": ""])
    }
}

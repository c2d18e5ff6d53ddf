// What one change may cost, whoever made it: its size and what it touches, never one times the other. Counted
// in what deletes look at and in what moves, so that no clock is asked.

import Bytes
import Causality
import Testing

@testable import Documents

private let (writer, editor, deleter) = (testReplica(1), testReplica(2), testReplica(3))
private let listStep = ContainerStep(.key("l"), .list, .first)

private func textStep(_ number: Int) -> ContainerStep {
    ContainerStep(.key(Key("t\(number)")), .text, .first)
}

private func act(_ steps: [ContainerStep], _ action: Action) -> Operation {
    Operation(
        document: SimulatedReplica.key,
        body: .act(in: ContainerPath(generation: .first, steps: steps), action))
}

private func dot(_ replica: ReplicaID, _ sequence: Int) -> Dot {
    Dot(replica, SequenceNumber(UInt64(sequence)))
}

private func range(_ replica: ReplicaID, _ first: Int, _ last: Int) -> DotRange {
    DotRange(replica, SequenceNumber(UInt64(first)), SequenceNumber(UInt64(last)))
}

/// One change by a replica that has seen so much of the writer's log.
private func change(
    by replica: ReplicaID, from first: Int = 1, seen: Int = 0, _ operations: [Operation]
) -> TestChange {
    let context = VersionVector(
        replica == writer || seen == 0 ? [] : [.init(writer, SequenceNumber(UInt64(seen)))])
    var next = dot(replica, first)
    var stamps: [OperationStamp] = []
    for operation in operations {
        let stamp = OperationStamp(dot: next, timestamp: Timestamp(milliseconds: 1_000), context: context)
        if !operation.isStaticallyValid(stamp) { Issue.record("invalid: \(operation)") }
        stamps.append(stamp)
        next = next.advanced(by: operation.sequenceCount)
    }
    return TestChange(operations: operations, stamps: stamps)
}

extension Document {
    /// Applies a change as `apply` does, and tells what that cost.
    fileprivate mutating func cost(of change: TestChange) -> (lookedAt: Int, emptied: Int) {
        var batch = PatchBatch(wantsPatches: false)
        for (operation, stamp) in zip(change.operations, change.stamps) {
            state.apply(operation, stamp, &batch)
        }
        let cost = (batch.lookedAt, batch.emptied.count)
        _ = finish(batch)
        checkInvariants()
        return cost
    }

    /// What the change makes when each operation is executed by itself.
    fileprivate func afterEach(of change: TestChange) -> Document {
        var document = self
        for (operation, stamp) in zip(change.operations, change.stamps) { document.apply(operation, stamp) }
        return document
    }
}

@Suite struct HostileCostTests {
    private static let (size, times) = (400, 300)
    /// All may be looked at twice, once to delete it and once to see that it is gone, and each operation may
    /// find a part or two.
    private static let bound = 2 * size + 3 * times

    private func elements(_ content: ElementContent = .register(1)) -> TestChange {
        let all = [ElementContent](repeating: content, count: Self.size)
        return change(by: writer, [act([listStep], .insertElements(left: nil, right: nil, all))])
    }

    private func document(of changes: [TestChange]) -> Document {
        var document = Document(key: SimulatedReplica.key)
        for change in changes { _ = document.apply(change.operations, stamps: change.stamps) }
        return document
    }

    private func expectCost(
        of change: TestChange, in before: Document, atMost bound: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Document {
        var document = before
        let cost = document.cost(of: change)
        #expect(cost.lookedAt <= bound, sourceLocation: sourceLocation)
        #expect(cost.emptied <= Self.size + change.operations.count, sourceLocation: sourceLocation)
        #expect(
            document.encodeSnapshot() == before.afterEach(of: change).encodeSnapshot(),
            sourceLocation: sourceLocation)
        return document
    }

    @Test("elements that one change deletes again and again are looked at twice at most")
    func deadElements() {
        let delete = act([listStep], .deleteElements([range(writer, 1, Self.size)]))
        let deletes = [Operation](repeating: delete, count: Self.times)
        let plain = expectCost(
            of: change(by: deleter, seen: Self.size, deletes), in: document(of: [elements()]),
            atMost: Self.bound)
        #expect(plain.plain == ["l": []] && plain.state.contents.lists[0].elements.isEmpty)

        // Elements that hold a container are kept when they are dead.
        let inside = (1...Self.size).map {
            act([listStep, ContainerStep(.element(dot(writer, $0)), .map, .first)], .make)
        }
        let nested = document(of: [
            elements(.container), change(by: writer, from: Self.size + 1, inside),
        ])
        let seen = 2 * Self.size
        let dead = expectCost(of: change(by: deleter, seen: seen, deletes), in: nested, atMost: Self.bound)
        #expect(dead.plain == ["l": []] && dead.state.contents.lists[0].elements.count == Self.size)
        _ = expectCost(
            of: change(by: deleter, from: Self.times + 1, seen: seen, deletes), in: dead, atMost: Self.bound)
    }

    @Test("elements that concurrent edits keep alive are looked at once, however often they are deleted")
    func livingElements() {
        let edits = (1...Self.size).map {
            act([listStep], .write(slot: .element(dot(writer, $0)), value: 2, generation: .first))
        }
        let edited = document(of: [elements(), change(by: editor, seen: Self.size, edits)])
        let delete = act([listStep], .deleteElements([range(writer, 1, Self.size)]))
        let deletes = [Operation](repeating: delete, count: Self.times)
        let after = expectCost(
            of: change(by: deleter, seen: Self.size, deletes), in: edited, atMost: Self.bound)
        #expect(after.state.contents.lists[0].order.visibleCount == Self.size)
    }

    @Test("an element that the same change edits in between is deleted again, and only that one looked at")
    func editedBetween() {
        var operations: [Operation] = []
        for time in 0..<Self.times {
            let element = Slot.element(dot(writer, 1 + (time * 7) % Self.size))
            operations.append(act([listStep], .deleteElements([range(writer, 1, Self.size)])))
            operations.append(act([listStep], .write(slot: element, value: 3, generation: .first)))
        }
        operations.append(act([listStep], .deleteElements([range(writer, 1, Self.size)])))
        let after = expectCost(
            of: change(by: deleter, seen: Self.size, operations), in: document(of: [elements()]),
            atMost: Self.bound)
        #expect(after.plain == ["l": []])
    }

    @Test("ranges that name nothing of a list do not look at its elements")
    func emptyRanges() {
        let operations = (0..<Self.times).map {
            act([listStep], .deleteElements([range(deleter, 1 + $0 * 1_000, 900 + $0 * 1_000)]))
        }
        let first = 1 + Self.times * 1_000
        _ = expectCost(
            of: change(by: deleter, from: first, seen: Self.size, operations), in: document(of: [elements()]),
            atMost: Self.times)
    }

    @Test("letters that one change deletes again and again, in many texts, are looked at twice at most")
    func deadLetters() {
        // Each letter stands before the one typed earlier, so that each is a span.
        let texts = 4
        let letters = (0..<Self.size).map { index in
            let right = index < texts ? nil : dot(writer, 1 + index - texts)
            return act([textStep(index % texts)], .insertText(left: nil, right: right, "x"))
        }
        let before = document(of: [change(by: writer, letters)])
        #expect(
            before.state.contents.texts.map(\.scalarCount)
                == [Int](repeating: Self.size / texts, count: texts))
        let deletes = (0..<Self.times).map {
            act([textStep($0 % texts)], .deleteText([range(writer, 1, Self.size)]))
        }
        let after = expectCost(
            of: change(by: deleter, seen: Self.size, deletes), in: before, atMost: Self.bound)
        #expect(after.state.contents.texts.allSatisfy { $0.scalarCount == 0 })
    }

    @Test("of many live generations in a slot a clear moves one, and a new one moves none")
    func generations() {
        let generations = (1...Self.size).reversed().map { Generation(UInt32($0)) }
        var document = Document(key: SimulatedReplica.key)
        var known: [ContainerHandle] = []
        for (index, generation) in generations.enumerated() {
            let make = act([ContainerStep(.key("k"), .map, generation)], .make)
            let one = change(by: writer, from: index + 1, [make])
            document.apply(one.operations[0], one.stamps[0])
            let all = document.state[document.slotOfK].containers
            #expect(all.starts(with: known))
            known = all
        }
        document.checkInvariants()
        for (index, generation) in generations.enumerated() {
            let before = document.state[document.slotOfK].live
            let clear = act(
                [], .clear(slot: .key("k"), observed: [ObservedContainer(.map, generation)]))
            let one = change(by: deleter, from: index + 1, seen: Self.size, [clear])
            document.apply(one.operations[0], one.stamps[0])
            let after = document.state[document.slotOfK].live
            #expect(after.count == before.count - 1)
            #expect(zip(before, after).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) } <= 1)
        }
        document.checkInvariants()
        #expect(document.state.container(.map, generations[0], in: document.slotOfK) == known.first)
    }

    @Test("patches of insertions and deletions at the start of a list move few values")
    func patches() {
        var splices = Splices<Int>()
        for value in 0..<5_000 { splices.insert([value], at: 0) }
        #expect(splices.steps.allSatisfy { $0.insert.count <= 300 })
        splices = Splices()
        splices.insert(Array(0..<5_000), at: 0)
        for _ in 0..<100 { splices.delete(1, at: 0) }
        #expect(splices.steps[0].insert.count == 5_000)

        // `execute` applies the patches to the value before and compares.
        var replica = SimulatedReplica(9)
        let inserts = (0..<700).map {
            act(
                [listStep],
                .insertElements(left: nil, right: $0 == 0 ? nil : dot(writer, $0), [.register(1)]))
        }
        let deletes = (0..<350).map {
            act([listStep], .deleteElements([range(writer, 700 - $0, 700 - $0)]))
        }
        let many = [ElementContent](repeating: .register(2), count: 700)
        let more = act([listStep], .insertElements(left: nil, right: nil, many))
        let last = (0..<300).map { act([listStep], .deleteElements([range(writer, 1_051 + $0, 1_051 + $0)])) }
        replica.execute(change(by: writer, inserts + deletes + [more] + last))
        #expect(replica.document.state.contents.lists[0].order.visibleCount == 750)
    }

    @Test("operations of one change do what they do one by one", arguments: 0..<300 as Range<UInt64>)
    func oneByOne(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        let size = number(3...40)
        let first = (1...size).map { index in
            let right = index <= 2 || number(0...2) == 0 ? nil : dot(writer, index - 2)
            return index % 2 == 0
                ? act([listStep], .insertElements(left: nil, right: right, [.register(1)]))
                : act([textStep(0)], .insertText(left: nil, right: right, "x"))
        }
        func anyRange(_ replica: ReplicaID, upTo last: Int) -> DotRange {
            let start = number(1...last)
            return range(replica, start, number(start...last))
        }
        func anyEdit() -> Operation {
            let element = dot(writer, 2 * number(1...max(1, size / 2)))
            return switch number(0...3) {
            case 0: act([listStep], .moveElement(element, left: nil, right: dot(writer, number(1...size))))
            case 1: act([listStep, ContainerStep(.element(element), .map, .first)], .make)
            case 2: act([listStep], .clear(slot: .element(element), observed: []))
            default: act([listStep], .write(slot: .element(element), value: 4, generation: .first))
            }
        }
        var operations: [Operation] = []
        var last = 0
        for _ in 0..<number(2...30) {
            var ranges = last > 0 && number(0...1) == 0 ? [anyRange(deleter, upTo: last)] : []
            if ranges.isEmpty || number(0...1) == 0 { ranges.insert(anyRange(writer, upTo: size), at: 0) }
            let left = dot(writer, number(1...size))
            let operation =
                switch number(0...6) {
                case 0...2: act([listStep], .deleteElements(ranges))
                case 3...4: act([textStep(0)], .deleteText(ranges))
                case 5:
                    number(0...1) == 0
                        ? act(
                            [listStep], .insertElements(left: left, right: nil, [.container, .register(5)]))
                        : act([textStep(0)], .insertText(left: left, right: nil, "ab"))
                default: anyEdit()
                }
            operations.append(operation)
            last += operation.sequenceCount
        }
        var replica = SimulatedReplica(9)
        replica.execute(change(by: writer, first))
        replica.execute(change(by: editor, seen: size, (0..<number(1...6)).map { _ in anyEdit() }))
        let change = change(by: deleter, seen: size, operations)
        let expected = replica.document.afterEach(of: change)
        replica.execute(change)
        #expect(replica.document.encodeSnapshot() == expected.encodeSnapshot())
    }
}

extension Document {
    /// The slot of the key "k".
    fileprivate var slotOfK: SlotHandle {
        guard let root = state.shownRoot, let slot = state.slot(.key("k"), in: root) else {
            preconditionFailure("no slot of k")
        }
        return slot
    }
}

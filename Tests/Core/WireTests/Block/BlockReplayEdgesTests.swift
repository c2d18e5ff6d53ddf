// Where replaying a block and executing its changes once differed (found by the fuzzer of histories), or
// could: what has an effect by one road has it by the other, and a block is refused exactly if a change in it
// is void.

import Bytes
import Causality
import Documents
import Testing
import Wire

@Suite("Edges of the replay of blocks")
struct BlockReplayEdgesTests {
    private static let replica = ReplicaID(raw: Bytes16(high: 4, low: 4))
    private static let stranger = ReplicaID(raw: Bytes16(high: 5, low: 5))

    private static func act(
        _ action: Action, in steps: [ContainerStep] = [ContainerStep(.key("t"), .text, .first)]
    ) -> Operation {
        Operation(
            document: "d", body: .act(in: ContainerPath(generation: .first, steps: steps), action))
    }

    private static func dot(_ sequence: UInt64) -> Dot { Dot(replica, SequenceNumber(sequence)) }

    /// One log, a change for each list of operations.
    private static func log(
        _ changes: [[Operation]], context: VersionVector = VersionVector()
    ) -> [Change] {
        var result: [Change] = []
        for operations in changes {
            let first = result.last.map { $0.last + 1 } ?? SequenceNumber(1)
            result.append(
                Change(
                    replica: replica, first: first, timestamp: Timestamp(milliseconds: first.value),
                    context: context,
                    declaration: result.isEmpty
                        ? Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 1) : nil,
                    rosterHeads: [], operations: operations))
        }
        return result
    }

    private static func executed(_ changes: [Change]) -> [Key: [UInt8]] {
        var documents: [Key: Document] = [:]
        for change in changes {
            for (operation, stamp) in zip(change.operations, change.stamps()) {
                documents[operation.document, default: Document(key: operation.document)]
                    .apply(operation, stamp)
            }
        }
        return documents.mapValues { $0.encodeSnapshot() }
    }

    private static func replayed(_ changes: [Change]) throws -> [Key: [UInt8]] {
        let block = try #require(BlockEncoder.encode(changes))
        var documents: [Key: Document] = [:]
        try BlockReader(block).replay(into: &documents)
        for document in documents.values { document.checkInvariants() }
        return documents.mapValues { $0.encodeSnapshot() }
    }

    private static func isVoid(_ changes: [Change]) -> Bool {
        changes.contains { change in
            zip(change.operations, change.stamps()).contains { !$0.isStaticallyValid($1) }
        }
    }

    @Test("an operation on an element that was never inserted makes no container, also in a replayed block")
    func elementNeverInserted() throws {
        var context = VersionVector()
        context.advance(Self.stranger, to: SequenceNumber(36))
        let element = Slot.element(Dot(Self.stranger, SequenceNumber(36)))
        let changes = Self.log(
            [
                [
                    Self.act(
                        .write(slot: element, value: .integer(1), generation: .first),
                        in: [ContainerStep(.key("l"), .list, .first)]),
                    Self.act(.insertText(left: nil, right: nil, "yz")),
                ]
            ], context: context)
        #expect(!Self.isVoid(changes))
        #expect(try Self.replayed(changes) == Self.executed(changes))
    }

    @Test("each increment of a run inside of an element has its own dot")
    func incrementsInElement() throws {
        // The first one names itself as the element, so it is void; the second one does not.
        let step = ContainerStep(.element(Self.dot(1)), .counter, .first)
        let increment = Self.act(
            .increment(by: 1), in: [ContainerStep(.key("l"), .list, .first), step])
        let void = Self.log([[increment, increment]])
        #expect(Self.isVoid(void))
        #expect(throws: DecodeFault.self) { try Self.replayed(void) }

        let element = Self.act(
            .insertElements(left: nil, right: nil, [.container]),
            in: [ContainerStep(.key("l"), .list, .first)])
        let log = Self.log([[element], [increment], [increment], [increment, increment]])
        #expect(!Self.isVoid(log))
        #expect(try Self.replayed(log) == Self.executed(log))
    }

    @Test("a row of deletions may go on into what its own change consumed")
    func rowIntoItself() throws {
        let text = Self.act(.insertText(left: nil, right: nil, "abcd"))
        let row = (4...6).map { Self.act(.deleteText([DotRange(Self.dot($0))])) }
        for changes in [[[text], row], [[text]] + row.map { [$0] }] {
            let log = Self.log(changes)
            #expect(!Self.isVoid(log))
            #expect(try Self.replayed(log) == Self.executed(log))
        }
    }

    @Test(
        "a row of deletions that one of its operations had not seen is refused",
        arguments: [[5...5, 6...6], [3...4, 5...6], [1...2, 3...4, 5...6, 7...8]] as [[ClosedRange<UInt64>]])
    func rowBeyondItself(row: [ClosedRange<UInt64>]) throws {
        let ranges = row.map {
            DotRange(Self.replica, SequenceNumber($0.lowerBound), SequenceNumber($0.upperBound))
        }
        let log = Self.log([
            [Self.act(.insertText(left: nil, right: nil, "abcd"))],
            ranges.map { Self.act(.deleteText([$0])) },
        ])
        #expect(Self.isVoid(log))
        #expect(throws: DecodeFault.self) { try Self.replayed(log) }
    }

    @Test("a text whose bytes are over the limit is refused, though its scalars are not")
    func longText() throws {
        let count = DocumentLimits.stringBytesMax / 4
        for (scalars, isVoid) in [(count, false), (count + 1, true)] {
            let text = String(repeating: "🙂", count: scalars)
            let log = Self.log([[Self.act(.insertText(left: nil, right: nil, text))]])
            #expect(Self.isVoid(log) == isVoid)
            if isVoid {
                #expect(throws: DecodeFault.self) { try Self.replayed(log) }
            } else {
                #expect(try Self.replayed(log) == Self.executed(log))
            }
        }
    }
}

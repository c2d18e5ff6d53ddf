// A block gives back the very changes that went in, so their canonical bytes too; and whatever bytes are read
// as a block, the reader ends with changes or a typed fault.

import Bytes
import Causality
import Documents
import Testing
import Wire

@Suite("Blocks of changes")
struct ChangeBlockTests {
    private static func read(_ block: [UInt8]) throws(DecodeFault) -> [Change] {
        var reader = try BlockReader(block)
        var changes: [Change] = []
        while let change = try reader.next() { changes.append(change) }
        return changes
    }

    private static func changes(seed: UInt64, count: Int) -> [Change] {
        var generator = ChangeGenerator(seed: seed)
        return (0..<count).map { _ in generator.change() }
    }

    @Test("changes of every kind of operation come back as they were", arguments: 0..<12 as Range<UInt64>)
    func everyKindComesBack(seed: UInt64) throws {
        let changes = Self.changes(seed: seed, count: 60)
        let block = try #require(BlockEncoder.encode(changes))
        #expect(try Self.read(block) == changes)
    }

    @Test("typing, deleting backwards and forwards, and counting come back as they were")
    func stepsComeBack() throws {
        let writer = TypingWriter(seed: 7)
        let changes = writer.changes(1_000)
        let block = try #require(BlockEncoder.encode(changes))
        #expect(try Self.read(block) == changes)
        #expect(block.count < 1_000 * 3)
    }

    @Test("logs that merge each other come back as they were", arguments: 0..<6 as Range<UInt64>)
    func mergedLogsComeBack(seed: UInt64) throws {
        let changes = MergingWriters(seed: seed).changes(200)
        let block = try #require(BlockEncoder.encode(changes))
        #expect(try Self.read(block) == changes)
    }

    @Test("a block may begin at a boundary")
    func beginsAtBoundary() throws {
        let changes = TypingWriter(seed: 1).changes(500)
        let half = Array(changes[250...])
        let start = BoundaryPosition(last: changes[249].last, timestamp: changes[249].timestamp)
        let block = try #require(BlockEncoder.encode(half, starts: [changes[0].replica: start]))
        var reader = try BlockReader(block)
        #expect(try reader.next() == half[0])
        #expect(reader.start(of: changes[0].replica) == start)
        #expect(try Self.read(block) == half)
    }

    @Test("an empty block has no change")
    func emptyBlock() throws {
        let block = try #require(BlockEncoder.encode([]))
        #expect(try Self.read(block).isEmpty)
    }

    @Test("a hundred thousand equal increments take less than a kilobyte")
    func incrementsAreSmall() throws {
        let path = ContainerPath(
            generation: .first, steps: [ContainerStep(.key("n"), .counter, .first)])
        let operation = Operation(document: "d", body: .act(in: path, .increment(by: 1)))
        let replica = ReplicaID(raw: Bytes16(high: 0, low: 1))
        let declaration = Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 1)
        let changes = (1...100_000).map { index in
            Change(
                replica: replica, first: SequenceNumber(UInt64(index)),
                timestamp: Timestamp(milliseconds: UInt64(index)), context: VersionVector(),
                declaration: index == 1 ? declaration : nil, rosterHeads: [], operations: [operation])
        }
        let block = try #require(BlockEncoder.encode(changes))
        #expect(block.count < 1_024, "\(block.count) bytes")
        var reader = try BlockReader(block)
        var count = 0
        while let change = try reader.next() {
            count += 1
            if count == 100_000 { #expect(change == changes[99_999]) }
        }
        #expect(count == 100_000)
    }

    @Test("truncated, bent and made-up blocks end in a typed fault or in changes, never in a trap")
    func hostileBlocks() throws {
        var random = SeededGenerator(seed: 99)
        var blocks: [[UInt8]] = []
        for seed in 0..<4 as Range<UInt64> {
            blocks.append(try #require(BlockEncoder.encode(Self.changes(seed: seed, count: 12))))
            blocks.append(try #require(BlockEncoder.encode(MergingWriters(seed: seed).changes(60))))
        }
        var faults = 0
        for round in 0..<1_000 {
            var bytes = blocks[round % blocks.count]
            switch round % 3 {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0...7, using: &random)
                }
            default:
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(DecodeFault) {
                var reader = try BlockReader(bytes)
                var count = 0
                while count < 10_000, try reader.next() != nil { count += 1 }
            } catch {
                faults += 1
            }
        }
        #expect(faults > 500, "\(faults) of 1000 blocks were refused")
    }

    @Test("a block that announces more than the caps is refused before anything is allocated")
    func capsAreKept() throws {
        var writer = ByteWriter()
        writer.u8(1)
        writer.varint(WireLimits.blockOperationsMax + 1)
        #expect(
            throws: DecodeFault.overLimit(
                field: "operations", value: UInt64(WireLimits.blockOperationsMax) + 1,
                limit: UInt64(WireLimits.blockOperationsMax))
        ) { try Self.read(writer.bytes) }
        writer = ByteWriter()
        writer.u8(1)
        writer.varint(1)
        writer.varint(WireLimits.blockBytesMax + 1)
        #expect(
            throws: DecodeFault.overLimit(
                field: "column", value: UInt64(WireLimits.blockBytesMax) + 1,
                limit: UInt64(WireLimits.blockBytesMax))
        ) { try Self.read(writer.bytes) }
        #expect(throws: DecodeFault.unknownTag(field: "block version", value: 9)) { try Self.read([9, 0]) }
        #expect(throws: DecodeFault.truncated(needed: 1, available: 0)) { try Self.read([]) }
    }
}

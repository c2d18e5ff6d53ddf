// Runs of small changes travel as columns and come back byte for byte; whatever is received as such is the
// canonical bytes of some run or a typed fault.

import Bytes
import Causality
import Crypto
import Documents
import Testing

@testable import Wire

@Suite("Runs as columns")
struct RunColumnsTests {
    /// A run of the changes from one index on.
    private static func run(_ changes: [Change], from index: Int = 0) -> Run {
        var coder = LogCoder(replica: changes[0].replica)
        var writer = ByteWriter()
        var start = 0
        for (place, change) in changes.enumerated() {
            if place == index { start = writer.count }
            coder.encode(change, into: &writer)
        }
        return Run(
            replica: changes[0].replica, first: changes[index].first, last: changes[changes.count - 1].last,
            bytes: Array(writer.bytes[start...]))
    }

    private static func unpack(_ block: [UInt8], _ run: Run) throws(DecodeFault) -> [UInt8] {
        try Block.unpack(block, of: run.replica, from: run.first)
    }

    @Test(
        "typing takes a quarter of its canonical bytes, less than zstd alone makes of it, and comes back",
        arguments: 0..<4 as Range<UInt64>)
    func typing(seed: UInt64) throws {
        let run = Self.run(TypingWriter(seed: seed).changes(1_500))
        let block = Block.pack(run)
        #expect(
            block[0] == 2 && block.count * 4 < run.bytes.count && block.count < Block.pack(run.bytes).count,
            "\(block.count) bytes")
        #expect(try Self.unpack(block, run) == run.bytes)
        // Short runs, and runs of large changes, are zstd's.
        #expect(Block.pack(Self.run(TypingWriter(seed: seed).changes(60)))[0] < 2)
    }

    @Test("a run from any change on comes back, at a boundary or not", arguments: [1, 3, 700, 1_031, 1_400])
    func middle(index: Int) throws {
        let run = Self.run(TypingWriter(seed: 3).changes(1_600), from: index)
        #expect(try Self.unpack(Block.pack(run), run) == run.bytes)
    }

    @Test("changes of every kind, senseless ones too, come back", arguments: 0..<12 as Range<UInt64>)
    func everyKind(seed: UInt64) throws {
        var generator = ChangeGenerator(seed: seed)
        let run = Self.run((0..<200).map { _ in generator.change(operations: 1) })
        #expect(try Self.unpack(Block.pack(run), run) == run.bytes)
    }

    @Test("a run of columns is of the log and the place that its header says")
    func otherLog() {
        let run = Self.run(TypingWriter(seed: 1).changes(300))
        let block = Block.pack(run)
        #expect(block[0] == 2)
        let other = ReplicaID(raw: Bytes16(high: 9, low: 9))
        #expect(throws: DecodeFault.outOfRange(field: "log")) {
            try Block.unpack(block, of: other, from: run.first)
        }
        #expect(throws: DecodeFault.outOfRange(field: "log")) {
            try Block.unpack(block, of: run.replica, from: run.first + 1)
        }
    }

    @Test("what a hostile member packs is refused, or is canonical", arguments: 0..<6 as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let run = Self.run(TypingWriter(seed: seed).changes(200))
        // Not compressed, so that bent bytes reach the columns.
        var encoder = BlockEncoder()
        var coder = LogCoder(replica: run.replica)
        var reader = ByteReader(run.bytes)
        while !reader.isAtEnd { #expect(encoder.append(try coder.decode(from: &reader))) }
        let block = [2] + encoder.finish(.stored)
        #expect(try Self.unpack(block, run) == run.bytes)
        var accepted = 0
        for _ in 0..<1_500 {
            var bent = block
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bent[Int.random(in: 1..<bent.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let bytes = try? Self.unpack(bent, run) else { continue }
            accepted += 1
            var coder = LogCoder(replica: run.replica)
            var reader = ByteReader(bytes)
            while !reader.isAtEnd { _ = try coder.decode(from: &reader) }
        }
        #expect(accepted > 0)
        for length in 1..<block.count where length % 7 == 1 {
            #expect(throws: DecodeFault.self) { try Self.unpack(Array(block[..<length]), run) }
        }
    }

    @Test("a block that announces more operations or bytes than a run has is refused before it is read")
    func announced() {
        func refusal(_ operations: Int, _ column: Int) -> DecodeFault? {
            var writer = ByteWriter()
            writer.u8(2)
            writer.u8(1)
            writer.varint(operations)
            writer.varint(column)
            writer.varint(1)
            do throws(DecodeFault) {
                _ = try Block.unpack(
                    writer.bytes, of: ReplicaID(raw: Bytes16(high: 1, low: 1)), from: SequenceNumber(1))
                return nil
            } catch {
                return error
            }
        }
        let (operations, bytes) = (WireLimits.runBytesMax / 3, WireLimits.runBytesMax * 2)
        #expect(
            refusal(operations + 1, 0)
                == .overLimit(field: "operations", value: UInt64(operations) + 1, limit: UInt64(operations)))
        #expect(
            refusal(1, bytes + 1)
                == .overLimit(field: "column", value: UInt64(bytes) + 1, limit: UInt64(bytes)))
    }
}

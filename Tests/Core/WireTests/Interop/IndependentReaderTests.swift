import Bytes
import Causality
import Documents
import Foundation
import Identity
import Testing

@testable import Wire

@Suite("A reader written from WIRE.md alone", .enabled("no python3") { IndependentReader.isThere })
struct IndependentReaderTests {
    @Test("it reads the logs of changes.json as they say, and refuses the invalid ones")
    func changes() throws {
        let file = try VectorFile("changes")
        let (logs, invalid) = (try file.cases("logs"), try file.cases("invalid"))
        func fields(_ one: VectorCase, _ hex: [String]) throws -> [String: Any] {
            var fields: [String: Any] = ["kind": "changes", "replica": try one.text("replica"), "hex": hex]
            if one.fields["boundary"] != nil {
                fields["last"] = try one.number("boundary")
                fields["time"] = try one.number("boundaryTime")
            }
            return fields
        }
        let read = try IndependentReader.read(
            logs.map { try fields($0, $0.list("changes").map { try $0.text("hex") }) })
        for (log, answer) in zip(logs, read) {
            let changes = try answer.list("changes")
            for (one, other) in zip(try log.list("changes"), changes) {
                #expect(try other.text("hex") == one.text("hex"), "\(one.name)")
                #expect(try other.json("value") == one.json("value"), "\(one.name)")
                let isBoundary = other.fields["isBoundary"] as? Bool
                #expect(isBoundary == (one.fields["isBoundary"] as? Bool ?? false), "\(one.name)")
            }
            #expect(try changes.count == log.list("changes").count)
        }
        let refused = try IndependentReader.read(
            invalid.map { one in
                let before = try #require(one.fields["after"] as? [String])
                return try fields(one, before + [(try? one.text("hex")) ?? ""])
            })
        for (one, answer) in zip(invalid, refused) { #expect(answer.fields["fault"] != nil, "\(one.name)") }
    }

    @Test("it unpacks and opens the blocks and segments of segments.json as they say")
    func segments() throws {
        for (list, kind) in [("blocks", "unpack"), ("segments", "segment")] {
            let cases = try VectorFile("segments").cases(list)
            let answers = try IndependentReader.read(
                cases.map { $0.fields.merging(["kind": kind]) { _, new in new } })
            for (one, answer) in zip(cases, answers) {
                let expected = one.fields["bytes"] ?? one.fields["run"]
                #expect(answer.fields["run"] as? String == expected as? String, "\(one.name)")
                #expect((answer.fields["fault"] == nil) == (one.fields["fault"] == nil), "\(one.name)")
            }
        }
    }

    @Test("it reads the blocks of blocks.json to the same canonical bytes, and refuses the invalid ones")
    func blocks() throws {
        let file = try VectorFile("blocks")
        let cases = try file.cases("blocks")
        let answers = try IndependentReader.read(cases.map { ["kind": "block", "hex": try $0.text("hex")] })
        for (one, answer) in zip(cases, answers) {
            #expect(answer.fields["fault"] == nil, "\(one.name): \(answer.fields)")
            #expect(try CanonicalChange.of(answer) == CanonicalChange.of(one), "\(one.name)")
        }
        let invalid = try file.cases("invalid")
        let refused = try IndependentReader.read(
            invalid.map { ["kind": "block", "hex": try $0.text("hex")] })
        for (one, answer) in zip(invalid, refused) { #expect(answer.fields["fault"] != nil, "\(one.name)") }
    }

    @Test("it follows the segmented logs of blocks.json over boundaries, with every seal")
    func logs() throws {
        let logs = try VectorFile("blocks").cases("logs")
        let answers = try IndependentReader.read(
            logs.map { log in
                [
                    "kind": "segments", "space": try log.text("space"),
                    "contentKey": try log.text("contentKey"),
                    "hex": try #require(log.fields["segments"] as? [String]),
                ]
            })
        for (log, answer) in zip(logs, answers) {
            #expect(answer.fields["fault"] == nil, "\(log.name): \(answer.fields)")
            #expect(try CanonicalChange.of(answer) == CanonicalChange.of(log), "\(log.name)")
        }
    }

    @Test("it refuses the segments of a log that the node refuses")
    func bentSegments() throws {
        let log = try SegmentedLog(seed: 2, rounds: 4)
        let bent = log.bent()
        let key = Hex.encode([UInt8](repeating: 0x5C, count: 32))
        let answers = try IndependentReader.read(
            bent.map { one in
                [
                    "kind": "segments", "space": "\(SegmentedLog.space)", "contentKey": key,
                    "hex": one.segments.map { Hex.encode($0) },
                ]
            })
        for (one, answer) in zip(bent, answers) {
            var state = LogState(space: SegmentedLog.space, declaration: one.runs[0].declaration)
            let isTaken = (try? one.runs.forEach { _ = try state.verify($0) }) != nil
            #expect(isTaken == (one.name == "as it is"), "\(one.name)")
            #expect((answer.fields["fault"] == nil) == isTaken, "\(one.name): \(answer.fields)")
        }
    }

    @Test("it reads the roster operations of operations.json, and writes the same bytes")
    func roster() throws {
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/roster/operations.json")
        let lists = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [[String: Any]]])
        for list in ["valid", "invalid"] {
            let cases = try #require(lists[list]).map { VectorCase(fields: $0) }
            let answers = try IndependentReader.read(
                cases.map { ["kind": "roster", "hex": try $0.text("bytes")] })
            #expect(cases.count > 10)
            for (one, answer) in zip(cases, answers) {
                #expect((answer.fields["fault"] == nil) == (list == "valid"), "\(one.name): \(answer.fields)")
                if list == "valid" { #expect(try answer.text("hex") == one.text("bytes"), "\(one.name)") }
            }
        }
    }

    @Test("it reads blocks of random histories, however they are pressed, to the same canonical bytes")
    func histories() throws {
        var samples = BlockSamples.all
        for seed in 100..<104 as Range<UInt64> {
            var generator = ChangeGenerator(seed: seed)
            samples += [
                BlockSample(name: "any \(seed)", changes: (0..<30).map { _ in generator.change() }),
                BlockSample(name: "typing \(seed)", changes: TypingWriter(seed: seed).changes(200)),
                BlockSample(name: "merging \(seed)", changes: MergingWriters(seed: seed).changes(120)),
            ]
        }
        let cases = samples.flatMap { sample in
            [BlockEffort.archive, .stored].map { (sample, $0) }
        }
        let answers = try IndependentReader.read(
            cases.map { sample, effort in ["kind": "block", "hex": Hex.encode(sample.block(effort))] })
        for ((sample, _), answer) in zip(cases, answers) {
            #expect(answer.fields["fault"] == nil, "\(sample.name): \(answer.fields)")
            let expected = CanonicalChange.of(sample.changes, starts: sample.starts)
            #expect(try CanonicalChange.of(answer) == expected, "\(sample.name)")
            for (change, other) in zip(sample.changes, try answer.list("changes")) {
                #expect(try canonicalJSON(change.described) == other.json("value"), "\(sample.name)")
                let isValid = zip(change.operations, change.stamps()).allSatisfy { $0.isStaticallyValid($1) }
                #expect(other.fields["isValid"] as? Bool == isValid, "\(sample.name): \(change)")
            }
        }
    }

    @Test("it puts insertions of all origins where the node puts them")
    func places() throws {
        let vectors = try VectorFile("blocks").cases("texts")
        let samples = try (0..<40 as Range<UInt64>).map { try PlaceSample(seed: $0 + 500, count: 40) }
        let cases =
            try vectors.map { (try $0.text("hex"), try $0.text("text")) }
            + samples.map {
                (Hex.encode(BlockSample(name: "places", changes: $0.changes).block(.link)), $0.text)
            }
        let answers = try IndependentReader.read(
            cases.map { ["kind": "text", "hex": $0.0, "key": "t"] })
        for ((_, text), answer) in zip(cases, answers) {
            #expect(try answer.text("text") == text)
            #expect(text.unicodeScalars.count > 20)
        }
    }

    @Test(
        "of bent runs in columns it takes the same, and makes the same of them",
        arguments: 0..<3 as Range<UInt64>)
    func bentRuns(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var cases: [(block: [UInt8], replica: ReplicaID, first: SequenceNumber)] = []
        for sample in BlockSamples.all {
            guard let first = sample.changes.first else { continue }
            let block = [2] + sample.block(.stored)
            cases.append((block, first.replica, first.first))
            for _ in 0..<40 {
                var bent = block
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    let place = Int.random(in: 1..<bent.count, using: &random)
                    bent[place] =
                        Bool.random(using: &random) ? bent[place] ^ 1 : .random(in: 0...9, using: &random)
                }
                cases.append((bent, first.replica, first.first))
            }
        }
        let answers = try IndependentReader.read(
            cases.map {
                [
                    "kind": "unpack", "hex": Hex.encode($0.block), "replica": "\($0.replica)",
                    "first": "\($0.first)",
                ]
            })
        var taken = 0
        for (one, answer) in zip(cases, answers) {
            let ours = try? Block.unpack(one.block, of: one.replica, from: one.first)
            #expect(
                ours.map { Hex.encode($0) } == answer.fields["run"] as? String, "\(Hex.encode(one.block))")
            if ours != nil { taken += 1 }
        }
        #expect(taken > 20 && taken < cases.count - 20, "\(taken) of \(cases.count) were taken")
    }

    @Test(
        "both refuse a block whose contexts have more than 2^21 entries, and take one that has just as many")
    func manyContexts() throws {
        let blocks = [0, 1].map { ManyContexts.block(joins: ManyContexts.joinsMax + $0) }
        let answers = try IndependentReader.read(
            blocks.map { ["kind": "block", "hex": Hex.encode($0), "counts": true] })
        for (block, answer) in zip(blocks, answers) {
            var count = 0
            do throws(DecodeFault) {
                var reader = try BlockReader(block)
                while try reader.next() != nil { count += 1 }
                #expect(answer.fields["count"] as? Int == count)
            } catch {
                #expect(error.vectorName == "over limit: contexts")
                #expect(answer.fields["fault"] as? String == "contexts over their limit")
                count = -1
            }
            #expect((count >= 0) == (block == blocks[0]))
        }
    }
}

extension BlockSample {
    func block(_ effort: BlockEffort) -> [UInt8] {
        var encoder = BlockEncoder()
        for change in changes {
            let isTaken = encoder.append(change, start: starts[change.replica] ?? .start)
            precondition(isTaken, "\(name) is more than one block")
        }
        return encoder.finish(effort)
    }
}

/// A log whose context is large, and another one that joins it again and again.
private enum ManyContexts {
    static let entries = 2_000
    /// The first context has `entries`. Each join makes one entry more than that, and needs room for both of
    /// its sides and the dot: the last one for 2 · entries + 2.
    static let joinsMax =
        (WireLimits.blockContextEntriesMax - entries - (2 * entries + 2)) / (entries + 1) + 1

    static func block(joins: Int) -> [UInt8] {
        func varint(_ value: Int) -> [UInt8] {
            var writer = ByteWriter()
            writer.varint(value)
            return writer.bytes
        }
        func name(_ number: Int) -> [UInt8] { (0..<16).map { UInt8(number >> (8 * ($0 & 1)) & 255) } }
        let declaration = [UInt8](repeating: 7, count: 40)
        var names = name(0) + declaration
        var contexts = varint(4 * entries + 1)
        for index in 1...entries {
            names += name(index)
            contexts += varint(index) + [2]
        }
        names += name(entries + 1) + declaration
        // The large context once, and then the dot that has it: nothing advances, all is made anew.
        contexts += varint(4 * joins)
        for _ in 0..<joins { contexts += [0, 0] }
        return HandMadeBlock(
            name: "many contexts", operations: 0,
            columns: [
                .schedule: [0, 0, 0, 0, 1, 1] + varint(entries + 1) + [0, 0, 1], .shapes: [5, 1, 1],
                .times: [4, 1], .contexts: contexts, .names: names,
            ]
        ).bytes
    }
}

// The short roads of authors: what they write is what the general road says, and others read the same.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct ShortRoadTests {
    private static let key: Key = "d"

    private func request(_ path: [PathElement], _ verb: OperationRequest.Verb) -> OperationRequest {
        OperationRequest(document: Self.key, path: path, verb: verb)
    }

    /// Mostly what the short roads take: few keys, so that values repeat, and what makes them give way.
    private func any(_ random: inout SeededGenerator) -> OperationRequest {
        let key = PathElement.key(Key(["a", "b", "c", "n", "m"][Int.random(in: 0..<5, using: &random)]))
        let value = PlainValue.scalar(.integer(Int64.random(in: 0...2, using: &random)))
        switch Int.random(in: 0..<14, using: &random) {
        case 0...4: return request([key], .set(value))
        case 5...6: return request(["m", key], .set(value))
        case 7...9: return request(["n"], .increment(by: Int64.random(in: -2...2, using: &random)))
        case 10: return request([key], .delete)
        case 11: return request([key], .set(.object([])))
        case 12: return request([], .delete)
        default: return request([key], .splice(index: 0, delete: 0, insert: "t"))
        }
    }

    private func apply(_ operations: [Operation], _ first: Dot, _ time: UInt64, to document: inout Document) {
        var dot = first
        for operation in operations {
            let stamp = OperationStamp(
                dot: dot, timestamp: Timestamp(milliseconds: time), context: VersionVector())
            #expect(operation.isStaticallyValid(stamp))
            document.apply(operation, stamp)
            dot = dot.advanced(by: operation.sequenceCount)
        }
    }

    @Test("many requests at once say what they say in turn", arguments: 0..<150 as Range<UInt64>)
    func batches(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (batched, single, reader) = (
            Document(key: Self.key), Document(key: Self.key), Document(key: Self.key)
        )
        var (next, nextSingle) = (dot(1, 1), dot(1, 1))
        for time in 1..<25 as Range<UInt64> {
            let stamp = Timestamp(milliseconds: time)
            var requests: [OperationRequest] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // A refused one ends a transaction; both roads refuse the same.
                let one = any(&random)
                do throws(AuthorError) {
                    let authored = try single.author(
                        one, dot: nextSingle, timestamp: stamp, context: VersionVector())
                    for operation in authored.operations {
                        nextSingle = nextSingle.advanced(by: operation.sequenceCount)
                    }
                    requests.append(one)
                } catch {
                    var copy = batched
                    let before = requests
                    #expect(throws: AuthorError.self) {
                        try copy.author(before + [one], dot: next, timestamp: stamp, context: VersionVector())
                    }
                }
            }
            do throws(AuthorError) {
                let operations = try batched.author(
                    requests, dot: next, timestamp: stamp, context: VersionVector())
                apply(operations, next, time, to: &reader)
                for operation in operations { next = next.advanced(by: operation.sequenceCount) }
            } catch {
                Issue.record("refused at once and taken in turn: \(error)")
            }
            #expect(batched.plain == single.plain)
            #expect(reader.encodeSnapshot() == batched.encodeSnapshot())
            batched.checkInvariants()
        }
    }

    @Test(
        "splices of one transaction make of a text what they make in turn", arguments: 0..<60 as Range<UInt64>
    )
    func edits(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (a, b) = pair()
        var model: [Unicode.Scalar] = []
        for round in 0..<6 {
            var edits: [TextEdit] = []
            for _ in 0..<Int.random(in: 1...(round == 5 ? 400 : 30), using: &random) {
                let index = Int.random(in: 0...model.count, using: &random)
                let near = min(model.count, Int.random(in: 0..<3, using: &random) == 0 ? index : model.count)
                let delete = min(model.count - near, Int.random(in: 0...4, using: &random))
                let insert = ["", "a", "bc", "é", "漢👍x"][Int.random(in: 0..<5, using: &random)]
                edits.append(TextEdit(index: near, delete: delete, insert: insert))
                model.replaceSubrange(near..<near + delete, with: insert.unicodeScalars)
            }
            let before = a.document.typed
            let stamp = OperationStamp(
                dot: Dot(a.id, a.known[a.id] + 1), timestamp: Timestamp(milliseconds: 5_000 + UInt64(round)),
                context: VersionVector())
            var done = 0
            let authored = try a.document.author(
                edits, at: ["t"], dot: stamp.dot, timestamp: stamp.timestamp, context: stamp.context,
                wantsPatches: true, done: &done)
            #expect(done == edits.count)
            expectPatches(authored.patches, from: before, to: a.document.typed, "seed \(seed)")
            guard case .scalar(.string(let text))? = a.document.value(at: ["t"]) else { continue }
            #expect(Array(text.string.unicodeScalars) == model)
            var (dot, stamps) = (stamp.dot, [OperationStamp]())
            for operation in authored.operations {
                let own = OperationStamp(dot: dot, timestamp: stamp.timestamp, context: stamp.context)
                #expect(operation.isStaticallyValid(own))
                stamps.append(own)
                dot = dot.advanced(by: operation.sequenceCount)
            }
            if stamps.isEmpty { continue }
            a.known.advance(to: Dot(a.id, dot.sequence.previous))
            b.execute(TestChange(operations: authored.operations, stamps: stamps))
            #expect(b.document.encodeSnapshot() == a.document.encodeSnapshot())
        }
    }

    @Test("what a transaction types and takes back leaves no trace, and a refused splice is named")
    func composed() throws {
        var (a, _) = pair([(["t"], .splice(index: 0, delete: 0, insert: "old"))])
        let before = a.document.encodeSnapshot()
        func author(_ edits: [(Int, Int, String)], _ done: inout Int) throws(AuthorError) -> [Operation] {
            try a.document.author(
                edits.map { TextEdit(index: $0.0, delete: $0.1, insert: $0.2) }, at: ["t"],
                dot: Dot(a.id, a.known[a.id] + 1), timestamp: Timestamp(milliseconds: 9_000),
                context: VersionVector(), done: &done
            ).operations
        }
        var done = 0
        #expect(try author([(1, 0, "abc"), (2, 1, ""), (1, 2, "")], &done).isEmpty && done == 3)
        #expect(a.document.encodeSnapshot() == before)
        #expect(throws: AuthorError.indexPastEnd(index: 9, count: 4)) {
            _ = try author([(0, 0, "x"), (9, 0, "y")], &done)
        }
        #expect(done == 1)
        let long = String(repeating: "é", count: DocumentLimits.stringBytesMax / 2 - 1)
        let operations = try author([(0, 0, long), (5, 0, long), (0, 0, "x")], &done)
        #expect(operations.count == 2 && operations.allSatisfy { $0.sequenceCount < long.utf8.count })
    }

    @Test("increments that follow each other are one operation, unless their sum is no number")
    func sums() throws {
        var document = Document(key: Self.key)
        func author(_ amounts: [Int64], _ first: UInt64) throws -> [Operation] {
            try document.author(
                amounts.map { request(["n"], .increment(by: $0)) },
                dot: Dot(replica(1), SequenceNumber(first)), timestamp: Timestamp(milliseconds: first),
                context: VersionVector())
        }
        #expect(try author([1, 1, 1], 1).count == 1)
        #expect(try author(Array(repeating: 2, count: 1_000), 2).count == 1)
        #expect(document.value(at: ["n"]) == 2_003)
        #expect(try author([1, -1], 3).isEmpty)
        #expect(try author([.max, .max], 4).count == 2)
        #expect(document.state.contents.counters == [CounterContent(sum: 2_003 + 2 * Int128(Int64.max))])
    }

    @Test(
        "a map of thousands of keys comes back from its snapshot, and keys that are freed can be made again")
    func manyKeys() throws {
        var document = Document(key: Self.key)
        var next = dot(1, 1)
        func author(_ requests: [OperationRequest]) throws {
            let operations = try document.author(
                requests, dot: next, timestamp: Timestamp(milliseconds: next.sequence.value),
                context: VersionVector())
            next = next.advanced(by: operations.reduce(0) { $0 + $1.sequenceCount })
        }
        try author((0..<3_000).map { request([.key(Key("key\($0)"))], .set(.scalar(.integer(Int64($0))))) })
        try author((0..<1_500).map { request([.key(Key("key\($0 * 2)"))], .delete) })
        try author((0..<700).map { request([.key(Key("new\($0)"))], .set("x")) })
        document.checkInvariants()
        guard case .object(let members)? = document.plain else {
            Issue.record("no object")
            return
        }
        #expect(members.count == 2_200 && document.value(at: ["key1999"]) == 1_999)
        #expect(document.value(at: ["key1998"]) == nil && document.value(at: ["new699"]) == "x")
        let opened = try Document(snapshot: document.encodeSnapshot())
        #expect(opened.plain == document.plain && opened.encodeSnapshot() == document.encodeSnapshot())
    }

    @Test(
        "of concurrent writes each replica has one, and the greatest shows",
        arguments: 0..<40 as Range<UInt64>)
    func registers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var registers = Registers()
        var model: [RegisterWrite] = []
        var last: [ReplicaID: UInt64] = [:]
        for step in 1...200 as ClosedRange<UInt64> {
            let author = replica(Int.random(in: 1...12, using: &random))
            var context = VersionVector()
            for (other, sequence) in last where other != author && Bool.random(using: &random) {
                context.advance(other, to: SequenceNumber(UInt64.random(in: 0...sequence, using: &random)))
            }
            last[author] = step
            let dot = Dot(author, SequenceNumber(step))
            let time = Timestamp(milliseconds: UInt64.random(in: 1...400, using: &random))
            let stamp = OperationStamp(dot: dot, timestamp: time, context: context)
            model.removeAll { stamp.covers($0.priority.dot) }
            if Int.random(in: 0..<5, using: &random) == 0 {
                registers.removeCovered(by: stamp)
            } else {
                let generation = Generation(UInt32.random(in: 1...2, using: &random))
                let write = RegisterWrite(
                    value: .integer(Int64(step)), priority: stamp.priority, generation: generation)
                registers.write(write, by: stamp)
                model.append(write)
            }
            #expect(registers.winner == model.max())
            #expect(registers.sorted == model.sorted { $0.priority.dot < $1.priority.dot })
            #expect(registers.count == model.count && registers.isEmpty == model.isEmpty)
        }
    }
}

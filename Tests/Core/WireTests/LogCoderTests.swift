import Bytes
import Causality
import Documents
import Testing
import Wire

/// One change's canonical bytes.
func encoded(_ change: Change, with coder: inout LogCoder) -> [UInt8] {
    var writer = ByteWriter()
    coder.encode(change, into: &writer)
    return writer.bytes
}

func decoded(_ bytes: [UInt8], with coder: inout LogCoder) throws(DecodeFault) -> Change {
    var reader = ByteReader(bytes)
    let change = try coder.decode(from: &reader)
    try reader.finish()
    return change
}

@Suite struct LogCoderTests {
    @Test(
        "every change reads back as it was, re-encodes to the same bytes, and both coders stay alike",
        arguments: 0..<40 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = ChangeGenerator(seed: seed)
        var author = LogCoder(replica: generator.replica)
        var reader = LogCoder(replica: generator.replica)
        var again = LogCoder(replica: generator.replica)
        for _ in 0..<60 {
            let change = generator.change()
            let bytes = encoded(change, with: &author)
            let back = try decoded(bytes, with: &reader)
            #expect(back == change)
            #expect(encoded(back, with: &again) == bytes)
            #expect(reader.next == change.last + 1 && reader.timestamp == change.timestamp)
            #expect(reader.boundary == author.boundary && reader.isAtBoundary == author.isAtBoundary)
        }
    }

    @Test("every kind of operation occurs in the generated logs")
    func generatorReaches() {
        var generator = ChangeGenerator(seed: 1)
        var kinds: Set<String> = []
        for _ in 0..<400 {
            switch generator.operation().body {
            case .deleteDocument: kinds.insert("deleteDocument")
            case .unknown: kinds.insert("unknown")
            case .acknowledge: kinds.insert("acknowledge")
            case .act(_, let action): kinds.insert(String("\(action)".prefix { $0 != "(" }))
            }
        }
        #expect(kinds.count == 16, "\(kinds.sorted())")
    }

    @Test("a coder made afresh at a boundary reads on from there", arguments: 0..<6 as Range<UInt64>)
    func boundary(seed: UInt64) throws {
        var generator = ChangeGenerator(seed: seed)
        var author = LogCoder(replica: generator.replica)
        var fresh: LogCoder?
        var boundaries = 0
        while boundaries < 3 {
            let change = generator.change()
            // After a boundary roster heads may be named again; the generator does so only when they advance.
            let bytes = encoded(change, with: &author)
            if var reader = fresh {
                #expect(try decoded(bytes, with: &reader) == change)
                fresh = reader
            }
            if author.isAtBoundary {
                boundaries += 1
                #expect(author.boundary == BoundaryPosition(last: change.last, timestamp: change.timestamp))
                #expect(author.context.isEmpty && author.rosterHeads.isEmpty)
                fresh = LogCoder(replica: generator.replica, at: author.boundary)
            }
        }
    }

    @Test("a boundary lies after the change that reaches 4,096 sequences, not before")
    func boundaryBySequences() {
        var coder = LogCoder(replica: ChangeGenerator(seed: 0).replica)
        _ = encoded(typed(first: 1, text: String(repeating: "a", count: 4_095)), with: &coder)
        #expect(!coder.isAtBoundary)
        _ = encoded(typed(first: 4_096, text: "b"), with: &coder)
        #expect(coder.isAtBoundary && coder.boundary.last.value == 4_096)
        _ = encoded(typed(first: 4_097, text: String(repeating: "c", count: 10_000)), with: &coder)
        #expect(coder.isAtBoundary && coder.boundary.last.value == 14_096)
    }

    @Test("a boundary lies after the change that reaches 64 KiB")
    func boundaryByBytes() {
        var coder = LogCoder(replica: ChangeGenerator(seed: 0).replica)
        var (bytes, first) = (0, UInt64(1))
        while !coder.isAtBoundary || bytes == 0 {
            #expect(bytes < 64 * 1_024)
            let value = Scalar.string(Key(String(repeating: "x", count: 1_000)))
            let write = Action.write(slot: .key("text"), value: value, generation: .first)
            let sample = typed(first: first, text: "a")
            let change = Change(
                replica: sample.replica, first: sample.first, timestamp: sample.timestamp,
                context: sample.context,
                declaration: sample.declaration, rosterHeads: [],
                operations: [
                    Operation(document: "note/1", body: .act(in: ContainerPath(generation: .first), write))
                ])
            bytes += encoded(change, with: &coder).count
            first += 1
        }
        #expect(bytes >= 64 * 1_024)
    }

    @Test("a context of thousands of replicas does not make every change a boundary")
    func largeContext() throws {
        let replica = ChangeGenerator(seed: 0).replica
        var context = VersionVector()
        for number in 1...5_000 as ClosedRange<UInt64> {
            context.advance(ReplicaID(raw: Bytes16(high: number, low: 0)), to: SequenceNumber(1))
        }
        var coder = LogCoder(replica: replica)
        var sizes: [Int] = []
        for first in 1...20 as ClosedRange<UInt64> {
            sizes.append(encoded(typed(first: first, text: "a", context: context), with: &coder).count)
            #expect(!coder.isAtBoundary)
        }
        #expect(sizes[0] > 90_000 && sizes[19] <= 20)
    }

    @Test("a fault leaves the coder as it was, also past a boundary", arguments: 0..<20 as Range<UInt64>)
    func undo(seed: UInt64) throws {
        var generator = ChangeGenerator(seed: seed)
        var author = LogCoder(replica: generator.replica)
        var reader = author
        for _ in 0..<10 { _ = try decoded(encoded(generator.change(), with: &author), with: &reader) }
        // 1. The next changes up to past a boundary, in one atomic step that fails at the end.
        var bytes: [UInt8] = []
        let start = author.boundary
        while author.boundary == start { bytes += encoded(generator.change(), with: &author) }
        bytes += encoded(generator.change(), with: &author)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try reader.atomically { (coder: inout LogCoder) throws in
                var input = ByteReader(bytes)
                while !input.isAtEnd { _ = try coder.decode(from: &input) }
                throw Stop()
            }
        }
        // 2. Cut short, every change is refused; then the whole is read as if nothing had happened.
        for length in [1, 2, 3, bytes.count / 2] where length < 40 {
            #expect(throws: DecodeFault.self) { _ = try decoded(Array(bytes.prefix(length)), with: &reader) }
        }
        var input = ByteReader(bytes)
        while !input.isAtEnd { _ = try reader.decode(from: &input) }
        #expect(reader.next == author.next && reader.boundary == author.boundary)
        let change = generator.change()
        #expect(try decoded(encoded(change, with: &author), with: &reader) == change)
    }
}

/// An insertion of `text` directly after the log's previous sequence.
func typed(first: UInt64, text: String, context: VersionVector = VersionVector()) -> Change {
    let generator = ChangeGenerator(seed: 0)
    let left = first == 1 ? nil : Dot(generator.replica, SequenceNumber(first - 1))
    let path = ContainerPath(
        generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
    return Change(
        replica: generator.replica, first: SequenceNumber(first),
        timestamp: Timestamp(milliseconds: 1_790_000_000_000 + first * 180), context: context,
        declaration: first == 1 ? generator.declaration : nil, rosterHeads: [],
        operations: [
            Operation(document: "note/1", body: .act(in: path, .insertText(left: left, right: nil, text)))
        ])
}

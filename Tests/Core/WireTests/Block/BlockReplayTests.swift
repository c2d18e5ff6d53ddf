// The bulk road gives what the general road gives: a block that is replayed leaves the documents, byte for
// byte, that applying its changes one by one leaves.

import Bytes
import Causality
import Documents
import Testing
import Wire

@Suite("Replay of blocks")
struct BlockReplayTests {
    private static func apply(_ changes: [Change], to documents: inout [Key: Document]) {
        for change in changes {
            for (operation, stamp) in zip(change.operations, change.stamps()) {
                _ = documents[operation.document, default: Document(key: operation.document)]
                    .apply([operation], stamps: [stamp], wantsPatches: false)
            }
        }
    }

    private static func replay(_ changes: [Change], onto former: [Change] = []) throws -> [Key: [UInt8]] {
        var documents: [Key: Document] = [:]
        apply(former, to: &documents)
        var starts: [ReplicaID: BoundaryPosition] = [:]
        for change in former {
            starts[change.replica] = BoundaryPosition(last: change.last, timestamp: change.timestamp)
        }
        let block = try #require(BlockEncoder.encode(changes, starts: starts))
        try BlockReader(block).replay(into: &documents)
        for document in documents.values { document.checkInvariants() }
        return documents.mapValues { $0.encodeSnapshot() }
    }

    private static func applied(_ changes: [Change]) -> [Key: [UInt8]] {
        var documents: [Key: Document] = [:]
        apply(changes, to: &documents)
        return documents.mapValues { $0.encodeSnapshot() }
    }

    @Test("one author's typing", arguments: 0..<3 as Range<UInt64>)
    func typing(seed: UInt64) throws {
        let changes = TypingWriter(seed: seed).changes(700)
        #expect(try Self.replay(changes) == Self.applied(changes))
    }

    @Test("a log that passes the sequences of the bulk road", arguments: [0, 150, 400, 5_000] as [UInt64])
    func beyondRuns(before: UInt64) throws {
        let writer = TypingWriter(seed: 11, first: UInt64(Int32.max) - before)
        let changes = writer.changes(400)
        let start = BoundaryPosition(last: SequenceNumber(writer.first).previous, timestamp: .zero)
        let block = try #require(BlockEncoder.encode(changes, starts: [writer.replica: start]))
        var documents: [Key: Document] = [:]
        try BlockReader(block).replay(into: &documents)
        for document in documents.values { document.checkInvariants() }
        #expect(documents.mapValues { $0.encodeSnapshot() } == Self.applied(changes))
    }

    @Test("several authors of all kinds who merge now and then", arguments: 0..<14 as Range<UInt64>)
    func merging(seed: UInt64) throws {
        let changes = MergingWriters(seed: seed).changes(160)
        #expect(try Self.replay(changes) == Self.applied(changes))
    }

    @Test("into documents that have content", arguments: 0..<5 as Range<UInt64>)
    func ontoContent(seed: UInt64) throws {
        let changes = MergingWriters(seed: seed).changes(200)
        let (former, later) = (Array(changes[..<90]), Array(changes[90...]))
        #expect(try Self.replay(later, onto: former) == Self.applied(changes))
    }

    @Test("authors who know nothing of each other, all at one place", arguments: [2, 7, 90])
    func onePlace(count: Int) throws {
        var changes: [Change] = []
        for author in 1...count {
            let replica = ReplicaID(raw: Bytes16(high: UInt64(author * 7_919 % 1_009), low: UInt64(author)))
            var document = Document(key: "d")
            var next = Dot(replica, SequenceNumber(1))
            for time in 1...3 as ClosedRange<UInt64> {
                let request = OperationRequest(
                    document: "d", path: [.key("t")],
                    verb: .splice(index: time == 3 ? 1 : 0, delete: 0, insert: "a\(author)"))
                let stamp = Timestamp(milliseconds: time)
                let authored = try document.author(
                    request, dot: next, timestamp: stamp, context: VersionVector())
                let declaration = Change.Declaration(
                    device: DeviceID(publicKey: .zero), incarnation: UInt64(author))
                let change = Change(
                    replica: replica, first: next.sequence, timestamp: stamp, context: VersionVector(),
                    declaration: time == 1 ? declaration : nil, rosterHeads: [],
                    operations: authored.operations)
                changes.append(change)
                next = Dot(replica, change.last + 1)
            }
        }
        #expect(try Self.replay(changes) == Self.applied(changes))
    }

    @Test("a block in which a change names what its author had not seen is refused, and nothing happens")
    func uncoveredIsRefused() throws {
        let changes = TypingWriter(seed: 3).changes(2)
        let first = try #require(changes.first)
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
        let stranger = ReplicaID(raw: Bytes16(high: 9, low: 9))
        for action in [
            Action.insertText(left: Dot(stranger, SequenceNumber(4)), right: nil, "x"),
            .deleteText([DotRange(Dot(stranger, SequenceNumber(4)))]),
            .increment(by: 1),
        ] {
            let bad = Change(
                replica: first.replica, first: first.last + 1,
                timestamp: Timestamp(milliseconds: first.timestamp.milliseconds + 1),
                context: VersionVector(),
                declaration: nil, rosterHeads: [],
                operations: [Operation(document: "note/1", body: .act(in: path, action))])
            let block = try #require(BlockEncoder.encode([first, bad]))
            var documents: [Key: Document] = [:]
            #expect(throws: DecodeFault.self) { try BlockReader(block).replay(into: &documents) }
            #expect(documents.isEmpty)
        }
    }

    @Test("bent blocks end in a fault or in documents that keep their invariants")
    func hostileBlocks() throws {
        var random = SeededGenerator(seed: 5)
        var faults = 0
        let blocks = try (0..<6 as Range<UInt64>).map {
            try #require(BlockEncoder.encode(MergingWriters(seed: $0).changes(80)))
        }
        for round in 0..<500 {
            var bytes = blocks[round % blocks.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            var documents: [Key: Document] = [:]
            do throws(DecodeFault) {
                try BlockReader(bytes).replay(into: &documents)
                for document in documents.values { document.checkInvariants() }
            } catch {
                faults += 1
                #expect(documents.isEmpty)
            }
        }
        #expect(faults > 120, "\(faults) of 500 blocks were refused")
    }
}

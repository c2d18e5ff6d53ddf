// Snapshots: canonical bytes, a total decoder, and what was kept is all that is needed to go on.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct SnapshotTests {
    /// A document with a bit of everything, conflicts and deleted things included.
    private func everything() throws -> SimulatedReplica {
        var (a, b) = pair([
            ([], .set(["l": [["n": 1], "x", "y"], "r": true, "gone": ["k": 1]])), (["c"], .increment(by: -3)),
            (["s"], .add("v")), (["w"], .make(.removeWinsSet)), (["w"], .add(1)), (["w"], .add(2)),
            (["w"], .remove(1)), (["o"], .make(.orderedSet)), (["o"], .set(["b", "a"])),
            (["t"], .splice(index: 0, delete: 0, insert: "text")), (["gone"], .delete),
            (["d"], .set(.scalar(.double(0.5)))),
        ])
        let mine = [
            try a.change(["r"], .set("a")), try a.change(["l"], .move(.index(0), to: .index(2))),
            try a.change(["l", 0], .delete), try a.change(["o"], .move(.index(0), to: .index(1))),
            try a.change(["s"], .add("v")), try a.change(["t"], .splice(index: 1, delete: 2, insert: "é")),
            try a.change(["o"], .remove("a")),
        ]
        let theirs = [
            try b.change(["r"], .set("b")), try b.change(["l"], .move(.index(0), to: .index(1))),
            try b.change(["s"], .add("v")), try b.change(["o"], .move(.index(1), to: .index(0))),
            try b.change(["c"], .increment(by: 9)),
        ]
        meet(&a, &b, mine + theirs)
        return a
    }

    @Test("a snapshot reads back to the same document")
    func roundTrip() throws {
        let a = try everything()
        let bytes = a.document.encodeSnapshot()
        let read = try Document(snapshot: bytes)
        #expect(read.encodeSnapshot() == bytes && read.digest() == a.document.digest())
        #expect(read.typed == a.document.typed && read.key == SimulatedReplica.key)
        let absent = Document(key: "never")
        #expect(try Document(snapshot: absent.encodeSnapshot()).plain == nil)
    }

    @Test("the bytes of a small snapshot are pinned")
    func pinned() throws {
        var (a, _) = pair()
        try a.change(["k"], .set(true))
        let body =
            "000564 6f632f31 01" + "00000000000000010000000000000007" + "00 00 01 01 01 01 0001e807"
            + "01 016b 00 01 0001e807 01 02 00"
        let expected = "02" + body + "2decf287fe4219dc"
        #expect(Hex.encode(a.document.encodeSnapshot()) == expected.filter { $0 != " " })
        // The first version had no checksum. It is read, and written as the present one.
        let former = try #require(Hex.decode(("01" + body).filter { $0 != " " }))
        #expect(try Document(snapshot: former).encodeSnapshot() == a.document.encodeSnapshot())
    }

    @Test("a text in a snapshot of the first version is read, and can be edited")
    func firstVersionText() throws {
        var (a, _) = pair()
        try a.change(["t"], .splice(index: 0, delete: 0, insert: "abc"))
        try a.change(["t"], .splice(index: 1, delete: 1, insert: ""))
        let body =
            "000564 6f632f31 01" + "00000000000000010000000000000007" + "00 00 01 01 01 01 0001e807"
            + "01 0174 00 00 01 06 01 01 0001e807"
            + "01 00000000000000010000000000000007 03 0000030001 00 0000020001 00 0000030001 00" + "02 6163"
        let former = try #require(Hex.decode(("01" + body).filter { $0 != " " }))
        var opened = try Document(snapshot: former)
        #expect(opened.encodeSnapshot() == a.document.encodeSnapshot())
        let request = OperationRequest(
            document: SimulatedReplica.key, path: [.key("t")], verb: .splice(index: 2, delete: 0, insert: "d")
        )
        let dot = Dot(ReplicaID(raw: Bytes16(high: 1, low: 7)), SequenceNumber(5))
        _ = try opened.author(
            request, dot: dot, timestamp: Timestamp(milliseconds: 2_000), context: VersionVector())
        #expect(opened.value(at: [.key("t")]) == .scalar(.string("acd")))
    }

    @Test("a truncated snapshot is refused at every length, a longer one too")
    func truncated() throws {
        let bytes = try everything().document.encodeSnapshot()
        for length in 0..<bytes.count {
            #expect(throws: DecodeFault.self) { try Document(snapshot: Array(bytes[..<length])) }
        }
        #expect(throws: DecodeFault.outOfRange(field: "snapshot checksum")) {
            try Document(snapshot: bytes + [0])
        }
    }

    @Test("a dead element that has registers is refused")
    func deadElementWithRegister() throws {
        var (a, _) = pair([([], .set(["l": [["n": 1]]]))])
        try a.change(["l", 0], .delete)
        var broken = a.document
        let element = try #require(broken.state.contents.lists[0].elements.values.first)
        #expect(!element.edits.isLive, "kept for the map in it")
        let write = RegisterWrite(
            value: .integer(1),
            priority: Priority(
                Timestamp(milliseconds: 1), Dot(ReplicaID(raw: Bytes16(high: 1, low: 7)), SequenceNumber(1))),
            generation: Generation(1))
        broken.state[element.slot].registers.add(write)
        #expect(throws: DecodeFault.self) { try Document(snapshot: broken.encodeSnapshot()) }
    }

    @Test("a bit that is bent anywhere is refused")
    func bent() throws {
        let bytes = try everything().document.encodeSnapshot()
        for bit in 8..<bytes.count * 8 {
            var broken = bytes
            broken[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: DecodeFault.self) { try Document(snapshot: broken) }
        }
    }

    @Test(
        "lying bytes are refused, or read as a document that works or refuses edits",
        arguments: 0..<8 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var intact = try everything()
        let bytes = intact.document.encodeSnapshot()
        let changes = ["l", "o", "t", "s", "r"].map { key in
            intact.author([([.key(Key(key))], .set([1, 2])), ([.key(Key(key))], .delete)])
        }
        var accepted = 0
        for _ in 0..<400 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 2..<bytes.count - 8, using: &random)
                broken[place] = .random(in: 0...255, using: &random)
            }
            broken = withChecksum(broken.dropLast(8))
            guard var document = try? Document(snapshot: broken), document.key == SimulatedReplica.key else {
                continue
            }
            accepted += 1
            for change in changes.compactMap({ $0 }) {
                _ = document.apply(change.operations, stamps: change.stamps)
            }
            _ = (document.plain, document.typed, document.encodeSnapshot())
        }
        #expect(accepted > 0)
    }

    @Test(
        "an outline is refused where the document is, and says what it does",
        arguments: 0..<8 as Range<UInt64>)
    func outline(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let inner: PlainValue = ["n": true, "z": .scalar(.null), "m": "é"]
        var (a, b) = pair([([], .set(["r": inner, "gone": 1, "s": "y"]))])
        let mine = [try a.change(["s"], .set(1)), try a.change(["d"], .set(.scalar(.double(0.5))))]
        meet(&a, &b, mine + [try b.change(["s"], .set(["deep": ["er": 2]]))])
        try a.change(["gone"], .delete)
        var deleted = a
        try deleted.change([], .delete)
        // Of one kind after the other: maps and registers, all of them, nothing that shows.
        var documents = [a.document, try everything().document, deleted.document]
        documents.append(Document(key: SimulatedReplica.key))
        for document in documents {
            let bytes = document.encodeSnapshot()
            let seen = SnapshotOutline(key: document.key, isVisible: document.isVisible)
            #expect(try Document.outline(of: bytes) == seen)
            #expect(try amongOthers(bytes) == seen)
            for _ in 0..<500 {
                var broken = bytes
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    // Small numbers are counts and tags.
                    let most: UInt8 = Bool.random(using: &random) ? 7 : 255
                    let place = Int.random(in: 1..<bytes.count - 8, using: &random)
                    broken[place] = .random(in: 0...most, using: &random)
                }
                broken = withChecksum(broken.dropLast(8))
                let read = try? Document(snapshot: broken)
                let expected = read.map { SnapshotOutline(key: $0.key, isVisible: $0.isVisible) }
                #expect((try? Document.outline(of: broken)) == expected, "\(Hex.encode(broken))")
                #expect((try? amongOthers(broken)) == expected, "\(Hex.encode(broken))")
            }
        }
    }

    /// What is seen of a snapshot that lies among other bytes, as in a page of a base.
    private func amongOthers(_ snapshot: [UInt8]) throws -> SnapshotOutline {
        let place = 3..<3 + snapshot.count
        return try Document.outline(of: [2, 0, 1] + snapshot + [0, 1, 7], in: place)
    }

    @Test("another version is refused by name")
    func version() throws {
        var bytes = Document(key: "k").encodeSnapshot()
        bytes[0] = 3
        #expect(throws: DecodeFault.unknownTag(field: "snapshot version", value: 3)) {
            try Document(snapshot: bytes)
        }
    }

    /// What somebody who can write the file would do.
    private func withChecksum(_ body: ArraySlice<UInt8>) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(Array(body))
        writer.u64(SnapshotChecksum.of(body))
        return writer.bytes
    }
}

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
        let expected =
            "01000564 6f632f31 01" + "00000000000000010000000000000007"
            + "00 00 01 01 01 01 0001e807" + "01 016b 00 01 0001e807 01 02 00"
        #expect(Hex.encode(a.document.encodeSnapshot()) == expected.filter { $0 != " " })
    }

    @Test("a truncated snapshot is refused at every length, a longer one too")
    func truncated() throws {
        let bytes = try everything().document.encodeSnapshot()
        for length in 0..<bytes.count {
            #expect(throws: DecodeFault.self) { try Document(snapshot: Array(bytes[..<length])) }
        }
        #expect(throws: DecodeFault.trailing(count: 1)) { try Document(snapshot: bytes + [0]) }
    }

    @Test("damaged bytes are refused or read as a document that works", arguments: 0..<8 as Range<UInt64>)
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
                broken[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
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

    @Test("another version is refused by name")
    func version() throws {
        var bytes = Document(key: "k").encodeSnapshot()
        bytes[0] = 2
        #expect(throws: DecodeFault.unknownTag(field: "snapshot version", value: 2)) {
            try Document(snapshot: bytes)
        }
    }
}

// The part of the contract about documents, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let (a, b) = (replica(1), replica(2))

@Suite struct DocumentContractTests {
    @Test(
        "documents are listed by bytes of their keys, from a prefix and after a key", arguments: Kind.allCases
    )
    func documents(kind: Kind) throws {
        var disk = try Disk(kind)
        // NFC and NFD of é, a key that is another's prefix, a percent sign, and an empty key after a long
        // one.
        let keys: [Key] = [
            "note/2", "note", "note/1", "notf", "note/\u{e9}", "note/e\u{301}", "n%", "note/", "z",
        ]
        try disk.transact { store in
            try store.put(record(home))
            try store.put(record(space(2), "second"))
            for key in keys { try store.put(home, document(key)) }
            try store.put(space(2), document("note/9"))
            try store.put(home, document("note/0", visible: false))
        }
        let sorted = keys.sorted()
        func list(_ prefix: Key, _ after: Key?, _ limit: Int = 99) throws -> [Key] {
            try disk.store.documents(home, prefix: prefix, after: after, limit: limit).map(\.key)
        }
        #expect(try list("", nil) == sorted)
        #expect(try list("note/", nil) == sorted.filter { $0.hasPrefix("note/") })
        #expect(try list("note/", nil).count == 5)
        #expect(try list("n%", nil) == ["n%"])
        for after in sorted {
            #expect(try list("", after) == sorted.filter { after < $0 })
            #expect(
                try list("note", after, 2)
                    == Array(sorted.filter { after < $0 && $0.hasPrefix("note") }.prefix(2)))
        }
        #expect(try list("note/", "a") == sorted.filter { $0.hasPrefix("note/") })
        #expect(try list("note/", "zz") == [])
        func listBack(_ prefix: Key, _ before: Key?, _ limit: Int = 99) throws -> [Key] {
            try disk.store.documents(home, prefix: prefix, before: before, limit: limit).map(\.key)
        }
        #expect(try listBack("", nil) == sorted.reversed())
        #expect(try listBack("note/", nil, 2) == Array(sorted.filter { $0.hasPrefix("note/") }.reversed().prefix(2)))
        for before in sorted + ["a", "note/0", "zz"] {
            for prefix in ["", "note", "note/", "n%", "x"] as [Key] {
                let expected = sorted.filter { $0 < before && $0.hasPrefix(prefix) }
                #expect(try listBack(prefix, before) == expected.reversed(), "\(prefix) \(before)")
            }
        }
    }

    @Test("the count of documents follows visibility, before and after the commit", arguments: Kind.allCases)
    func documentCount(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.store.begin()
        try disk.store.put(record(home))
        for key in ["a", "b", "c"] as [Key] { try disk.store.put(home, document(key)) }
        try disk.store.put(home, document("a", visible: false))
        try disk.store.put(home, document("b", at: 2))
        try disk.store.put(record(home, "renamed"))
        #expect(try disk.store.documentCount(home) == 2)
        try disk.store.commit()
        #expect(try disk.store.documentCount(home) == 2)
        try disk.transact { try $0.put(home, document("a")) }
        #expect(try disk.store.documentCount(home) == 3)
        let frontier = [Dot(a, SequenceNumber(4)), Dot(b, SequenceNumber(1 << 62))]
        try disk.transact { try $0.put(home, document("a", visible: false, frontier: frontier, at: 9)) }
        #expect(
            try disk.store.document(home, "a") == document("a", visible: false, frontier: frontier, at: 9))
        #expect(try disk.store.documentCount(home) == 2)
        // Beside changes, before and after them, and without.
        try disk.transact { store in
            try store.put(home, document("d"))
            try store.add(home, run(a, from: 1, at: 3, [1]), touching: [["d", "e"]])
            try store.put(home, document("e"))
            try store.put(record(space(2)))
            try store.put(space(2), document("f"))
        }
        #expect(try disk.store.documentCount(home) == 4 && disk.store.documentCount(space(2)) == 1)
        try disk.transact { store in
            try store.add(home, run(a, from: 2, at: 4, [1]), touching: [["d"]])
            try store.add(home, run(b, from: 1, at: 5, [1]), touching: [["d"]])
        }
        try disk.transact { try $0.put(home, document("d", visible: false)) }
        #expect(try disk.store.documentCount(home) == 3)
        try disk.store.begin()
        try disk.store.put(home, document("d"))
        disk.store.rollback()
        #expect(try disk.store.documentCount(home) == 3)
        let after = try disk.afterCrash().store
        #expect(try after.documentCount(home) == 3 && after.documentCount(space(2)) == 1)
    }

    @Test("a snapshot replaces the one before", arguments: Kind.allCases)
    func snapshots(kind: Kind) throws {
        var disk = try Disk(kind)
        let big = SnapshotRecord(position: CommitPosition(2), bytes: [UInt8](repeating: 7, count: 100_000))
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, "d", SnapshotRecord(position: CommitPosition(1), bytes: []))
            try store.put(home, "d", big)
        }
        #expect(try disk.store.snapshot(home, "d") == big)
    }
}

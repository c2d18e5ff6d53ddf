// The contract of `ChangeStore`, sentence by sentence, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let (a, b) = (replica(1), replica(2))

@Suite struct ContractTests {
    @Test("an empty store knows nothing, and unknown names are nil", arguments: Kind.allCases)
    func empty(kind: Kind) throws {
        let store = try Disk(kind).store
        #expect(try store.meta("x") == nil)
        #expect(try store.spaces() == [])
        #expect(try store.heads(home).isEmpty)
        #expect(try store.runs(home, a, from: SequenceNumber(1), bytesMax: 9) == [])
        #expect(try store.boundary(home, a, before: SequenceNumber(9)) == nil)
        #expect(try store.commits(home, after: .start, limit: 9) == [])
        #expect(try store.document(home, "k") == nil)
        #expect(try store.documentCount(home) == 0)
        #expect(try store.snapshot(home, "k") == nil)
        #expect(try store.idempotency(home, "k") == nil)
    }

    @Test("meta values are set, replaced and removed, an empty one is not nil", arguments: Kind.allCases)
    func meta(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.setMeta("a", [1])
            try store.setMeta("a", [])
            try store.setMeta("b", [2])
            try store.setMeta("b", nil)
        }
        #expect(try disk.store.meta("a") == [])
        #expect(try disk.store.meta("b") == nil)
    }

    @Test("a space is replaced under its id, with every bit of its incarnation", arguments: Kind.allCases)
    func spaces(kind: Kind) throws {
        var disk = try Disk(kind)
        var changed = record(home, "other", position: 5)
        changed.incarnation = .max
        try disk.transact { store in
            try store.put(record(space(2), "second"))
            try store.put(record(home))
            try store.put(changed)
        }
        #expect(try disk.store.spaces() == [changed, record(space(2), "second")])
    }

    @Test(
        "a space's position follows its changes, and is never before what was put", arguments: Kind.allCases)
    func positions(kind: Kind) throws {
        var disk = try Disk(kind)
        func position() throws -> UInt64? { try disk.store.spaces().first?.position.value }
        try disk.transact { store in
            try store.put(record(home, position: 2))
            try store.put(record(space(2)))
        }
        #expect(try position() == 2)
        try disk.transact {
            try $0.add(home, run(replica(1), from: 1, at: 3, [1, 4]), touching: [["a"], []])
        }
        #expect(try position() == 4 && disk.store.spaces().last?.position == .start)
        try disk.transact { try $0.put(record(home, position: 9)) }
        #expect(try position() == 9)
        #expect(try disk.afterCrash().store.spaces().first?.position.value == 9)
    }

    @Test("roster operations come back in the order they were added", arguments: Kind.allCases)
    func roster(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for byte in [3, 1, 2] as [UInt8] { try store.addRosterOperation(home, [byte]) }
        }
        #expect(try disk.store.rosterOperations(home) == [[3], [1], [2]])
    }

    @Test(
        "runs are found from any sequence inside them, until the byte bound is passed",
        arguments: Kind.allCases)
    func runs(kind: Kind) throws {
        var disk = try Disk(kind)
        let samples = [
            run(a, from: 1, at: 1, [2, 1]), run(a, from: 4, at: 4, [5]), run(a, from: 9, at: 5, [1]),
        ]
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, samples[0], touching: [["x"], []])
            try store.add(home, run(b, from: 1, at: 3, [7]), touching: [["x"]])
            try store.add(home, samples[1], touching: [["y", "x"]])
            try store.add(home, samples[2], touching: [["x"]])
        }
        func found(_ from: UInt64, _ bytesMax: Int) throws -> [StoredRun] {
            try disk.store.runs(home, a, from: SequenceNumber(from), bytesMax: bytesMax)
        }
        #expect(try found(1, 100) == samples.map(\.run))
        #expect(try found(3, 100) == samples.map(\.run))
        #expect(try found(4, 100) == samples[1...].map(\.run))
        #expect(try found(8, 0) == [samples[1].run])
        #expect(try found(1, 2) == samples[..<2].map(\.run))
        #expect(try found(10, 100) == [])
        let entries = [VersionVector.Entry(a, SequenceNumber(9)), VersionVector.Entry(b, SequenceNumber(7))]
        #expect(try disk.store.heads(home) == VersionVector(entries))
    }

    @Test("commits are listed by position and by document, with what came of each", arguments: Kind.allCases)
    func commits(kind: Kind) throws {
        var disk = try Disk(kind)
        let first = run(a, from: 1, at: 1, [2, 1, 3])
        let second = run(b, from: 1, at: 4, [1, 1], status: .void)
        let third = run(a, from: 7, at: 6, [1], status: .skipped)
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, first, touching: [["x"], ["y", "x"], ["y"]])
            try store.add(home, second, touching: [["x"], []])
            try store.add(home, third, touching: [["x"]])
        }
        let all = first.records + second.records + third.records
        for after in 0...6 as ClosedRange<UInt64> {
            for limit in 0...7 {
                let found = try disk.store.commits(home, after: CommitPosition(after), limit: limit)
                #expect(found == Array(all.dropFirst(Int(after)).prefix(limit)))
            }
        }
        func touching(_ key: Key, _ after: UInt64, _ limit: Int) throws -> [UInt64] {
            let found = try disk.store.commits(
                home, touching: key, after: CommitPosition(after), limit: limit)
            #expect(found.allSatisfy { all.contains($0) })
            return found.map(\.position.value)
        }
        #expect(try touching("x", 0, 9) == [1, 2, 4, 6])
        #expect(try touching("x", 2, 1) == [4])
        #expect(try touching("y", 0, 9) == [2, 3])
        #expect(try touching("z", 0, 9) == [])
    }

    @Test("the boundary before a sequence is the greatest that ends before it", arguments: Kind.allCases)
    func boundaries(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for last in [10, 20] as [UInt64] {
                let boundary = BoundaryRecord(last: SequenceNumber(last), state: [UInt8(last)])
                try store.addBoundary(home, a, boundary)
            }
        }
        func last(before sequence: UInt64) throws -> UInt64? {
            try disk.store.boundary(home, a, before: SequenceNumber(sequence))?.last.value
        }
        #expect(try last(before: 10) == nil)
        #expect(try last(before: 11) == 10)
        #expect(try last(before: 20) == 10)
        #expect(try last(before: .max >> 2) == 20)
        #expect(try disk.store.heads(home).isEmpty, "a log without runs holds nothing")
    }

    @Test("a later seal replaces one that is no boundary's, boundary seals stay", arguments: Kind.allCases)
    func seals(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for (last, isBoundary) in [(3, false), (5, true), (7, false), (9, false), (8, true), (6, false)] {
                try store.addSeal(home, seal(a, UInt64(last)), isBoundary: isBoundary)
            }
        }
        func kept(_ from: UInt64, _ limit: Int) throws -> [Seal] {
            try disk.store.seals(home, a, from: SequenceNumber(from), limit: limit)
        }
        #expect(try kept(1, 9) == [seal(a, 5), seal(a, 8), seal(a, 9)])
        #expect(try kept(6, 1) == [seal(a, 8)])
        try disk.transact { try $0.addSeal(home, seal(a, 9), isBoundary: true) }
        try disk.transact { try $0.addSeal(home, seal(a, 9), isBoundary: false) }
        try disk.transact { try $0.addSeal(home, seal(a, 12), isBoundary: false) }
        #expect(try kept(9, 9) == [seal(a, 9), seal(a, 12)], "once a boundary's, always kept")
    }

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

    @Test("snapshots and remembered answers are replaced, expired ones go", arguments: Kind.allCases)
    func snapshotsAndAnswers(kind: Kind) throws {
        var disk = try Disk(kind)
        func answer(_ expires: UInt64, _ change: Dot?) -> IdempotencyRecord {
            IdempotencyRecord(bodyHash: .zero, change: change, version: "v\(expires)", expires: expires)
        }
        let big = SnapshotRecord(position: CommitPosition(2), bytes: [UInt8](repeating: 7, count: 100_000))
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, "d", SnapshotRecord(position: CommitPosition(1), bytes: []))
            try store.put(home, "d", big)
            try store.put(home, "k", answer(100, nil))
            try store.put(home, "k", answer(200, Dot(a, SequenceNumber(3))))
            try store.put(home, "l", answer(199, nil))
        }
        #expect(try disk.store.snapshot(home, "d") == big)
        #expect(try disk.store.idempotency(home, "k") == answer(200, Dot(a, SequenceNumber(3))))
        #expect(try disk.store.idempotency(home, "l") == answer(199, nil))
        try disk.transact { try $0.expireIdempotency(before: 200, moved: 0) }
        #expect(try disk.store.idempotency(home, "k") != nil)
        #expect(try disk.store.idempotency(home, "l") == nil)
        // A clock that was put on by 1,000 takes what is kept with it, and back again.
        try disk.transact { try $0.expireIdempotency(before: 1_150, moved: 1_000) }
        #expect(try disk.store.idempotency(home, "k")?.expires == 1_200)
        try disk.transact { try $0.expireIdempotency(before: 0, moved: -5_000) }
        #expect(try disk.store.idempotency(home, "k")?.expires == 0)
        try disk.transact { try $0.expireIdempotency(before: 1, moved: 0) }
        #expect(try disk.store.idempotency(home, "k") == nil)
    }

    @Test("a removed space leaves nothing behind, and its id can be used again", arguments: Kind.allCases)
    func removal(kind: Kind) throws {
        var disk = try Disk(kind)
        func fill(_ store: inout any ChangeStore, _ id: SpaceID) throws {
            try store.put(record(id, "\(id)"))
            try store.addRosterOperation(id, [1])
            try store.add(id, run(a, from: 1, at: 1, [1]), touching: [["x"]])
            try store.addSeal(id, seal(a, 1), isBoundary: true)
            try store.addBoundary(id, a, BoundaryRecord(last: SequenceNumber(1), state: []))
            try store.put(id, document("x"))
            try store.put(id, "x", SnapshotRecord(position: .start, bytes: [1]))
        }
        try disk.transact { store in
            try fill(&store, home)
            try fill(&store, space(2))
        }
        try disk.transact { store in
            try store.remove(home)
            try store.put(record(home, "again"))
        }
        let store = disk.store
        #expect(try store.spaces().map(\.name) == ["again", "\(space(2))"])
        #expect(try store.rosterOperations(home) == [])
        #expect(try store.heads(home).isEmpty)
        #expect(try store.commits(home, after: .start, limit: 9) == [])
        #expect(try store.seals(home, a, from: SequenceNumber(1), limit: 9) == [])
        #expect(try store.documentCount(home) == 0)
        #expect(try store.snapshot(home, "x") == nil)
        #expect(try store.documentCount(space(2)) == 1)
        #expect(try store.heads(space(2))[a] == SequenceNumber(1))
        try disk.transact { try $0.add(home, run(a, from: 1, at: 1, [4]), touching: [["x"]]) }
        #expect(try disk.store.heads(home)[a] == SequenceNumber(4))
    }
}

// The part of the contract about checkpoints, over each store: bases, candidates, manifests, and documents
// that are as their bases.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let a = replica(1)

private func base(
    _ key: Key, visible: Bool = true, at position: UInt64 = 1, frontier: [Dot] = [],
    bytes: [UInt8] = [1, 2, 3]
) -> BaseRecord {
    BaseRecord(
        key: key, isVisible: visible, frontier: frontier, position: CommitPosition(position), bytes: bytes)
}

private func page(_ last: Key, _ number: UInt8) -> PageRecord {
    PageRecord(
        last: last, hash: Bytes32([UInt8](repeating: number, count: 32)), bytes: Int(number) * 1_000,
        documents: Int(number))
}

@Suite struct BaseContractTests {
    @Test(
        "bases of any size are put, replaced, listed by bytes of their keys and removed",
        arguments: Kind.allCases)
    func bases(kind: Kind) throws {
        var disk = try Disk(kind)
        let keys: [Key] = ["b", "", "a", "note/\u{e9}", "note/e\u{301}", "z"]
        // Around the length up to which a snapshot lies in its row, and far above.
        let lengths = [0, 1, 511, 512, 513, 100_000]
        let frontier = [Dot(a, SequenceNumber(4)), Dot(replica(2), SequenceNumber(1 << 62))]
        var expected: [Key: BaseRecord] = [:]
        func check() throws {
            let sorted = expected.values.sorted { $0.key < $1.key }
            #expect(try disk.store.bases(home, after: nil, limit: 99) == sorted)
            for (index, record) in sorted.enumerated() {
                #expect(try disk.store.base(home, record.key) == record)
                let after = try disk.store.bases(home, after: record.key, limit: 2)
                #expect(after == Array(sorted[(index + 1)...].prefix(2)))
            }
            let (bytes, documents) = try disk.store.baseBytes(home)
            #expect(bytes == sorted.reduce(0) { $0 + $1.size } && documents == sorted.count)
        }
        try disk.transact { store in
            try store.put(record(home))
            try store.put(record(space(2), "second"))
            try store.put(space(2), base("b", bytes: [9]))
        }
        // Each length replaces each other one.
        for round in 0..<lengths.count {
            try disk.transact { store in
                for (index, key) in keys.enumerated() {
                    let length = lengths[(index + round) % lengths.count]
                    let record = base(
                        key, visible: (index + round).isMultiple(of: 2), at: UInt64(round),
                        frontier: Array(frontier.prefix(round % 3)),
                        bytes: [UInt8](repeating: UInt8(round), count: length))
                    try store.put(home, record)
                    expected[key] = record
                }
            }
            try check()
        }
        disk = try disk.afterCrash()
        try check()
        try disk.store.begin()
        for key in keys.prefix(4) { try disk.store.removeBase(home, key) }
        #expect(try disk.store.baseBytes(home).documents == 2)
        disk.store.rollback()
        try check()
        for key in keys {
            try disk.transact { try $0.removeBase(home, key) }
            expected[key] = nil
            try check()
        }
        try disk.transact { try $0.removeBase(home, "never there") }
        #expect(try disk.store.baseBytes(home) == (0, 0) && disk.store.baseBytes(space(2)) == (2, 1))
    }

    @Test(
        "a document without a record of its own is read, listed and counted as its base says",
        arguments: Kind.allCases)
    func asBase(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for key in ["a", "c", "e"] as [Key] { try store.put(home, base(key, at: 7)) }
            try store.put(home, base("hidden", visible: false))
            // Its own says otherwise, in both ways.
            try store.put(home, document("c", visible: false, at: 9))
            try store.put(home, document("b", at: 8))
            try store.put(home, document("hidden", at: 8))
        }
        func check(_ shown: [Key]) throws {
            let listed = try disk.store.documents(home, prefix: "", after: nil, limit: 99)
            #expect(listed.map(\.key) == shown)
            #expect(try disk.store.documentCount(home) == shown.count)
            let back = try disk.store.documents(home, prefix: "", before: nil, limit: 99)
            #expect(back == listed.reversed())
            for record in listed { #expect(try disk.store.document(home, record.key) == record) }
        }
        try check(["a", "b", "e", "hidden"])
        #expect(try disk.store.document(home, "a") == document("a", at: 7))
        #expect(try disk.store.documents(home, prefix: "", after: "a", limit: 2).map(\.key) == ["b", "e"])
        #expect(try disk.store.documents(home, prefix: "", before: "e", limit: 2).map(\.key) == ["b", "a"])
        disk = try disk.afterCrash()
        try check(["a", "b", "e", "hidden"])
        // A record of its own that hides it, a base that hides another, and back.
        try disk.transact { store in
            try store.put(home, document("a", visible: false, at: 10))
            try store.put(home, base("e", visible: false))
            try store.put(home, base("b", visible: false))
        }
        try check(["b", "hidden"])
        try disk.transact { store in
            try store.removeRecord(home, "b")
            try store.removeRecord(home, "a")
            try store.put(home, base("e"))
        }
        try check(["a", "e", "hidden"])
        try disk.transact { store in
            try store.removeBase(home, "a")
            try store.removeRecord(home, "hidden")
            try store.removeRecord(home, "c")
            // It has none any more.
            try store.removeRecord(home, "c")
        }
        try check(["c", "e"])
        #expect(try disk.store.document(home, "a") == nil)
        try disk.store.begin()
        try disk.store.removeBase(home, "c")
        try disk.store.put(home, base("d"))
        disk.store.rollback()
        try check(["c", "e"])
        disk = try disk.afterCrash()
        try check(["c", "e"])
    }

    @Test("listings of records and bases together keep prefix, place and limit", arguments: Kind.allCases)
    func merged(kind: Kind) throws {
        var disk = try Disk(kind)
        var chance = SeededGenerator(seed: 16)
        var own: [Key: Bool] = [:]
        var bases: [Key: Bool] = [:]
        try disk.transact { store in
            try store.put(record(home))
            for number in 0..<300 {
                let key = Key("\(["n/", "n", "m/", "o"][number % 4])\(number * 7_919 % 1_000)")
                let isVisible = Bool.random(using: &chance)
                if Bool.random(using: &chance) {
                    own[key] = isVisible
                    try store.put(home, document(key, visible: isVisible))
                }
                if Bool.random(using: &chance) {
                    let isVisible = Bool.random(using: &chance)
                    bases[key] = isVisible
                    try store.put(home, base(key, visible: isVisible))
                }
            }
        }
        let shown = bases.merging(own) { $1 }.filter(\.value).keys.sorted()
        #expect(try disk.store.documentCount(home) == shown.count)
        for prefix in ["", "n", "n/", "m/3", "x"] as [Key] {
            let expected = shown.filter { $0.hasPrefix(prefix) }
            for limit in [1, 7, 999] {
                var (forward, place): ([Key], Key?) = ([], nil)
                while true {
                    let page = try disk.store.documents(home, prefix: prefix, after: place, limit: limit)
                    guard let last = page.last else { break }
                    forward += page.map(\.key)
                    place = last.key
                }
                #expect(forward == expected)
                var (back, end): ([Key], Key?) = ([], nil)
                while true {
                    let page = try disk.store.documents(home, prefix: prefix, before: end, limit: limit)
                    guard let last = page.last else { break }
                    back += page.map(\.key)
                    end = last.key
                }
                #expect(back == expected.reversed())
            }
        }
    }

    @Test("a document without a snapshot of its own has its base's", arguments: Kind.allCases)
    func snapshots(kind: Kind) throws {
        var disk = try Disk(kind)
        let large = [UInt8](repeating: 5, count: 9_000)
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, base("small", at: 3, bytes: [1]))
            try store.put(home, base("large", at: 4, bytes: large))
            try store.put(home, "small", SnapshotRecord(position: CommitPosition(9), bytes: [2]))
            try store.put(home, "none", SnapshotRecord(position: CommitPosition(9), bytes: [3]))
        }
        #expect(try disk.store.snapshot(home, "small")?.bytes == [2])
        #expect(
            try disk.store.snapshot(home, "large")
                == SnapshotRecord(position: CommitPosition(4), bytes: large))
        try disk.store.begin()
        try disk.store.removeSnapshot(home, "small")
        disk.store.rollback()
        #expect(try disk.store.snapshot(home, "small")?.bytes == [2])
        try disk.transact { store in
            for key in ["small", "none", "never there"] as [Key] { try store.removeSnapshot(home, key) }
        }
        #expect(
            try disk.store.snapshot(home, "small")
                == SnapshotRecord(position: CommitPosition(3), bytes: [1]))
        #expect(try disk.store.snapshot(home, "none") == nil)
    }

    @Test("a document that is removed is gone without trace", arguments: Kind.allCases)
    func removeDocument(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, run(a, from: 1, at: 1, [1, 1]), touching: [["own", "both"], ["both"]])
            for key in ["own", "both"] as [Key] {
                try store.put(home, document(key, visible: false))
                try store.put(home, key, SnapshotRecord(position: CommitPosition(1), bytes: [1]))
            }
            try store.put(home, base("both"))
            try store.put(home, base("only", visible: false, bytes: [UInt8](repeating: 1, count: 2_000)))
            try store.put(home, base("stays"))
        }
        let all = ["own", "both", "only", "never there"] as [Key]
        try disk.store.begin()
        for key in all { try disk.store.removeDocument(home, key) }
        disk.store.rollback()
        #expect(try disk.store.baseBytes(home).documents == 3 && disk.store.document(home, "own") != nil)
        #expect(try disk.store.commits(home, touching: "both", after: .start, limit: 9).count == 2)
        try disk.transact { store in for key in all { try store.removeDocument(home, key) } }
        disk = try disk.afterCrash()
        for key in all {
            #expect(try disk.store.document(home, key) == nil && disk.store.snapshot(home, key) == nil)
            #expect(try disk.store.base(home, key) == nil)
            #expect(try disk.store.commits(home, touching: key, after: .start, limit: 9) == [])
        }
        #expect(try disk.store.documentCount(home) == 1)
        #expect(try disk.store.baseBytes(home) == (base("stays").size, 1))
    }

    @Test(
        "candidates of documents that nothing is known of become bases many at a time, others do not",
        arguments: Kind.allCases)
    func promoted(kind: Kind) throws {
        var disk = try Disk(kind)
        let frontier = [Dot(a, SequenceNumber(4)), Dot(replica(2), SequenceNumber(9))]
        func candidate(_ number: Int, bytes: [UInt8]? = [7, 7]) -> CandidateRecord {
            CandidateRecord(
                key: Key("k\(100 + number)"), isVisible: bytes != nil && number % 3 > 0,
                frontier: Array(frontier.prefix(number % 3)), bytes: bytes)
        }
        try disk.transact { store in
            try store.put(record(home))
            try store.put(record(space(2), "second"))
            try store.put(space(2), candidate(0))
            for number in 0..<20 {
                try store.put(home, candidate(number, bytes: number == 8 ? nil : [7, 7]))
            }
        }
        let position = CommitPosition(5)
        let sizes = (0..<6).reduce(0) { $0 + 4 + 2 + ($1 % 3) * 24 }
        func promote(_ limit: Int) throws -> PromotedCandidates? {
            var promoted: PromotedCandidates?
            try disk.transact { promoted = try $0.promoteCandidates(home, limit: limit, at: position) }
            return promoted
        }
        let first = PromotedCandidates(documents: 6, visible: 4, bytes: sizes, lastKey: "k105")
        // What is rolled back is a candidate again.
        try disk.store.begin()
        #expect(try disk.store.promoteCandidates(home, limit: 6, at: position) == first)
        disk.store.rollback()
        #expect(try disk.store.candidates(home, after: nil, limit: 99).count == 20)
        #expect(try disk.store.baseBytes(home) == (0, 0) && disk.store.documentCount(home) == 0)
        #expect(try promote(6) == first)
        disk = try disk.afterCrash()
        #expect(
            try disk.store.bases(home, after: nil, limit: 99)
                == (0..<6).map { number in
                    let from = candidate(number)
                    return BaseRecord(
                        key: from.key, isVisible: from.isVisible, frontier: from.frontier,
                        position: position, bytes: [7, 7])
                })
        #expect(try disk.store.baseBytes(home) == (sizes, 6) && disk.store.documentCount(home) == 4)
        #expect(try disk.store.candidates(home, after: nil, limit: 99).map(\.key).first == "k106")
        #expect(try disk.store.candidates(space(2), after: nil, limit: 9).count == 1)
        // Up to the first that is in the base no more, which goes by itself.
        #expect(try promote(9)?.documents == 2)
        #expect(try promote(9) == nil)
        #expect(try disk.store.candidates(home, after: nil, limit: 99).count == 12)
        try disk.transact { _ = try $0.removeCandidates(home, limit: 1) }
        // One that has something of its own.
        for key in ["k110", "k111", "k112"] as [Key] {
            try disk.transact { store in
                switch key {
                case "k110": try store.put(home, base(key))
                case "k111": try store.put(home, document(key, visible: false))
                default: try store.put(home, key, SnapshotRecord(position: position, bytes: [1]))
                }
            }
            #expect(try promote(4) == nil, "\(key)")
            #expect(try disk.store.candidate(home, key) != nil)
            try disk.transact { store in
                while try store.candidates(home, after: nil, limit: 1)[0].key <= key {
                    _ = try store.removeCandidates(home, limit: 1)
                }
            }
        }
        #expect(try promote(99)?.documents == 7)
        #expect(try disk.store.candidates(home, after: nil, limit: 1).isEmpty)
        #expect(try promote(9) == nil)
    }

    @Test("candidates are put, replaced, listed, and removed from the first on", arguments: Kind.allCases)
    func candidates(kind: Kind) throws {
        var disk = try Disk(kind)
        let records = (0..<10).map { number in
            CandidateRecord(
                key: Key("k\(number)"), isVisible: number.isMultiple(of: 2),
                frontier: number < 5 ? [] : [Dot(a, SequenceNumber(UInt64(number)))],
                // An empty snapshot is one.
                bytes: number == 3 ? nil : [UInt8](repeating: 1, count: number * 300))
        }
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, CandidateRecord(key: "k4", isVisible: false, frontier: [], bytes: nil))
            for record in records.reversed() { try store.put(home, record) }
        }
        #expect(try disk.store.candidates(home, after: nil, limit: 99) == records)
        #expect(try disk.store.candidates(home, after: "k3", limit: 2) == Array(records[4...5]))
        #expect(try disk.store.candidate(home, "k3") == records[3])
        #expect(try disk.store.candidate(home, "k") == nil)
        #expect(try disk.store.documentCount(home) == 0, "what does not stand shows nothing")
        #expect(try disk.store.base(home, "k1") == nil)
        try disk.store.begin()
        #expect(try !disk.store.removeCandidates(home, limit: 10))
        disk.store.rollback()
        func remove(_ limit: Int) throws -> Bool {
            var isMore = false
            try disk.transact { isMore = try $0.removeCandidates(home, limit: limit) }
            return isMore
        }
        #expect(try remove(4))
        #expect(try disk.afterCrash().store.candidates(home, after: nil, limit: 99) == Array(records[4...]))
        #expect(try remove(5) && !remove(1) && !remove(1))
        #expect(try disk.store.candidates(home, after: nil, limit: 99) == [])
    }

    @Test("two manifests are kept, and the candidate's becomes the standing one", arguments: Kind.allCases)
    func pages(kind: Kind) throws {
        var disk = try Disk(kind)
        func pages(_ set: PageSet, _ after: Key? = nil, _ limit: Int = 99) throws -> [PageRecord] {
            try disk.store.pages(home, of: set, after: after, limit: limit)
        }
        let (first, second) = ([page("a", 1), page("m", 2), page("z", 3)], [page("b", 4), page("m", 5)])
        try disk.transact { store in
            try store.put(record(home))
            try store.putPages(home, of: .candidate, [page("m", 9), page("z", 3)])
            try store.putPages(home, of: .candidate, Array(first[..<2]))
        }
        #expect(try pages(.candidate) == first && pages(.standing) == [])
        #expect(try pages(.candidate, "a", 1) == [first[1]])
        try disk.transact { try $0.promotePages(home) }
        #expect(try pages(.candidate) == [] && pages(.standing) == first)
        try disk.transact { try $0.putPages(home, of: .candidate, second) }
        #expect(try pages(.candidate) == second && pages(.standing) == first)
        try disk.store.begin()
        try disk.store.promotePages(home)
        disk.store.rollback()
        #expect(try pages(.candidate) == second && pages(.standing) == first)
        disk = try disk.afterCrash()
        try disk.transact { try $0.removePages(home, of: .candidate) }
        #expect(try pages(.candidate) == [] && pages(.standing) == first)
        try disk.transact { store in
            try store.putPages(home, of: .candidate, second)
            try store.promotePages(home)
            try store.putPages(home, of: .standing, [page("z", 8)])
        }
        #expect(try pages(.candidate) == [] && pages(.standing) == second + [page("z", 8)])
        try disk.transact { try $0.removePages(home, of: .standing) }
        #expect(try pages(.standing) == [])
    }

    @Test("a space that is removed takes its bases along", arguments: Kind.allCases)
    func removal(kind: Kind) throws {
        var disk = try Disk(kind)
        func fill(_ store: inout any ChangeStore, _ id: SpaceID) throws {
            try store.put(record(id, "\(id)"))
            try store.put(id, base("a"))
            try store.put(id, base("b", bytes: [UInt8](repeating: 3, count: 5_000)))
            try store.put(id, CandidateRecord(key: "a", isVisible: true, frontier: [], bytes: [1]))
            for set in PageSet.allCases { try store.putPages(id, of: set, [page("b", 1)]) }
            try store.startLog(
                id, a, at: BoundaryRecord(last: SequenceNumber(5), state: [1]), seal: seal(a, 5))
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
        #expect(try store.bases(home, after: nil, limit: 9) == [] && store.baseBytes(home) == (0, 0))
        #expect(try store.candidates(home, after: nil, limit: 9) == [] && store.cuts(home).isEmpty)
        for set in PageSet.allCases { #expect(try store.pages(home, of: set, after: nil, limit: 9) == []) }
        #expect(try store.documentCount(home) == 0 && store.heads(home).isEmpty)
        #expect(try store.snapshot(space(2), "b")?.bytes.count == 5_000)
        #expect(try store.documentCount(space(2)) == 2 && store.heads(space(2))[a].value == 5)
    }

    @Test(
        "documents that were touched after a position are found by slices of all, and by their changes",
        arguments: Kind.allCases)
    func touched(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for number in 0..<20 {
                try store.put(home, document(Key("k\(number + 10)"), at: UInt64(number)))
            }
            try store.put(home, document("k15", visible: false, at: 30))
            try store.put(home, base("k13x", at: 99))
            let first = run(a, from: 1, at: 1, [1, 2, 1])
            try store.add(home, first, touching: [["note/1", "note/2"], [], ["note/2", "other"]])
            let void = run(replica(2), from: 1, at: 4, [1, 1], status: .void)
            try store.append(home, void.run, changes: void.records, touched: [[], []])
        }
        var (found, after, looks): ([Key], Key?, Int) = ([], nil, 0)
        while true {
            let slice = try disk.store.touchedKeys(
                home, after: after, since: CommitPosition(16), limit: 3)
            found += slice.keys
            looks += 1
            guard let next = slice.next else { break }
            after = next
        }
        #expect(found == ["k15", "k27", "k28", "k29"] && looks == 7)
        let whole = try disk.store.touchedKeys(home, after: "k15", since: .start, limit: 99)
        #expect(whole.keys.first == "k16" && whole.keys.count == 14 && whole.next == nil)

        func touched(_ after: UInt64, _ limit: Int = 99) throws -> [[Key]] {
            let found = try disk.store.touched(home, after: CommitPosition(after), limit: limit)
            #expect(found.map(\.position.value) == (0..<UInt64(found.count)).map { $0 + after + 1 })
            return found.map(\.keys)
        }
        let all: [[Key]] = [["note/1", "note/2"], [], ["note/2", "other"], [], []]
        for after in 0...5 {
            for limit in 0...5 {
                #expect(try touched(UInt64(after), limit) == Array(all.dropFirst(after).prefix(limit)))
            }
        }
        // A void change that is executed after all touches documents from then on, also in this list.
        let marked = try disk.store.commits(home, after: CommitPosition(4), limit: 1)
        try disk.store.begin()
        try disk.store.mark(home, marked, touched: [["x", "y"]], as: .executed)
        disk.store.rollback()
        #expect(try touched(4) == [[]])
        try disk.transact { try $0.mark(home, marked, touched: [["x", "y"]], as: .executed) }
        #expect(try touched(3) == [[], ["x", "y"]])
        let again = try disk.store.commits(home, after: CommitPosition(4), limit: 1)
        try disk.transact { try $0.mark(home, again, touched: [["x", "y"]], as: .void) }
        disk = try disk.afterCrash()
        #expect(try touched(3) == [[], ["x", "y"]])
    }
}

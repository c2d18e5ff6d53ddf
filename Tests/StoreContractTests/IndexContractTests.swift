// The part of the contract about declared indexes, over each store.

import Bytes
import Causality
import Node
import Testing

private let home = space(1)
private let (first, second) = (IndexNumber(1), IndexNumber(7))

private func place(_ value: [UInt8], _ key: Key = "") -> IndexPlace {
    IndexPlace(value: value, key: Array(key.utf8))
}

private func entry(_ value: [UInt8], _ key: Key) -> IndexEntry { IndexEntry(value: value, key: key) }

private func index(
    _ number: IndexNumber, _ name: String, _ stage: IndexRecord.Stage = .building(after: nil),
    documents: Int = 0, cut: Int = 0
) -> IndexRecord {
    IndexRecord(
        number: number, name: name, definition: [1, 2], stage: stage, documents: documents, cutValues: cut)
}

@Suite struct IndexContractTests {
    @Test("indexes are kept by number, replaced and removed, with every stage", arguments: Kind.allCases)
    func records(kind: Kind) throws {
        var disk = try Disk(kind)
        #expect(try disk.store.indexes(home) == [])
        let ready = index(first, "done", .ready, documents: 1 << 40, cut: 3)
        try disk.transact { store in
            try store.put(record(home))
            try store.put(record(space(2), "second"))
            try store.put(home, index(second, "title", .building(after: "note/\u{e9}")))
            try store.put(home, index(first, "done"))
            try store.put(home, ready)
            try store.put(space(2), index(first, "other", .dropping))
        }
        let wanted = [ready, index(second, "title", .building(after: "note/\u{e9}"))]
        #expect(try disk.store.indexes(home) == wanted)
        #expect(try disk.store.indexes(space(2)) == [index(first, "other", .dropping)])
        try disk.transact { store in
            try store.put(home, index(second, "title", .building(after: nil)))
            try store.removeIndex(home, first)
        }
        #expect(try disk.store.indexes(home) == [index(second, "title")])
        #expect(try disk.afterCrash().store.indexes(home) == [index(second, "title")])
    }

    @Test("entries come by bytes of value and key, both ways, between two places", arguments: Kind.allCases)
    func entries(kind: Kind) throws {
        var disk = try Disk(kind)
        let sorted = [
            entry([], "z"), entry([0], "a"), entry([1], "a"), entry([1], "a\u{0}"), entry([1], "b"),
            entry([1, 0], "a"), entry([1, 0xFF], "a2"), entry([2], "\u{e9}"), entry([0xFF], "c"),
        ]
        try disk.transact { store in
            try store.put(record(home))
            try store.put(record(space(2), "second"))
            for (number, entry) in sorted.reversed().enumerated() {
                let key = Key("\(number)/\(entry.key)")
                try store.index(home, key, in: second, from: nil, to: entry.value)
                try store.index(space(2), entry.key, in: first, from: nil, to: [9])
                try store.index(space(2), entry.key, in: first, from: [9], to: nil)
                // A document has one value in an index: other indexes and spaces are not in the way.
                try store.index(home, key, in: IndexNumber(8), from: nil, to: [7])
            }
        }
        let keyed = sorted.enumerated().map {
            entry($1.value, Key("\(sorted.count - 1 - $0)/\($1.key)"))
        }.sorted { place($0.value, $0.key) < place($1.value, $1.key) }
        let all = place([])..<place([0xFF, 0xFF])
        func read(_ range: Range<IndexPlace>, _ descending: Bool = false, _ limit: Int = 99) throws
            -> [IndexEntry]
        {
            try disk.store.entries(home, of: second, in: range, descending: descending, limit: limit)
        }
        #expect(try read(all) == keyed)
        #expect(try read(all, true) == keyed.reversed())
        for low in keyed {
            for high in keyed where place(low.value, low.key) <= place(high.value, high.key) {
                let range = place(low.value, low.key)..<place(high.value, high.key)
                let wanted = keyed.filter { range.contains(place($0.value, $0.key)) }
                #expect(try read(range) == wanted)
                #expect(try read(range, true, 2) == Array(wanted.reversed().prefix(2)))
                #expect(try read(range, false, 2) == Array(wanted.prefix(2)))
            }
        }
        #expect(try disk.store.entries(home, of: first, in: all, descending: false, limit: 9) == [])
        #expect(try disk.store.entries(space(2), of: first, in: all, descending: false, limit: 9) == [])
    }

    @Test("a document has one entry in an index, which moves with its value", arguments: Kind.allCases)
    func moves(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try store.index(home, "a", in: first, from: nil, to: [])
            try store.index(home, "a", in: second, from: nil, to: [5])
            try store.index(home, "b", in: first, from: nil, to: [3])
        }
        #expect(try disk.store.indexed(home, "a") == [first: [], second: [5]])
        try disk.transact { store in
            try store.index(home, "a", in: first, from: [], to: [4])
            try store.index(home, "a", in: second, from: [5], to: nil)
        }
        let all = place([])..<place([0xFF])
        func entries() throws -> [IndexEntry] {
            try disk.store.entries(home, of: first, in: all, descending: false, limit: 9)
        }
        #expect(try disk.store.indexed(home, "a") == [first: [4]])
        #expect(try entries() == [entry([3], "b"), entry([4], "a")])
        #expect(try disk.store.entries(home, of: second, in: all, descending: false, limit: 9) == [])
        // A batch that is lost, and a crash, leave entries and documents as they were.
        try disk.store.begin()
        try disk.store.index(home, "a", in: first, from: [4], to: [1])
        try disk.store.index(home, "b", in: first, from: [3], to: nil)
        #expect(try entries() == [entry([1], "a")])
        let after = try disk.afterCrash().store
        #expect(try after.indexed(home, "a") == [first: [4]])
        disk.store.rollback()
        #expect(try entries() == [entry([3], "b"), entry([4], "a")])
        #expect(try disk.store.indexed(home, "b") == [first: [3]])
    }

    @Test("a space takes its indexes and entries along", arguments: Kind.allCases)
    func removal(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            for id in [home, space(2)] {
                try store.put(record(id, "\(id)"))
                try store.put(id, index(first, "done"))
                try store.index(id, "a", in: first, from: nil, to: [1])
            }
        }
        try disk.transact { store in
            try store.remove(home)
            try store.put(record(home, "again"))
        }
        let all = place([])..<place([0xFF])
        #expect(try disk.store.indexes(home) == [] && disk.store.indexed(home, "a") == [:])
        #expect(try disk.store.entries(home, of: first, in: all, descending: false, limit: 9) == [])
        #expect(try disk.store.indexed(space(2), "a") == [first: [1]])
        #expect(try disk.store.indexes(space(2)).count == 1)
    }
}

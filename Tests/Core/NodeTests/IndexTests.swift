// Declared indexes: after every commit, whatever happened before it, an index has exactly the entries that
// its documents give, or, while it is being built, those of the documents that were read.

import Bytes
import Causality
import Documents
import JSON
import Simulator
import Testing

@testable import Node

private let space = SpaceReference("notes")

extension TestNode {
    /// One step of what is due.
    mutating func tick() {
        now = Instant(monotonic: now.monotonic + 1, wall: now.wall + 1)
        node.handle(.tick, at: now)
        commit()
    }

    /// Until nothing is left to build or drop; how many steps that took.
    @discardableResult
    mutating func buildIndexes() -> Int {
        var steps = 0
        while let due = node.indexPace.deadline {
            now = Instant(monotonic: max(now.monotonic, due), wall: now.wall)
            tick()
            steps += 1
        }
        return steps
    }

    mutating func declare(_ name: String, _ path: [PathElement], prefix: Key = "") throws -> (
        IndexReport, Bool
    ) {
        let definition = try #require(IndexDefinition(path: path, prefix: prefix))
        guard case .index(let report, let isNew) = try ask(.declareIndex(space, name: name, definition))
        else {
            throw Unexpected()
        }
        return (report, isNew)
    }

    mutating func indexes() throws -> [IndexReport] {
        guard case .indexes(let reports) = try ask(.indexes(space)) else { throw Unexpected() }
        return reports
    }

    /// Checks every index of every space against what its documents show.
    func checkIndexes(_ comment: Comment? = nil) throws {
        let store = node.store
        for record in try store.spaces() {
            let id = record.id
            var documents: [Key: Document] = [:]
            var reader = LogReader(space: id)
            for listed in try store.documents(id, prefix: "", after: nil, limit: .max) {
                documents[listed.key] = try SpaceDocuments.load(
                    listed.key, of: id, from: store, with: &reader
                )
                .document
            }
            var found: [Key: [IndexNumber: [UInt8]]] = [:]
            for index in try store.indexes(id) where index.stage != .dropping {
                let definition = try IndexDefinition(decoding: index.definition)
                let all = IndexPlace(value: [], key: [])..<IndexPlace(value: IndexValue.end, key: [])
                let entries = try store.entries(
                    id, of: index.number, in: all, descending: false, limit: .max)
                let covered = documents.values.filter { document in
                    guard document.key.hasPrefix(definition.prefix) else { return false }
                    guard case .building(let after) = index.stage else { return true }
                    return after.map { document.key <= $0 } ?? false
                }
                let wanted = covered.map { document in
                    IndexEntry(
                        value: OrderedValue(document.value(at: definition.path)).encoded().bytes,
                        key: document.key)
                }
                #expect(Set(entries) == Set(wanted) && entries.count == wanted.count, comment)
                #expect(index.documents == entries.count, comment)
                #expect(index.cutValues == entries.count { IndexValue.isCut($0.value) }, comment)
                for entry in entries { found[entry.key, default: [:]][index.number] = entry.value }
            }
            for key in documents.keys {
                let dropping = Set(try store.indexes(id).filter { $0.stage == .dropping }.map(\.number))
                let kept = try store.indexed(id, key).filter { !dropping.contains($0.key) }
                #expect(kept == found[key] ?? [:], comment)
            }
        }
    }
}

@Suite struct IndexTests {
    private func node(documents: Int = 0) throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        for start in stride(from: 0, to: documents, by: 100) {
            let operations = (start..<min(documents, start + 100)).map {
                set(Key("note/\($0)"), [.key("n")], number(Int64($0 % 7)))
            }
            _ = try node.transact("notes", operations)
        }
        return node
    }

    @Test("an index is built step by step while the node serves, and goes on after a restart")
    func building() throws {
        var node = try node(documents: 1_000)
        let (report, isNew) = try node.declare("n", [.key("n")], prefix: "note/")
        #expect(isNew && !report.isReady && report.documents == 0)
        node.tick()
        let some = try #require(try node.indexes().first)
        #expect(!some.isReady && some.documents == NodeLimits.indexStepDocumentsMax)
        // Before and behind where it is, and elsewhere.
        for key in ["note/0", "note/999", "note/5555", "note/00", "other"] as [Key] {
            _ = try node.transact("notes", [set(key, [.key("n")], text("new"))])
            try node.checkIndexes()
        }
        _ = try node.transact("notes", [OperationRequest(document: "note/1", path: [], verb: .delete)])
        _ = try node.transact("notes", [OperationRequest(document: "note/998", path: [], verb: .delete)])
        try node.checkIndexes()
        var again = try node.restarted()
        let kept = try #require(try again.indexes().first)
        #expect(!kept.isReady && kept.documents >= some.documents - 1)
        #expect(again.buildIndexes() >= 3)
        #expect(
            try again.indexes() == [
                IndexReport(name: "n", definition: report.definition, isReady: true, documents: 1_000)
            ])
        try again.checkIndexes()
        #expect(again.node.indexPace.deadline == nil)
    }

    @Test("the same again is no other index, another definition is refused, and so is a name that is none")
    func declaring() throws {
        var node = try node(documents: 1)
        _ = try node.declare("n", [.key("n")])
        #expect(try node.declare("n", [.key("n")]).1 == false)
        let other = try #require(IndexDefinition(path: [.key("m")], prefix: ""))
        func refusal(_ name: String) throws -> IndexRefusal? {
            guard case .index(let refusal) = try node.refusal(.declareIndex(space, name: name, other)) else {
                return nil
            }
            return refusal
        }
        #expect(try refusal("n") == .exists("n"))
        for name in ["", "a b", "a/b", "\u{e9}", String(repeating: "a", count: 65)] {
            #expect(try refusal(name) == .invalidName(name))
        }
        #expect(IndexDefinition(path: [], prefix: "") == nil)
        #expect(IndexDefinition(path: [.element(Dot(ReplicaID(raw: .zero), .init(1)))], prefix: "") == nil)
        #expect(IndexDefinition(path: [.index(-1)], prefix: "") == nil)
        for number in 1..<NodeLimits.indexesMax { _ = try node.declare("n\(number)", [.key("m")]) }
        guard case .tooMany(_, let limit) = try node.refusal(.declareIndex(space, name: "x", other)) else {
            throw Unexpected()
        }
        #expect(limit == NodeLimits.indexesMax)
        node.buildIndexes()
        try node.checkIndexes()
        #expect(try node.indexes().count == limit)
    }

    @Test("a dropped index is gone at once, its entries step by step, and its name is free")
    func dropping() throws {
        var node = try node(documents: NodeLimits.indexStepEntriesMax + 10)
        _ = try node.declare("n", [.key("n")])
        node.buildIndexes()
        guard case .done = try node.ask(.dropIndex(space, name: "n")) else { throw Unexpected() }
        #expect(try node.indexes().isEmpty)
        guard case .index(.absent("n")) = try node.refusal(.dropIndex(space, name: "n")) else {
            throw Unexpected()
        }
        guard case .index(.absent("n")) = try node.refusal(.index(space, name: "n")) else {
            throw Unexpected()
        }
        _ = try node.declare("n", [.key("m")])
        _ = try node.transact("notes", [set("note/3", [.key("n")], number(77))])
        try node.checkIndexes()
        node = try node.restarted()
        node.buildIndexes()
        try node.checkIndexes()
        let id = try #require(try node.node.store.spaces().first?.id)
        #expect(try node.node.store.indexes(id).map(\.number) == [IndexNumber(2)])
        #expect(try node.node.store.indexed(id, "note/3").count == 1)
    }

    @Test("a lost batch takes its step along; building goes on a minute later")
    func lostBatch() throws {
        var node = try node(documents: 600)
        _ = try node.declare("n", [.key("n")])
        node.tick()
        let before = try node.indexes()
        node.node.store.fault = MemoryStore.Fault(failure: .noSpace)
        node.tick()
        try node.checkIndexes()
        #expect(try node.indexes() == before)
        let due = try #require(node.node.indexPace.deadline)
        #expect(due > node.now.monotonic + NodeLimits.indexPauseMilliseconds / 2)
        node.tick()
        #expect(try node.indexes() == before)
        node.buildIndexes()
        #expect(try node.indexes().first?.isReady == true)
        try node.checkIndexes()
    }

    @Test("nothing is built below the floor of free disk")
    func fullDisk() throws {
        var node = try node(documents: 10)
        node.node.handle(.diskFree(bytes: 1), at: node.now)
        _ = try node.declare("n", [.key("n")])
        node.tick()
        #expect(try node.indexes().first?.documents == 0)
        node.node.handle(.diskFree(bytes: .max), at: node.now)
        node.buildIndexes()
        #expect(try node.indexes().first?.documents == 10)
    }

    @Test("a document that cannot be read stands behind all others in an index, and raises its alarm")
    func unreadable() throws {
        var node = try node()
        let change = try #require(
            try node.transact("notes", [set("bad", [.key("n")], number(1))]).change)
        // Over a boundary: only these two need the section that is damaged.
        for number in 0..<12 {
            let filling = text(String(repeating: "\(number)", count: 8_000))
            _ = try node.transact("notes", [set("a page", [.key("text")], filling)])
        }
        _ = try node.transact("notes", [set("good", [.key("n")], number(2))])
        var store = node.node.store.afterCrash()
        let id = try #require(try store.spaces().first?.id)
        store.bend(id, change)
        var again = try TestNode(store: store)
        _ = try again.declare("n", [.key("n")])
        again.buildIndexes()
        #expect(try again.indexes().first?.isReady == true)
        let all = IndexPlace(value: [], key: [])..<IndexPlace(value: IndexValue.end, key: [])
        let entries = try again.node.store.entries(
            id, of: IndexNumber(1), in: all, descending: false, limit: 9)
        #expect(
            entries.map(\.key) == ["good", "a page", "bad"]
                && entries.last?.value == IndexValue.unreadable.bytes)
        guard case .status(let status) = try again.ask(.status) else { throw Unexpected() }
        #expect(status.alarms.map(\.code) == ["document-damaged"])
    }

    @Test(
        "indexes have what documents show, whatever is written, dropped, lost and restarted", arguments: 1...8
    )
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var node = try node(documents: 300)
        let paths: [[PathElement]] = [[.key("n")], [.key("list"), .index(0)], [.key("map"), .key("n")]]
        let prefixes: [Key] = ["", "note/", "note/1", "none"]
        for round in 0..<120 {
            let key = Key("note/\(Int.random(in: 0..<320, using: &generator))")
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let path = paths.randomElement(using: &generator) ?? []
                let prefix = prefixes.randomElement(using: &generator) ?? ""
                let name = "i\(Int.random(in: 0..<4, using: &generator))"
                let definition = try #require(IndexDefinition(path: path, prefix: prefix))
                _ = try node.ask(.declareIndex(space, name: name, definition))
            case 1:
                _ = try node.ask(.dropIndex(space, name: "i\(Int.random(in: 0..<4, using: &generator))"))
            case 2: node = try node.restarted()
            case 3:
                node.node.store.fault = MemoryStore.Fault(failure: .noSpace)
                _ = try node.ask(.transact(space, random(&generator, key)))
                node.node.store.fault = nil
            case 4, 5: node.tick()
            case 6: node.buildIndexes()
            case 7:
                _ = try node.ask(
                    .transact(
                        space,
                        Transaction(
                            operations: [OperationRequest(document: key, path: [], verb: .delete)],
                            conditions: [], idempotency: nil)))
            default: _ = try node.ask(.transact(space, random(&generator, key)))
            }
            if round % 5 == 0 { try node.checkIndexes("seed \(seed), round \(round)") }
        }
        node.buildIndexes()
        try node.checkIndexes("seed \(seed), at the end")
    }

    private func random(_ generator: inout SeededGenerator, _ key: Key) -> Transaction {
        let long = String(repeating: "long", count: Int.random(in: 60..<70, using: &generator))
        let values: [PlainValue] = [
            .scalar(.null), .scalar(.bool(true)), number(Int64.random(in: -3..<3, using: &generator)),
            text("text"), text(long), .array([number(1), text("x")]), .emptyObject,
        ]
        var operations: [OperationRequest] = []
        for name in ["n", "list", "map"] as [Key] where Bool.random(using: &generator) {
            let value = values.randomElement(using: &generator) ?? .emptyObject
            let written: PlainValue =
                switch name {
                case "list": .array([value])
                case "map": .object([PlainValue.Member("n", value)])
                default: value
                }
            operations.append(set(key, [.key(name)], written))
        }
        if operations.isEmpty {
            operations = [OperationRequest(document: key, path: [.key("n")], verb: .delete)]
        }
        return Transaction(operations: operations, conditions: [], idempotency: nil)
    }
}

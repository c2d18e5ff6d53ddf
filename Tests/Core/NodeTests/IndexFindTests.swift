// Finds by declared indexes: they answer what a scan answers, page by page, whatever indexes there are and
// whatever is written between two pages; and they look at little.

import Bytes
import Causality
import Documents
import JSON
import Simulator
import Testing

@testable import Node

private let space = SpaceReference("notes")

/// What a listing gave, all its pages.
private struct Found: Equatable {
    var keys: [Key] = []
    var index: String?
    /// Of each page.
    var lookedAt: [Int] = []
}

extension TestNode {
    fileprivate mutating func list(_ query: ListingQuery) throws -> any Listing {
        guard case .listing(let listing) = try ask(.list(space, query)) else { throw Unexpected() }
        return listing
    }

    /// What a listing has to give, from the documents themselves.
    fileprivate func scan(_ query: ListingQuery) throws -> [Key] {
        let id = try #require(try node.store.spaces().first?.id)
        var reader = LogReader(space: id)
        var places: [ListingPlace] = []
        for record in try node.store.documents(id, prefix: query.prefix, after: nil, limit: .max) {
            let document = try SpaceDocuments.load(record.key, of: id, from: node.store, with: &reader)
                .document
            guard query.filter?.matches(document) ?? true else { continue }
            places.append(ListingPlace(value: query.order.value(of: document), key: record.key))
        }
        return places.sorted { query.order.isBefore($0, $1) }.map(\.key)
    }
}

/// Reads a listing; `between` runs after each page.
private func read(_ listing: any Listing, limit: Int, between: () throws -> Void = {}) throws -> Found {
    var found = Found()
    var after: Key?
    repeat {
        listing.begin(PageRequest(after: after, limit: limit, values: nil))
        var page: ListingPage?
        while page == nil { page = try listing.step() }
        found.keys += page?.documents.map(\.key) ?? []
        found.index = page?.index
        found.lookedAt.append(page?.lookedAt ?? 0)
        after = page?.next
        try between()
    } while after != nil
    return found
}

@Suite struct IndexFindTests {
    /// 4,000 tasks of 40 owners, each with a number of its own; two indexes.
    private func tasks() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        for start in stride(from: 0, to: 4_000, by: 200) {
            let operations = (start..<start + 200).flatMap { task in
                [
                    set(Key("task/\(task)"), [.key("owner")], text("owner \(task % 40)")),
                    set(Key("task/\(task)"), [.key("n")], number(Int64(task))),
                ]
            }
            _ = try node.transact("notes", operations)
        }
        _ = try node.declare("owners", [.key("owner")], prefix: "task/")
        _ = try node.declare("numbers", [.key("n")])
        node.buildIndexes()
        return node
    }

    @Test("a find of 100 documents among 4,000 looks at 200 at most, by value, by range and in order")
    func lookedAt() throws {
        var node = try tasks()
        func expect(
            _ filter: String?, order: String = "key", prefix: Key = "task/", limit: Int = 1_000,
            by index: String,
            count: Int = 100, _ sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let query = ListingQuery(
                prefix: prefix, filter: try filter.map { try Filter($0) }, order: try DocumentOrder(order))
            let found = try read(try node.list(query), limit: limit)
            #expect(found.index == index, sourceLocation: sourceLocation)
            #expect(found.keys.count == count, sourceLocation: sourceLocation)
            #expect(try found.keys == node.scan(query), sourceLocation: sourceLocation)
            for lookedAt in found.lookedAt { #expect(lookedAt <= 200, sourceLocation: sourceLocation) }
        }
        try expect(#"owner="owner 7""#, by: "owners")
        try expect(#"owner="owner 7""#, limit: 30, by: "owners")
        try expect(#"owner="owner 7""#, order: "-key", limit: 30, by: "owners")
        try expect(#"owner="owner 7" and n>=0"#, by: "owners")
        try expect(#"owner="owner 7""#, order: "n", by: "owners")
        try expect("n>=3900", by: "numbers")
        try expect("n>=3900", order: "n", limit: 30, by: "numbers")
        try expect("n>=3900", order: "-n", prefix: "", limit: 30, by: "numbers")
        try expect("n>99 and n<=199 and owner exists", by: "numbers")
        try expect("n=7", order: "owner", by: "numbers", count: 1)
        try expect("n=7.0", by: "numbers", count: 1)
        try expect("n=true", by: "numbers", count: 0)
        try expect("n<true", by: "numbers", count: 0)
        try expect("n missing", prefix: "", by: "numbers", count: 0)
        try expect(nil, order: "n", limit: 100, by: "numbers", count: 4_000)
        try expect(nil, order: "-n", prefix: "", limit: 100, by: "numbers", count: 4_000)
        // An order needs the whole index, of which few documents have this prefix.
        let narrow = ListingQuery(prefix: "task/399", order: try DocumentOrder("n"))
        let found = try read(try node.list(narrow), limit: 5)
        #expect(try found.index == nil && found.keys == node.scan(narrow) && found.keys.count == 11)
    }

    @Test("an index that is being built, or was dropped, is not used")
    func unused() throws {
        var node = try tasks()
        _ = try node.ask(.dropIndex(space, name: "owners"))
        _ = try node.declare("owners", [.key("owner")])
        node.tick()
        let query = ListingQuery(filter: try Filter(#"owner="owner 7""#))
        let listing = try node.list(query)
        let found = try read(listing, limit: 1_000)
        #expect(try found.index == nil && found.keys == node.scan(query))
        #expect(found.lookedAt == [4_000])
        node.buildIndexes()
        #expect(try read(listing, limit: 1_000) == found, "one committed state, with its indexes")
        #expect(try read(try node.list(query), limit: 1_000).index == "owners")
    }

    @Test("a find meets a document that cannot be read, by an index as without")
    func unreadable() throws {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        let change = try #require(try node.transact("notes", [set("bad", [.key("n")], number(1))]).change)
        for number in 0..<12 {
            let filling = text(String(repeating: "\(number)", count: 8_000))
            _ = try node.transact("notes", [set("page", [.key("text")], filling)])
        }
        _ = try node.transact("notes", [set("good", [.key("n")], number(1))])
        var store = node.node.store.afterCrash()
        store.bend(try #require(try store.spaces().first?.id), change)
        node = try TestNode(store: store)
        _ = try node.declare("n", [.key("n")])
        node.buildIndexes()
        for (filter, order) in [("n=1", "key"), ("n=1", "n"), ("n>0", "-n"), ("n>0", "key")] {
            let query = ListingQuery(filter: try Filter(filter), order: try DocumentOrder(order))
            let listing = try node.list(query)
            #expect { try read(listing, limit: 9) } throws: { error in
                guard case NodeError.documentDamaged("bad", _, _) = error else {
                    guard case NodeError.documentDamaged("page", _, _) = error else { return false }
                    return true
                }
                return true
            }
        }
    }

    @Test(
        "finds answer what a scan answers, page by page, with writes between pages", arguments: 1...6)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) &* 7_919)
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        for document in 0..<60 { try write(&node, &generator, document) }
        var used = 0
        for round in 0..<40 {
            switch Int.random(in: 0..<14, using: &generator) {
            case 0, 1, 2:
                let path = Self.paths.randomElement(using: &generator)?.path ?? []
                let prefix = Self.prefixes.randomElement(using: &generator) ?? ""
                let name = "i\(Int.random(in: 0..<5, using: &generator))"
                let definition = try #require(IndexDefinition(path: path, prefix: prefix))
                _ = try node.ask(.declareIndex(space, name: name, definition))
            case 3: _ = try node.ask(.dropIndex(space, name: "i\(Int.random(in: 0..<5, using: &generator))"))
            case 4: node = try node.restarted()
            case 5: node.tick()
            default: node.buildIndexes()
            }
            for _ in 0..<3 { try write(&node, &generator, Int.random(in: 0..<70, using: &generator)) }
            for _ in 0..<4 {
                let query = try Self.query(&generator)
                let wanted = try node.scan(query)
                let listing = try node.list(query)
                let limit = Int.random(in: 1..<30, using: &generator)
                let found = try read(listing, limit: limit) {
                    try write(&node, &generator, Int.random(in: 0..<70, using: &generator))
                }
                #expect(
                    found.keys == wanted, "seed \(seed), round \(round), by \(found.index ?? "-"): \(query)")
                if found.index != nil { used += 1 }
            }
        }
        #expect(used > 15, "\(used) of 160 by an index")
    }

    private static let paths: [(text: String, path: [PathElement])] = [
        ("n", [.key("n")]), ("list.0", [.key("list"), .index(0)]), ("map.n", [.key("map"), .key("n")]),
    ]
    private static let prefixes: [Key] = ["", "note/", "note/1", "none"]
    private static let long = String(repeating: "long", count: 70)
    /// As JSON; some read alike, some are cut alike in an index.
    private static let literals = [
        "null", "true", "false", "0", "1", "1.0", "-1", "1.5", "-0.5", "9007199254740993", "1e16", "1e300",
        "-1e300", #""""#, #""a""#, #""a\u0000b""#, #""b""#, #""\#(long)""#, #""\#(long)a""#, #""\#(long)b""#,
        #""\#(long.dropLast(30))""#, "[]", "[1]", "{}",
    ]

    private static func query(_ generator: inout SeededGenerator) throws -> ListingQuery {
        var comparisons: [String] = []
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
            let path = paths.randomElement(using: &generator)?.text ?? "n"
            let literal = literals.randomElement(using: &generator) ?? "0"
            let test =
                ["=", "!=", "<", "<=", ">", ">=", " has ", "~", " exists", " missing"]
                .randomElement(using: &generator) ?? "="
            switch test {
            case " exists", " missing": comparisons.append(path + test)
            case "~": comparisons.append(path + #"~"a""#)
            default: comparisons.append(path + test + literal)
            }
        }
        let order = (["key"] + paths.map(\.text)).randomElement(using: &generator) ?? "key"
        let sign = Bool.random(using: &generator) ? "-" : ""
        return ListingQuery(
            prefix: prefixes.randomElement(using: &generator) ?? "",
            filter: comparisons.isEmpty ? nil : try Filter(comparisons.joined(separator: " and ")),
            order: try DocumentOrder(sign + order))
    }

    private func write(_ node: inout TestNode, _ generator: inout SeededGenerator, _ document: Int) throws {
        let key = Key(document % 9 == 0 ? "other/\(document)" : "note/\(document)")
        let literal = Self.literals.randomElement(using: &generator) ?? "0"
        let value = try JSONReader.read(Array(literal.utf8))
        let operation: OperationRequest =
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: OperationRequest(document: key, path: [], verb: .delete)
            case 1: set(key, [.key("list")], .array([value]))
            case 2: set(key, [.key("map")], .object([PlainValue.Member("n", value)]))
            case 3: OperationRequest(document: key, path: [.key("n")], verb: .delete)
            default: set(key, [.key("n")], value)
            }
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        guard case .transaction = try node.ask(.transact(space, transaction)) else { throw Unexpected() }
    }
}

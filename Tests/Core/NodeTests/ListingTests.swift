// Listings over a node: filters, orders and pages against a second opinion that sorts all of it, and one
// state over all pages.

import Bytes
import Causality
import Documents
import Simulator
import Testing

@testable import Node

@Suite struct ListingTests {
    private func nodeWithSpace() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        return node
    }

    private func open(_ query: ListingQuery, in node: inout TestNode) throws -> any Listing {
        guard case .listing(let listing) = try node.ask(.list(.init("notes"), query)) else {
            throw Unexpected()
        }
        return listing
    }

    private func page(_ listing: any Listing, after: Key? = nil, limit: Int, values: DocumentView? = nil)
        throws -> ListingPage
    {
        listing.begin(PageRequest(after: after, limit: limit, values: values))
        while true {
            if let page = try listing.step() { return page }
        }
    }

    /// Keys of all pages.
    private func keys(_ listing: any Listing, limit: Int) throws -> [Key] {
        var (keys, after): ([Key], Key?) = ([], nil)
        repeat {
            let page = try page(listing, after: after, limit: limit)
            keys += page.documents.map(\.key)
            #expect(page.documents.count == limit || page.next == nil)
            after = page.next
        } while after != nil
        return keys
    }

    /// Documents of which some have a value at "a", of all types, with many ties.
    private func fill(_ node: inout TestNode, _ random: inout SeededGenerator, count: Int) throws {
        let values: [PlainValue] = [
            .scalar(.null), .scalar(.bool(false)), .scalar(.bool(true)), number(1), number(2), number(-7),
            .scalar(.double(1.5)), text("x"), text("y"), text(""), .array([number(1)]), .emptyObject,
        ]
        for index in 0..<count {
            let key = Key("\(index % 3 == 0 ? "p/" : "q/")\(random.next() % 1_000)")
            let path: [PathElement] = Bool.random(using: &random) ? [.key("a")] : [.key("b")]
            _ = try node.transact("notes", [set(key, path, values.randomElement(using: &random)!)])
        }
        _ = try node.transact(
            "notes", [OperationRequest(document: "q/gone", path: [], verb: .set(.emptyObject))])
        _ = try node.transact("notes", [OperationRequest(document: "q/gone", path: [], verb: .delete)])
    }

    @Test("every listing is what sorting all documents gives, on pages of all sizes", arguments: 1...8)
    func secondOpinion(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var node = try nodeWithSpace()
        try fill(&node, &random, count: 60)
        let all = try keys(open(ListingQuery(), in: &node), limit: 1_000)
        var documents: [Key: PlainValue] = [:]
        for key in all { documents[key] = try node.plain("notes", key) }
        #expect(all == documents.keys.sorted() && !all.isEmpty)
        let byPath = DocumentOrder(.path([.key("a")]))
        for order in [.byKey, DocumentOrder.byKey.reversed, byPath, byPath.reversed] {
            for filter in [nil, "a exists", "a=1 and b missing", "b missing", "zz=1"] as [String?] {
                for prefix in ["", "p/", "q/", "none"] as [Key] {
                    let query = ListingQuery(
                        prefix: prefix, filter: try filter.map { try Filter($0) }, order: order)
                    var expected = all.filter { key in
                        key.hasPrefix(prefix)
                            && (query.filter?.comparisons.allSatisfy {
                                $0.test.holds(
                                    of: $0.path == [.key("a")]
                                        ? documents[key]?["a"]
                                        : documents[key]?[$0.path == [.key("b")] ? "b" : "zz"])
                            } ?? true)
                    }
                    func place(_ key: Key) -> (OrderedValue, Key) {
                        (order.subject == .key ? .null : OrderedValue(documents[key]?["a"]), key)
                    }
                    expected.sort { place($0) < place($1) }
                    if order.isDescending { expected.reverse() }
                    for limit in [1, 2, 7, 1_000] {
                        #expect(try keys(open(query, in: &node), limit: limit) == expected, "\(query)")
                    }
                    guard let middle = expected.randomElement(using: &random) else { continue }
                    let behind = ListingQuery(
                        prefix: prefix, after: middle, filter: query.filter, order: order)
                    let rest = expected.split(separator: middle, omittingEmptySubsequences: false)[1]
                    #expect(try keys(open(behind, in: &node), limit: 5) == Array(rest), "\(behind)")
                }
            }
        }
    }

    @Test("all pages show the state of the first, values and versions too")
    func oneState() throws {
        var node = try nodeWithSpace()
        for index in 0..<9 { _ = try node.transact("notes", [set(Key("d\(index)"), [.key("n")], number(1))]) }
        let order = DocumentOrder(.path([.key("n")]))
        for query in [ListingQuery(), ListingQuery(filter: try Filter("n=1")), ListingQuery(order: order)] {
            let listing = try open(query, in: &node)
            let first = try page(listing, limit: 4, values: .plain)
            let before = try page(open(query, in: &node), limit: 9, values: .plain)
            _ = try node.transact(
                "notes", [set("d2", [.key("n")], number(2)), set("d7", [.key("n")], number(9))])
            _ = try node.transact("notes", [OperationRequest(document: "d8", path: [], verb: .delete)])
            _ = try node.transact("notes", [set("d55", [.key("n")], number(1))])
            let second = try page(listing, after: first.next, limit: 4, values: .plain)
            let third = try page(listing, after: second.next, limit: 4, values: .plain)
            #expect(third.next == nil)
            let documents = first.documents + second.documents + third.documents
            #expect(documents.map(\.key) == before.documents.map(\.key))
            #expect(documents.map(\.version) == before.documents.map(\.version))
            for (one, other) in zip(documents, before.documents) {
                guard case .plain(let one)? = one.value, case .plain(let other)? = other.value else {
                    throw Unexpected()
                }
                #expect(one == other)
            }
            // A page again, although the listing has gone on.
            #expect(
                try page(listing, after: first.next, limit: 4).documents.map(\.key)
                    == second.documents.map(\.key))
            for index in [2, 7, 8] {
                _ = try node.transact("notes", [set(Key("d\(index)"), [], .object([.init("n", number(1))]))])
            }
            _ = try node.transact("notes", [OperationRequest(document: "d55", path: [], verb: .delete)])
        }
    }

    @Test("what was looked at is counted, and no more than the page needs")
    func lookedAt() throws {
        var node = try nodeWithSpace()
        for index in 0..<300 {
            let key = Key("d\(String(index + 1_000))")
            _ = try node.transact("notes", [set(key, [.key("n")], number(Int64(index % 3)))])
        }
        let first = try page(open(ListingQuery(), in: &node), limit: 10)
        #expect(first.lookedAt == 11 && first.index == nil && first.documents[0].value == nil)
        let some = try page(open(ListingQuery(filter: try Filter("n=0")), in: &node), limit: 10)
        #expect(some.documents.count == 10 && some.lookedAt >= 31 && some.lookedAt < 60)
        let none = try page(open(ListingQuery(filter: try Filter("n=5")), in: &node), limit: 10)
        #expect(none.documents.isEmpty && none.next == nil && none.lookedAt == 300)
        let listing = try open(ListingQuery(order: DocumentOrder(.path([.key("n")]))), in: &node)
        let sorted = try page(listing, limit: 10)
        #expect(sorted.lookedAt == 300)
        #expect(try page(listing, after: sorted.next, limit: 10).lookedAt == 10, "sorted once for all pages")
    }

    @Test("what a sort keeps is bounded; what was dropped is looked for again")
    func bounded() {
        let order = DocumentOrder(.path([.key("a")]))
        var random = SeededGenerator(seed: 5)
        let all = (0..<500).map { index in
            ListingPlace(value: .number(.integer(Int64(random.next() % 50))), key: Key("k\(index)"))
        }
        let sorted = all.sorted { order.isBefore($0, $1) }
        var held = HeldPlaces(order: order, bytesMax: 2_000)
        var (found, place, rounds): ([ListingPlace], ListingPlace?, Int) = ([], nil, 0)
        while true {
            if let places = held.places(after: place) {
                guard let next = places.first else { break }
                found.append(next)
                place = next
                continue
            }
            held.begin(after: place)
            for place in all.shuffled(using: &random) { held.add(place) }
            held.finish()
            #expect(held.places.count < 40)
            rounds += 1
        }
        #expect(found == sorted)
        #expect(rounds > 10)
        var tiny = HeldPlaces(order: order, bytesMax: 1)
        tiny.begin(after: nil)
        for place in all { tiny.add(place) }
        tiny.finish()
        #expect(tiny.places == [sorted[0]], "one always fits")
    }

    @Test("a page of large values ends early, and the next goes on")
    func largeValues() throws {
        var node = try nodeWithSpace()
        let large = text(String(repeating: "x", count: 500_000))
        for index in 0..<40 {
            _ = try node.transact("notes", [set(Key("d\(index + 10)"), [.key("t")], large)])
        }
        let listing = try open(ListingQuery(), in: &node)
        var (count, after, pages): (Int, Key?, Int) = (0, nil, 0)
        repeat {
            let page = try page(listing, after: after, limit: 1_000, values: .typed)
            #expect(page.documents.count < 40)
            count += page.documents.count
            pages += 1
            after = page.next
        } while after != nil
        #expect(count == 40 && pages > 1)
    }

    @Test("a listing of a space that is not here is refused")
    func absent() throws {
        var node = try nodeWithSpace()
        guard case .noSuchSpace = try node.refusal(.list(.init("none"), ListingQuery())) else {
            throw Unexpected()
        }
    }
}

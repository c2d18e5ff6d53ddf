// Requests of the control API: what they become, what they refuse and with which numbers (API.md,
// "Operations").

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct AuthorTests {
    @Test("missing documents and intermediate maps are made")
    func makesMaps() throws {
        var (a, _) = pair()
        try a.change(["x", "y", "z"], .set(1))
        #expect(a.plain == ["x": ["y": ["z": 1]]])
        try a.change(["p", "n"], .increment(by: 2))
        try a.change(["p", "s"], .add("v"))
        try a.change(["p", "l"], .insert(.after(nil), [["k": 1], 2]))
        try a.change(["p", "t"], .splice(index: 0, delete: 0, insert: "hi"))
        try a.change(["p", "e"], .splice(index: 0, delete: 0, insert: ""))
        #expect(a.plain?["p"] == ["n": 2, "s": ["v"], "l": [["k": 1], 2], "t": "hi", "e": ""])
        #expect(a.typed("p")?.kind == .map)
    }

    @Test("deleting or removing nothing is accepted and changes nothing, and makes nothing on the way")
    func nothing() {
        var (a, _) = pair()
        #expect(
            a.author([([], .delete), (["x"], .delete), (["x", "y"], .delete), (["x"], .remove(1))]) == nil)
        #expect(a.plain == nil)
        var (b, _) = pair([(["s"], .add("v")), (["r"], .make(.removeWinsSet)), (["o"], .make(.orderedSet))])
        #expect(b.author([(["s"], .remove("w")), (["r"], .remove("w")), (["o"], .remove("w"))]) == nil)
        #expect(b.author([(["s"], .make(.set)), ([], .make(.map)), (["s"], .set(["v"]))]) == nil)
    }

    @Test("another kind in the slot is refused as wrong, and named")
    func wrongKind() throws {
        var (a, _) = pair([(["n"], .increment(by: 1)), (["r"], .set("text")), (["l"], .set([1]))])
        #expect(a.refusal(["n"], .set(5)) == .wrongKind(found: "counter", wanted: "register"))
        #expect(
            a.refusal(["n"], .set(.scalar(.double(0.5)))) == .wrongKind(found: "counter", wanted: "register"))
        #expect(a.refusal(["r"], .increment(by: 1)) == .wrongKind(found: "register", wanted: "counter"))
        #expect(
            a.refusal(["r"], .splice(index: 0, delete: 0, insert: "x"))
                == .wrongKind(found: "register", wanted: "text"))
        #expect(a.refusal(["l"], .add(1)) == .wrongKind(found: "list", wanted: "set"))
        #expect(a.refusal(["l"], .make(.map)) == .wrongKind(found: "list", wanted: "map"))
        #expect(a.refusal(["n"], .insert(.index(0), [1])) == .wrongKind(found: "counter", wanted: "list"))
        #expect(a.refusal([], .set([1])) != nil && a.refusal([], .increment(by: 1)) != nil)
        // A set of another shape replaces.
        try a.change(["n"], .set("gone"))
        #expect(a.plain?["n"] == "gone")
    }

    @Test("an index below 0 counts from the end, in lists and in ordered sets")
    func fromTheEnd() throws {
        var (a, _) = pair([(["o"], .make(.orderedSet)), (["o"], .insert(.index(0), [1, 2, 3]))])
        try a.change(["l"], .insert(.index(-1), [1]))
        try a.change(["l"], .insert(.index(-1), [2, 4]))
        try a.change(["l"], .insert(.index(-2), [3]))
        #expect(a.plain?["l"] == [1, 2, 3, 4])
        try a.change(["l"], .move(.index(-1), to: .index(-4)))
        #expect(a.plain?["l"] == [4, 1, 2, 3])
        try a.change(["l"], .move(.index(0), to: .index(-1)))
        #expect(a.plain?["l"] == [1, 2, 3, 4])
        try a.change(["o"], .insert(.index(-1), [1]))
        try a.change(["o"], .move(.index(-3), to: .index(-2)))
        #expect(a.plain?["o"] == [3, 2, 1])
        #expect(a.refusal(["l"], .insert(.index(-6), [0])) == .indexPastEnd(index: -6, count: 4))
        #expect(a.refusal(["l"], .insert(.index(.min), [0])) == .indexPastEnd(index: .min, count: 4))
        #expect(a.refusal(["l"], .move(.index(-5), to: .index(0))) == .indexPastEnd(index: -5, count: 4))
        #expect(a.refusal(["none"], .insert(.index(-2), [0])) == .indexPastEnd(index: -2, count: 0))
    }

    @Test("an index past the end and an unknown element are refused with their numbers")
    func places() throws {
        var (a, _) = pair([
            (["l"], .set([1, 2])), (["t"], .splice(index: 0, delete: 0, insert: "ab")), (["r"], .set(1)),
        ])
        let stranger = Dot(testReplica(9), SequenceNumber(1))
        #expect(a.refusal(["l", 2], .set(3)) == .indexPastEnd(index: 2, count: 2))
        #expect(a.refusal(["l", -1], .delete) == .indexPastEnd(index: -1, count: 2))
        #expect(a.refusal(["l"], .insert(.index(3), [3])) == .indexPastEnd(index: 3, count: 2))
        #expect(a.refusal(["l"], .insert(.after(stranger), [3])) == .noSuchElement(stranger))
        #expect(a.refusal(["l", .element(stranger)], .set(3)) == .noSuchElement(stranger))
        #expect(a.refusal(["l"], .move(.index(2), to: .index(0))) == .indexPastEnd(index: 2, count: 2))
        #expect(a.refusal(["l"], .move(.index(0), to: .index(2))) == .indexPastEnd(index: 2, count: 1))
        #expect(a.refusal(["none"], .move(.index(0), to: .index(0))) == .indexPastEnd(index: 0, count: 0))
        #expect(
            a.refusal(["t"], .splice(index: 3, delete: 0, insert: "x")) == .indexPastEnd(index: 3, count: 2))
        #expect(
            a.refusal(["t"], .splice(index: 1, delete: 2, insert: "")) == .indexPastEnd(index: 3, count: 2))
        #expect(a.refusal(["t"], .splice(index: 1, delete: .max, insert: "")) != nil)
        #expect(a.refusal(["t"], .splice(index: 1, delete: -1, insert: "")) != nil)
        #expect(a.refusal(["none"], .insert(.index(1), [1])) == .indexPastEnd(index: 1, count: 0))
        #expect(
            a.refusal(["none"], .splice(index: 1, delete: 0, insert: "x"))
                == .indexPastEnd(index: 1, count: 0))
        for path: [PathElement] in [["r", "x"], ["t", 0], ["l", "key"], ["none", 0], [0]] {
            guard case .noSuchPlace? = a.refusal(path, .set(1)) else {
                Issue.record("\(path) should lead nowhere")
                continue
            }
        }
    }

    @Test("a deleted element's id is nothing to delete, and no place to write")
    func goneElement() throws {
        var (a, _) = pair([(["l"], .set([["k": 1], 2]))])
        let id = try #require(a.elements("l").first)
        try a.change(["l", .element(id)], .delete)
        #expect(a.author([(["l", .element(id)], .delete), (["l", .element(id), "k"], .delete)]) == nil)
        #expect(a.refusal(["l", .element(id), "k"], .set(2)) == .noSuchElement(id))
    }

    @Test("what is over a limit is refused with the limit")
    func limits() {
        var (a, _) = pair()
        let long = Key(String(repeating: "k", count: 1_025))
        #expect(
            a.refusal([.key(long)], .set(1)) == .overLimit(what: "map key bytes", value: 1_025, limit: 1_024))
        #expect(a.refusal([], .set(.object([.init(long, 1)]))) != nil)
        let text = String(repeating: "x", count: DocumentLimits.stringBytesMax + 1)
        #expect(a.refusal(["k"], .set(.scalar(.string(Key(text))))) != nil)
        #expect(a.refusal(["k"], .splice(index: 0, delete: 0, insert: text)) != nil)
        #expect(a.refusal(["k"], .add(.string(Key(text)))) != nil)
        #expect(a.refusal(["k"], .set(.scalar(.double(.nan)))) != nil)
        #expect(a.refusal(["k"], .set(.scalar(.double(1)))) != nil)
    }

    @Test("nesting at the limit is made, one deeper is refused")
    func nesting() throws {
        func nested(_ depth: Int) -> PlainValue { depth == 0 ? [:] : ["k": nested(depth - 1)] }
        var (a, _) = pair()
        let path = [PathElement](repeating: "k", count: 33)
        try a.change(path, .set(1))
        #expect(a.refusal(path, .set([:])) == .overLimit(what: "nesting", value: 33, limit: 32))
        #expect(a.refusal(["z"] + path, .set(1)) == .overLimit(what: "nesting", value: 33, limit: 32))
        #expect(a.refusal([], .set(nested(33))) == .overLimit(what: "nesting", value: 33, limit: 32))
        try a.change([], .set(nested(32)))
        try a.reopen()
        #expect(a.plain == nested(32))
    }

    @Test("moves by index and id mean the index afterwards")
    func moves() throws {
        var (a, _) = pair([(["l"], .set(["a", "b", "c", "d"]))])
        try a.change(["l"], .move(.index(0), to: .index(2)))
        #expect(a.plain == ["l": ["b", "c", "a", "d"]])
        try a.change(["l"], .move(.index(3), to: .index(0)))
        #expect(a.plain == ["l": ["d", "b", "c", "a"]])
        let ids = a.elements("l")
        try a.change(["l"], .move(.element(ids[0]), to: .after(ids[3])))
        #expect(a.plain == ["l": ["b", "c", "a", "d"]])
        try a.change(["l"], .move(.element(ids[3]), to: .after(nil)))
        #expect(a.plain == ["l": ["a", "b", "c", "d"]])
        #expect(a.author([(["l"], .move(.index(1), to: .index(1)))]) == nil)
        #expect(a.author([(["l"], .move(.element(ids[1]), to: .after(ids[3])))]) == nil)
    }

    @Test("later requests of a transaction see the earlier ones")
    func transaction() throws {
        var (a, b) = pair()
        let authored = a.author(
            [
                ([], .set(["l": []])), (["l"], .insert(.index(0), [["n": 1]])), (["l", 0, "n"], .set(2)),
                (["l", 0, "c"], .increment(by: 3)), (["gone"], .set(1)), (["gone"], .delete),
            ])
        let change = try #require(authored)
        b.execute(change)
        expectEqual(a, b)
        #expect(b.plain == ["l": [["c": 3, "n": 2]]])
    }

    @Test("an incomplete document refuses writes, and stays incomplete through a snapshot")
    func incomplete() throws {
        var (a, _) = pair([(["k"], .set(1))])
        a.document.markIncomplete()
        #expect(a.refusal(["k"], .set(2)) == .incomplete)
        try a.reopen()
        #expect(a.document.isIncomplete && a.plain == ["k": 1])
    }

    @Test("a read follows keys, indexes and ids, and gives nothing where a path leads nowhere")
    func reads() throws {
        var (a, _) = pair([
            ([], .set(["l": [["n": 1], 2], "s": "x"])), (["o"], .make(.orderedSet)), (["o"], .add("m")),
        ])
        let id = try #require(a.elements("l").first)
        #expect(a.document.value(at: []) == a.plain)
        #expect(
            a.document.value(at: ["l", 0, "n"]) == 1 && a.document.value(at: ["l", .element(id), "n"]) == 1)
        #expect(a.document.value(at: ["l"]) == [["n": 1], 2] && a.document.value(at: ["o", 0]) == "m")
        for path: [PathElement] in [
            ["x"], ["l", 2], ["l", -1], ["s", "x"], ["o", 1], ["o", 0, 0], ["l", "n"], [0],
        ] {
            #expect(a.document.value(at: path) == nil, "\(path)")
        }
        try a.change([], .delete)
        #expect(a.document.value(at: []) == nil)
    }
}

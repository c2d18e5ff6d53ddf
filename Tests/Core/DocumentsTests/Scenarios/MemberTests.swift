// Sets, remove-wins sets, ordered sets and lists: presence, identity and place.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct MemberTests {
    @Test("an add wins over a concurrent remove, also the add of a present value")
    func addWins() throws {
        var (a, b) = pair([(["s"], .add("x")), (["s"], .add("y"))])
        let remove = try a.change(["s"], .remove("x"))
        let add = try b.change(["s"], .add("x"))
        meet(&a, &b, [remove, add])
        #expect(a.plain == ["s": ["x", "y"]])
        let gone = try a.change(["s"], .remove("x"))
        meet(&a, &b, [gone])
        #expect(a.plain == ["s": ["y"]])
    }

    @Test("an add-wins set keeps no tombstones")
    func noTombstones() throws {
        var (a, _) = pair([(["s"], .make(.set))])
        try a.change(["s"], .add("x"))
        try a.change(["s"], .remove("x"))
        #expect(a.document.state.contents.sets[0].adds.isEmpty)
        #expect(a.plain == ["s": []])
    }

    @Test("a remove wins over a concurrent add, until an add that has seen it")
    func removeWins() throws {
        var (a, b) = pair([(["s"], .make(.removeWinsSet)), (["s"], .add("x"))])
        let remove = try a.change(["s"], .remove("x"))
        let add = try b.change(["s"], .add("x"))
        meet(&a, &b, [remove, add])
        #expect(a.plain == ["s": []])
        let again = try b.change(["s"], .add("x"))
        meet(&a, &b, [again])
        #expect(a.plain == ["s": ["x"]])
    }

    @Test("an add that lacks one of several removes does not restore")
    func severalRemoves() throws {
        var (a, b) = pair([(["s"], .make(.removeWinsSet)), (["s"], .add("x"))])
        var c = SimulatedReplica(3)
        c.document = b.document
        c.known = b.known
        let one = try a.change(["s"], .remove("x"))
        let two = try b.change(["s"], .remove("x"))
        c.execute(one)
        let add = try c.change(["s"], .add("x"))
        meet(&a, &b, [one, two, add])
        #expect(a.plain == ["s": []])
        c.execute(two)
        expectEqual(a, c)
    }

    @Test("members of sets are shown in canonical order: null, false, true, numbers, strings by bytes")
    func canonicalOrder() throws {
        var (a, _) = pair()
        let values: [Scalar] = ["b", "é", .double(1.5), .bool(true), 2, "a", .null, -7, .bool(false), "z"]
        for value in values { try a.change(["s"], .add(value)) }
        #expect(
            a.plain == ["s": [.scalar(.null), false, true, -7, .scalar(.double(1.5)), 2, "a", "b", "z", "é"]])
    }

    @Test("concurrent moves never double an element; the later one wins")
    func moveNeverDoubles() throws {
        var (a, b) = pair([(["l"], .set([1, 2, 3, 4]))])
        (a.clock, b.clock) = (5_000, 6_000)
        let one = try a.change(["l"], .move(.index(0), to: .index(3)))
        let two = try b.change(["l"], .move(.index(0), to: .index(1)))
        meet(&a, &b, [one, two])
        #expect(a.plain == ["l": [2, 1, 3, 4]])
        // A covered move is overwritten even when its time is later.
        a.clock = 0
        let three = try a.change(["l"], .move(.index(1), to: .index(0)))
        meet(&a, &b, [three])
        #expect(a.plain == ["l": [1, 2, 3, 4]])
    }

    @Test("an element moved and changed at the same time is moved and changed")
    func moveAndEdit() throws {
        var (a, b) = pair([(["l"], .set([["n": 1], ["n": 2]]))])
        let move = try a.change(["l"], .move(.index(0), to: .index(1)))
        let edit = try b.change(["l", 0, "n"], .set(9))
        meet(&a, &b, [move, edit])
        #expect(a.plain == ["l": [["n": 2], ["n": 9]]])
    }

    @Test(
        "a moved element that is deleted elsewhere stays deleted; one that is edited comes back at its place")
    func moveDeleteEdit() throws {
        var (a, b) = pair([(["l"], .set([["n": 1], ["n": 2], ["n": 3]]))])
        let delete = try a.change(["l", 0], .delete)
        let move = try b.change(["l"], .move(.index(0), to: .index(2)))
        meet(&a, &b, [delete, move])
        #expect(a.plain == ["l": [["n": 2], ["n": 3]]])
        let deleteMore = try a.change(["l", 0], .delete)
        let edit = try b.change(["l", 0, "m"], .set(true))
        meet(&a, &b, [deleteMore, edit])
        #expect(a.plain == ["l": [["m": true, "n": 2], ["n": 3]]])
    }

    @Test("deleting an element leaves its slot's generations alone and drops its registers")
    func elementSlot() throws {
        var (a, b) = pair([(["l"], .set(["x"]))])
        let delete = try a.change(["l", 0], .delete)
        let edit = try b.change(["l", 0], .set(["k": 1]))
        meet(&a, &b, [delete, edit])
        #expect(a.plain == ["l": [["k": 1]]])
        guard case .act(let path, _)? = edit.operations.last?.body else {
            Issue.record("no write in the new map")
            return
        }
        #expect(path.steps.last?.generation == .first)
    }

    @Test("inserting a present value into an ordered set moves it; index is the index afterwards")
    func orderedInsert() throws {
        var (a, _) = pair([(["o"], .make(.orderedSet)), (["o"], .insert(.index(0), ["a", "b", "c", "d"]))])
        try a.change(["o"], .insert(.index(2), ["a"]))
        #expect(a.plain == ["o": ["b", "c", "a", "d"]])
        try a.change(["o"], .insert(.index(0), ["d", "new"]))
        #expect(a.plain == ["o": ["d", "new", "b", "c", "a"]])
        try a.change(["o"], .move(.index(0), to: .index(4)))
        #expect(a.plain == ["o": ["new", "b", "c", "a", "d"]])
        #expect(a.refusal(["o"], .insert(.index(5), ["a"])) == .indexPastEnd(index: 5, count: 4))
        #expect(a.author([(["o"], .move(.index(1), to: .index(1)))]) == nil)
    }

    @Test("an add of a present member writes its place: of it and a concurrent move the later decides")
    func addWritesThePlace() throws {
        for (clock, expected) in [(9_000, ["x", "y", "z"]), (500, ["z", "x", "y"])] as [(UInt64, PlainValue)]
        {
            var (a, b) = pair([(["o"], .make(.orderedSet)), (["o"], .insert(.index(0), ["x", "y", "z"]))])
            b.clock = clock
            let move = try a.change(["o"], .move(.index(2), to: .index(0)))
            let add = try b.change(["o"], .add("z"))
            meet(&a, &b, [move, add])
            #expect(a.plain == ["o": expected])
        }
    }

    @Test("a member's place outlives its presence")
    func placeOutlives() throws {
        var (a, b) = pair([(["o"], .make(.orderedSet)), (["o"], .insert(.index(0), ["a", "b", "c"]))])
        let move = try b.change(["o"], .move(.index(0), to: .index(2)))
        let remove = try a.change(["o"], .remove("a"))
        meet(&a, &b, [move, remove])
        #expect(a.plain == ["o": ["b", "c"]])
        // Concurrent with a move, an insert of the same value writes the same register.
        let insert = try a.change(["o"], .insert(.index(0), ["a"]))
        meet(&a, &b, [insert])
        #expect(a.plain == ["o": ["a", "b", "c"]])
    }

    @Test("a deleted character stays deleted, what was typed beside it stays")
    func text() throws {
        var (a, b) = pair([(["t"], .splice(index: 0, delete: 0, insert: "abc"))])
        let delete = try a.change(["t"], .splice(index: 0, delete: 3, insert: ""))
        let insert = try b.change(["t"], .splice(index: 2, delete: 0, insert: "X👍"))
        meet(&a, &b, [delete, insert])
        #expect(a.plain == ["t": "X👍"])
    }

    @Test("a cleared text that is typed into comes back whole")
    func textRevives() throws {
        var (a, b) = pair([(["t"], .splice(index: 0, delete: 0, insert: "abc"))])
        let clear = try a.change(["t"], .delete)
        let insert = try b.change(["t"], .splice(index: 3, delete: 0, insert: "!"))
        meet(&a, &b, [clear, insert])
        #expect(a.plain == ["t": "abc!"])
    }
}

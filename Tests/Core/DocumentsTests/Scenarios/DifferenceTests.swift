// `set` writes the difference: what is equal is not written, so it does not overwrite what others change
// meanwhile.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct DifferenceTests {
    private func actions(_ change: TestChange?) -> [Action] {
        (change?.operations ?? []).compactMap {
            guard case .act(_, let action) = $0.body else { return nil }
            return action
        }
    }

    @Test("an object over a map goes key by key")
    func objects() throws {
        var (a, b) = pair([(["m"], .set(["same": 1, "old": 2, "gone": 3]))])
        let mine = try a.change(["m"], .set(["same": 1, "old": 5, "new": [:]]))
        #expect(actions(mine).count == 3)
        let other = try b.change(["m", "same"], .set("theirs"))
        meet(&a, &b, [mine, other])
        #expect(a.plain == ["m": ["same": "theirs", "old": 5, "new": [:]]])
    }

    @Test("an array over a list keeps the elements that stay, and changes objects inside")
    func lists() throws {
        var (a, b) = pair([(["l"], .set([["id": 1, "n": 0], "x", "y", ["id": 2, "n": 0]]))])
        let ids = a.elements("l")
        let mine = try a.change(["l"], .set([["id": 1, "n": 7], "y", "z", ["id": 2, "n": 0]]))
        let after = a.elements("l")
        #expect(after[0] == ids[0] && after[1] == ids[2] && after[3] == ids[3])
        let theirs = try b.change(["l", 3, "n"], .set(9))
        meet(&a, &b, [mine, theirs])
        #expect(a.plain == ["l": [["id": 1, "n": 7], "y", "z", ["id": 2, "n": 9]]])
    }

    @Test("an array over any set adds and removes, and does not fit when members repeat or nest")
    func sets() throws {
        for kind in [ContainerKind.set, .removeWinsSet] {
            var (a, _) = pair([(["s"], .make(kind)), (["s"], .add(1)), (["s"], .add(2))])
            let change = try a.change(["s"], .set([3, 2]))
            #expect(actions(change) == [.remove(1), .add(3)])
            #expect(a.typed("s")?.kind == kind && a.plain == ["s": [2, 3]])
            try a.change(["s"], .set([2, 2]))
            #expect(a.typed("s")?.kind == .list && a.plain == ["s": [2, 2]])
        }
    }

    @Test("an array over an ordered set moves as few members as it can")
    func orders() throws {
        var (a, _) = pair([(["o"], .make(.orderedSet)), (["o"], .set(["a", "b", "c", "d", "e"]))])
        let change = try a.change(["o"], .set(["e", "a", "c", "new", "d"]))
        #expect(a.plain == ["o": ["e", "a", "c", "new", "d"]] && a.typed("o")?.kind == .orderedSet)
        let inserted = actions(change).flatMap { action in
            if case .insertMembers(_, _, let members) = action { return members }
            return [Scalar]()
        }
        #expect(inserted == ["e", "new"] && actions(change).contains(.remove("b")))
    }

    @Test("a string over a text splices, over nothing it is a register")
    func texts() throws {
        var (a, b) = pair([(["t"], .splice(index: 0, delete: 0, insert: "hello world")), (["r"], .set("s"))])
        let mine = try a.change(["t"], .set("hello brave world"))
        let theirs = try b.change(["t"], .splice(index: 11, delete: 0, insert: "!"))
        meet(&a, &b, [mine, theirs])
        #expect(a.plain?["t"] == "hello brave world!")
        #expect(a.typed("r")?.kind == nil && a.typed("t")?.kind == .text)
    }

    @Test("what does not fit deletes what it observed and creates")
    func replaces() throws {
        var (a, b) = pair([(["k"], .set([1, 2]))])
        let replaced = try a.change(["k"], .set(["now": "a map"]))
        #expect(
            actions(replaced).first == .clear(slot: .key("k"), observed: [ObservedContainer(.list, .first)]))
        let push = try b.change(["k"], .insert(.index(2), [3]))
        meet(&a, &b, [replaced, push])
        // The list lives on behind the newer generation.
        #expect(a.plain == ["k": ["now": "a map"]])
        #expect(a.typed("k")?.conflicts.map(\.value.plain) == [[1, 2, 3]])
        let both = try a.change(["k"], .delete)
        meet(&a, &b, [both])
        #expect(a.plain == [:])
    }

    @Test("any array becomes any other", arguments: 0..<200 as Range<UInt64>)
    func anyArray(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func draw() -> [PlainValue] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                let value = Int64.random(in: 0...4, using: &random)
                return Bool.random(using: &random)
                    ? .scalar(.integer(value)) : ["n": .scalar(.integer(value))]
            }
        }
        var (a, b) = pair()
        var changes: [TestChange] = []
        for _ in 0..<4 {
            let wanted = PlainValue.array(draw())
            if let change = a.author([(["l"], .set(wanted))]) { changes.append(change) }
            #expect(a.plain == ["l": wanted])
        }
        meet(&a, &b, changes)
    }

    @Test(
        "the edit script is right, and the shortest, as long as the difference is small",
        arguments: 0..<200 as Range<UInt64>)
    func script(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let old = (0..<Int.random(in: 0...14, using: &random)).map { _ in
            Int.random(in: 0...3, using: &random)
        }
        let new = (0..<Int.random(in: 0...14, using: &random)).map { _ in
            Int.random(in: 0...3, using: &random)
        }
        var result: [Int] = []
        var seen = 0
        var kept = 0
        for step in ListDifference.steps(from: old, to: new) {
            switch step {
            case .keep(let index):
                #expect(index == seen)
                (seen, kept) = (seen + 1, kept + 1)
                result.append(old[index])
            case .delete(let index):
                #expect(index == seen)
                seen += 1
            case .insert(let index):
                #expect(index == result.count)
                result.append(new[index])
            }
        }
        #expect(result == new && seen == old.count)
        // The longest common subsequence by the textbook.
        var table = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for i in old.indices {
            for j in new.indices {
                table[i + 1][j + 1] =
                    old[i] == new[j] ? table[i][j] + 1 : max(table[i][j + 1], table[i + 1][j])
            }
        }
        #expect(kept == table[old.count][new.count])
    }

    @Test("lists that differ everywhere are replaced, not compared for ever")
    func boundedDifference() {
        let steps = ListDifference.steps(from: Array(0..<5_000), to: Array(10_000..<15_000))
        #expect(steps.count == 10_000)
    }

    @Test("importing the typed view restores kinds, and changes nothing where it came from")
    func restore() throws {
        var (a, _) = pair([
            ([], .set(["l": [["n": 1], "x"], "r": true])), (["c"], .increment(by: -3)), (["s"], .add("v")),
            (["w"], .make(.removeWinsSet)), (["o"], .make(.orderedSet)), (["o"], .set(["b", "a"])),
            (["t"], .splice(index: 0, delete: 0, insert: "text")), (["l", 0, "deep"], .make(.text)),
        ])
        let typed = try #require(a.document.typed)
        #expect(a.author([([], .restore(typed))]) == nil)
        var (b, c) = pair([(["r"], .increment(by: 1)), (["extra"], .set(1))])
        let change = try b.change([], .restore(typed))
        #expect(b.document.typed?.withoutHistory == typed.withoutHistory)
        c.execute(change)
        expectEqual(b, c)
        #expect(b.refusal(["x"], .restore(.set([1, 1], kind: .set, conflicts: []))) != nil)
    }

    @Test("texts that differ only in normalisation differ, alone and in a list")
    func normalisation() throws {
        let (composed, decomposed): (Key, Key) = ("\u{e9}", "e\u{301}")
        func text(_ string: Key) -> TypedValue { .text(string, conflicts: []) }
        func list(_ string: Key) -> TypedValue {
            .list([TypedValue.Element(id: nil, text(string))], conflicts: [])
        }
        for (old, new) in [(composed, decomposed), (decomposed, composed)] {
            var (a, b) = pair([(["t"], .restore(text(old))), (["l"], .restore(list(old)))])
            let alone = try a.change(["t"], .restore(text(new)))
            let inList = try a.change(["l"], .restore(list(new)))
            meet(&a, &b, [alone, inList])
            let string = PlainValue.scalar(.string(new))
            #expect(a.plain == ["t": string, "l": [string]])
            #expect(a.author([(["t"], .restore(text(new))), (["l"], .restore(list(new)))]) == nil)
        }
    }

    @Test("a whole document is written back although it has a counter")
    func wholeDocuments() throws {
        var (a, _) = pair([(["title"], .set("a")), (["views"], .increment(by: 5))])
        #expect(a.author([([], .set(["title": "a", "views": 5]))]) == nil)
        let change = try a.change([], .set(["title": "b", "views": 5]))
        #expect(actions(change).count == 1 && a.typed("views")?.kind == .counter)
        #expect(a.plain == ["title": "b", "views": 5])
        // What is refused: another number, and a number for the counter itself.
        let refused = AuthorError.wrongKind(found: "counter", wanted: "register")
        #expect(a.refusal([], .set(["title": "b", "views": 6])) == refused)
        #expect(a.refusal(["views"], .set(5)) == refused)
    }

    @Test("a text that grew longer than one insertion may be is written back; what is inserted is limited")
    func writtenBack() throws {
        let limit = DocumentLimits.stringBytesMax
        let half = String(repeating: "x", count: limit - 1)
        var document = Document(key: SimulatedReplica.key)
        var next = Dot(testReplica(1), SequenceNumber(1))
        func author(_ verb: OperationRequest.Verb) throws(AuthorError) -> [Operation] {
            let operations = try document.author(
                OperationRequest(document: document.key, path: ["t"], verb: verb), dot: next,
                timestamp: .zero, context: VersionVector(), wantsPatches: false
            ).operations
            for operation in operations { next = next.advanced(by: operation.sequenceCount) }
            return operations
        }
        func text(_ string: String) -> OperationRequest.Verb { .set(.scalar(.string(Key(string)))) }
        for _ in 0..<2 { _ = try author(.splice(index: 0, delete: 0, insert: half)) }
        #expect(try author(text(half + half)).isEmpty)
        #expect(try author(text(half + "y" + half)).count == 1)
        #expect(document.value(at: ["t"]) == .scalar(.string(Key(half + "y" + half))))
        let refused = AuthorError.overLimit(what: "string bytes", value: limit + 1, limit: limit)
        #expect(throws: refused) { try author(text(String(repeating: "z", count: limit + 1))) }
    }

    @Test("a text longer than one insertion may be is restored in pieces")
    func longText() throws {
        var (a, _) = pair()
        let text = String(repeating: "é", count: DocumentLimits.stringBytesMax / 2 + 10)
        let change = try a.change(["t"], .restore(.text(Key(text), conflicts: [])))
        #expect(change.operations.count == 2)
        #expect(a.document.value(at: ["t"]) == .scalar(.string(Key(text))))
    }
}

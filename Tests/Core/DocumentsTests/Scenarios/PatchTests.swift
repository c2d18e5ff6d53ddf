// What watchers get, by example; that patches are always exact is checked in every other test of documents.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct PatchTests {
    /// The patches that another replica gives when it executes a change.
    private func execute(_ change: TestChange, on replica: inout SimulatedReplica) -> [Patch] {
        var copy = replica.document
        let patches = copy.apply(change.operations, stamps: change.stamps)
        replica.execute(change)
        return patches
    }

    @Test("creating a document patches its slots; an empty one has no patches")
    func creation() throws {
        var (a, b) = pair()
        let empty = try a.change([], .make(.map))
        #expect(execute(empty, on: &b).isEmpty && b.plain == .emptyObject)
        let delete = try a.change([], .delete)
        #expect(execute(delete, on: &b) == [Patch(path: [], change: .delete)])
        let full = try a.change([], .set(["a": 1, "b": [2]]))
        #expect(
            execute(full, on: &b) == [
                Patch(path: ["a"], change: .set(1)), Patch(path: ["b"], change: .set([2])),
            ])
    }

    @Test("a container that newly shows is set whole, one that shows is patched inside")
    func containers() throws {
        var (a, b) = pair()
        let made = try a.change(["l"], .set([1, ["t": "x"]]))
        #expect(execute(made, on: &b) == [Patch(path: ["l"], change: .set([1, ["t": "x"]]))])
        let inner = try a.change(["l", 1, "t"], .set("y"))
        #expect(execute(inner, on: &b) == [Patch(path: ["l", 1, "t"], change: .set("y"))])
        let splice = try a.change(["l"], .insert(.index(1), [7, 8]))
        #expect(
            execute(splice, on: &b) == [
                Patch(path: ["l"], change: .spliceList(index: 1, delete: 0, insert: [7, 8]))
            ])
        let text = try a.change(["t"], .splice(index: 0, delete: 0, insert: "héllo"))
        #expect(execute(text, on: &b) == [Patch(path: ["t"], change: .set("héllo"))])
        let typed = try a.change(["t"], .splice(index: 1, delete: 1, insert: "e"))
        #expect(
            execute(typed, on: &b) == [
                Patch(path: ["t"], change: .spliceText(index: 1, delete: 1, insert: "e"))
            ])
    }

    @Test("sets and counters are set; an add of a present value patches nothing")
    func members() throws {
        var (a, b) = pair([(["s"], .add(1)), (["n"], .increment(by: 1))])
        #expect(execute(try a.change(["s"], .add(1)), on: &b).isEmpty)
        #expect(execute(try a.change(["s"], .add(2)), on: &b) == [Patch(path: ["s"], change: .set([1, 2]))])
        #expect(
            execute(try a.change(["n"], .increment(by: 2)), on: &b) == [Patch(path: ["n"], change: .set(3))])
    }

    @Test("a change to what is hidden patches nothing")
    func hidden() throws {
        var (a, b) = pair([(["k"], .set(["m": 1]))])
        let offline = try b.change(["k", "m"], .set(2))
        let replace = try a.change(["k"], .set("shown"))
        #expect(execute(offline, on: &a).isEmpty)
        #expect(execute(replace, on: &b) == [Patch(path: ["k"], change: .set("shown"))])
        expectEqual(a, b)
    }

    @Test("a move is one splice out and one in; a revived element is spliced in with all it holds")
    func moves() throws {
        var (a, b) = pair([(["l"], .set([["n": 1], ["n": 2], ["n": 3]]))])
        let move = try a.change(["l"], .move(.index(0), to: .index(2)))
        #expect(
            execute(move, on: &b) == [
                Patch(path: ["l"], change: .spliceList(index: 0, delete: 1, insert: [])),
                Patch(path: ["l"], change: .spliceList(index: 2, delete: 0, insert: [["n": 1]])),
            ])
        let delete = try a.change(["l", 0], .delete)
        let edit = try b.change(["l", 0, "m"], .set(9))
        #expect(
            execute(edit, on: &a) == [
                Patch(path: ["l"], change: .spliceList(index: 0, delete: 0, insert: [["m": 9, "n": 2]]))
            ])
        #expect(execute(delete, on: &b).isEmpty)
        expectEqual(a, b)
    }

    @Test("one change is one difference: what comes and goes inside it is not told")
    func net() throws {
        var (a, b) = pair([(["k"], .set(1))])
        let authored = a.author([(["k"], .set(2)), (["k"], .set(1)), (["x"], .set(1)), (["x"], .delete)])
        #expect(execute(try #require(authored), on: &b).isEmpty)
        let replaced = try a.change(["k"], .set(["a": ["b": 1]]))
        #expect(execute(replaced, on: &b) == [Patch(path: ["k"], change: .set(["a": ["b": 1]]))])
    }

    @Test("another generation of the document is patched slot by slot, never as []")
    func generations() throws {
        var (a, b) = pair([([], .set(["same": 1, "old": 2]))])
        let delete = try a.change([], .delete)
        let again = try a.change([], .set(["same": 1, "new": 3]))
        let keep = try b.change(["kept"], .set(4))
        #expect(execute(delete, on: &b).isEmpty)
        #expect(
            execute(again, on: &b) == [
                Patch(path: ["kept"], change: .delete), Patch(path: ["old"], change: .delete),
                Patch(path: ["new"], change: .set(3)),
            ])
        a.execute(keep)
        expectEqual(a, b)
        #expect(a.document.typed?.conflicts.map(\.value.plain) == [["same": 1, "old": 2, "kept": 4]])
    }

    @Test("without a watcher there are no patches, and the document is the same")
    func unwanted() throws {
        var (a, b) = pair()
        let change = try a.change(["l"], .set([1, 2]))
        #expect(b.document.apply(change.operations, stamps: change.stamps, wantsPatches: false).isEmpty)
        expectEqual(a, b)
    }
}

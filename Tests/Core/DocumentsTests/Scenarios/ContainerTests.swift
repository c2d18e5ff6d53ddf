// The sentences of DESIGN 6 about containers, generations, registers and conflicts, one example each.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct ContainerTests {
    @Test("two boxes that both create a set offline share it")
    func sharedByPlace() throws {
        var (a, b) = pair()
        let one = try a.change(["tags"], .add("x"))
        let two = try b.change(["tags"], .add("y"))
        meet(&a, &b, [one, two])
        #expect(a.plain == ["tags": ["x", "y"]])
        #expect(a.typed("tags")?.conflicts.isEmpty == true)
    }

    @Test("an edit wins over a concurrent delete, and the container shows all its content")
    func editWins() throws {
        var (a, b) = pair([(["m"], .set(["x": 1, "y": 2]))])
        let delete = try a.change(["m"], .delete)
        #expect(a.plain == [:])
        let edit = try b.change(["m", "z"], .set(3))
        meet(&a, &b, [delete, edit])
        #expect(a.plain == ["m": ["x": 1, "y": 2, "z": 3]])
    }

    @Test("an edit deep inside keeps every ancestor, and the document, alive")
    func nestedRevive() throws {
        var (a, b) = pair([([], .set(["list": [["in": ["n": 0]]], "other": true]))])
        let delete = try a.change([], .delete)
        #expect(!a.document.isVisible)
        let edit = try b.change(["list", 0, "in", "n"], .set(1))
        meet(&a, &b, [delete, edit])
        #expect(a.plain == ["list": [["in": ["n": 1]]], "other": true])
    }

    @Test("delete, remove and move do not restore what was deleted")
    func deletesDoNotRestore() throws {
        var (a, b) = pair([
            (["m"], .set(["x": 1])), (["s"], .add("v")), (["l"], .set([1, 2])),
            (["t"], .splice(index: 0, delete: 0, insert: "ab")),
        ])
        let deletes = try ["m", "s", "l", "t"].map { try a.change([.key(Key($0))], .delete) }
        let others = [
            try b.change(["m", "x"], .delete), try b.change(["s"], .remove("v")),
            try b.change(["l"], .move(.index(0), to: .index(1))),
            try b.change(["t"], .splice(index: 0, delete: 1, insert: "")),
        ]
        meet(&a, &b, deletes + others)
        #expect(a.plain == [:])
    }

    @Test("after a seen delete a new container is another one, in the next generation")
    func generations() throws {
        var (a, b) = pair([(["c"], .increment(by: 5))])
        let offline = try b.change(["c"], .increment(by: 7))
        let delete = try a.change(["c"], .delete)
        let again = try a.change(["c"], .increment(by: 1))
        #expect(a.plain == ["c": 1])
        meet(&a, &b, [offline, delete, again])
        // The old counter lives on through the increment nobody had seen, behind the newer generation.
        #expect(a.plain == ["c": 1])
        #expect(a.typed("c")?.conflicts.map(\.value) == [.counter(12, conflicts: [])])
    }

    @Test("the generation counts deletes of any kind in the slot")
    func generationOfAnyKind() throws {
        var (a, _) = pair([(["k"], .make(.list))])
        try a.change(["k"], .delete)
        let made = try a.change(["k"], .make(.text))
        guard case .act(let path, .make) = made.operations[0].body else {
            Issue.record("not a make")
            return
        }
        #expect(path.steps == [ContainerStep(.key("k"), .text, Generation(2))])
    }

    @Test("a slot that only held registers keeps nothing")
    func registersKeepNothing() throws {
        var (a, b) = pair([([], .make(.map))])
        let empty = a.document.state.slots.count - a.document.state.freeSlots.count
        let write = try a.change(["k"], .set(1))
        let delete = try a.change(["k"], .delete)
        #expect(a.document.state.slots.count - a.document.state.freeSlots.count == empty)
        let next = try a.change(["k"], .make(.map))
        #expect(next.operations[0].sequenceCount == 1)
        meet(&a, &b, [write, delete, next])
        #expect(a.plain == ["k": [:]])
    }

    @Test("the greater generation shows, whatever the time; losers stay readable whole")
    func greatestGeneration() throws {
        var (a, b) = pair([(["k"], .set(["old": 1]))])
        b.clock = 1_000_000
        let late = try b.change(["k", "late"], .set(2))
        let delete = try a.change(["k"], .delete)
        let register = try a.change(["k"], .set("new"))
        meet(&a, &b, [late, delete, register])
        #expect(a.plain == ["k": "new"])
        #expect(a.typed("k")?.conflicts.map(\.value.plain) == [["old": 1, "late": 2]])
        #expect(a.typed("k")?.conflicts.first?.dot.replica == b.id)
    }

    @Test("in one generation the latest surviving edit decides between kinds")
    func latestEdit() throws {
        var (a, b) = pair()
        (a.clock, b.clock) = (10, 20)
        let list = try a.change(["k"], .insert(.index(0), ["x"]))
        let counter = try b.change(["k"], .increment(by: 1))
        meet(&a, &b, [list, counter])
        #expect(a.plain == ["k": 1])
        #expect(a.typed("k")?.conflicts.map(\.value.plain) == [["x"]])
    }

    @Test("concurrent register writes: the latest shows, the others are conflicts until overwritten")
    func registerConflicts() throws {
        var (a, b) = pair()
        (a.clock, b.clock) = (10, 20)
        let one = try a.change(["k"], .set("a"))
        let two = try b.change(["k"], .set("b"))
        meet(&a, &b, [one, two])
        #expect(a.plain == ["k": "b"])
        let conflicts = a.typed("k")?.conflicts ?? []
        #expect(conflicts.map(\.value) == [.register("a", conflicts: [])])
        #expect(conflicts.map(\.dot) == [one.last] && conflicts.map(\.timestamp.milliseconds) == [10])
        // What a context covers is overwritten whatever its time.
        b.clock = 0
        let three = try a.change(["k"], .set("c"))
        meet(&a, &b, [three])
        #expect(a.plain == ["k": "c"] && a.typed("k")?.conflicts.isEmpty == true)
    }

    @Test("setting the value that shows resolves the conflict")
    func resolve() throws {
        var (a, b) = pair()
        let changes = [try a.change(["k"], .set("a")), try b.change(["k"], .set("b"))]
        meet(&a, &b, changes)
        let shown = try #require(a.plain?["k"])
        let resolved = try a.change(["k"], .set(shown))
        meet(&a, &b, [resolved])
        #expect(a.typed("k")?.conflicts.isEmpty == true && a.plain == ["k": shown])
        #expect(a.author([(["k"], .set(shown))]) == nil)
    }

    @Test("{} exists, and is not a deleted document")
    func emptyExists() throws {
        var (a, b) = pair()
        let make = try a.change([], .set([:]))
        #expect(a.plain == .emptyObject && a.document.isVisible)
        let delete = try a.change([], .delete)
        #expect(a.plain == nil && !a.document.isVisible && a.document.typed == nil)
        let again = try a.change([], .make(.map))
        meet(&a, &b, [make, delete, again])
        #expect(a.plain == .emptyObject)
    }

    @Test("NFC and NFD keys are two slots")
    func normalForms() throws {
        var (a, _) = pair()
        try a.change(["\u{E9}"], .set(1))
        try a.change(["e\u{301}"], .set(2))
        #expect(a.document.value(at: ["\u{E9}"]) == 1)
        #expect(a.document.value(at: ["e\u{301}"]) == 2)
        guard case .object(let members)? = a.plain else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.key) == ["e\u{301}", "\u{E9}"])
    }

    @Test("a counter sums in 128 bits and shows clamped")
    func clamped() throws {
        var (a, b) = pair()
        var changes = try (0..<3).map { _ in try a.change(["n"], .increment(by: .max)) }
        #expect(a.plain == ["n": .scalar(.integer(.max))])
        changes += try (0..<3).map { _ in try a.change(["n"], .increment(by: -.max)) }
        changes.append(try b.change(["n"], .increment(by: -4)))
        meet(&a, &b, changes)
        #expect(a.plain == ["n": -4])
    }

    @Test("an increment of nothing makes a counter, of 0 it changes nothing later")
    func zero() throws {
        var (a, _) = pair([(["n"], .increment(by: 0))])
        #expect(a.plain == ["n": 0])
        #expect(a.author([(["n"], .increment(by: 0))]) == nil)
    }
}

@Suite struct ManyTests {
    @Test("thousands of replicas at one register, and thousands of lives of one slot, stay cheap")
    func many() throws {
        var (a, _) = pair()
        let empty = VersionVector()
        for number in 0..<4_000 as Range<UInt64> {
            let stamp = OperationStamp(
                dot: Dot(testReplica(100 + number), SequenceNumber(1)),
                timestamp: Timestamp(milliseconds: number + 1),
                context: empty)
            let write = Action.write(slot: .key("r"), value: .integer(Int64(number)), generation: .first)
            let operation = Operation(
                document: SimulatedReplica.key, body: .act(in: ContainerPath(generation: .first), write))
            let patches = a.document.apply([operation], stamps: [stamp])
            #expect(patches.count == 1)
        }
        #expect(a.typed("r")?.conflicts.count == 3_999 && a.plain == ["r": 3_999])
        a.known = VersionVector((0..<4_000).map { .init(testReplica(100 + $0), SequenceNumber(1)) })
        var document = a.document
        var next = Dot(a.id, SequenceNumber(1))
        for life in 0..<4_000 {
            let verb = life % 2 == 0 ? OperationRequest.Verb.set([:]) : .set(.scalar(.integer(1)))
            let authored = try document.author(
                OperationRequest(document: SimulatedReplica.key, path: ["r"], verb: verb), dot: next,
                timestamp: Timestamp(milliseconds: UInt64(10_000 + life)), context: a.known)
            for operation in authored.operations { next = next.advanced(by: operation.sequenceCount) }
        }
        #expect(document.plain == ["r": 1] && document.state.containers.count == 2_001)
        document.checkInvariants()
        #expect(
            try Document(snapshot: document.encodeSnapshot()).encodeSnapshot() == document.encodeSnapshot())
    }
}

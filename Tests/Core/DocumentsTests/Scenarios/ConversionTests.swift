// `convert`: a value gets another kind, nothing of it is lost, and nothing counts twice when two do it apart.

import Bytes
import Causality
import DocumentModel
import Testing

@testable import Documents

/// A value, the kind that it becomes, and what each of two writes into it apart.
struct Conversion: Sendable, CustomTestStringConvertible {
    let value: PlainValue
    let kind: ContainerKind
    let edits: [OperationRequest.Verb]
    /// What both show in the end, where one container takes both edits.
    let merged: PlainValue?

    var testDescription: String { "\(value) to \(kind.name)" }
}

private let conversions = [
    Conversion(
        value: "Groceries", kind: .text,
        edits: [
            .splice(index: 9, delete: 0, insert: " a"), .splice(index: 0, delete: 0, insert: "b "),
        ],
        merged: nil),
    Conversion(value: 7, kind: .counter, edits: [.increment(by: 1), .increment(by: 20)], merged: nil),
    Conversion(value: ["x", "y"], kind: .set, edits: [.add("a"), .add("b")], merged: ["a", "b", "x", "y"]),
    Conversion(
        value: ["x", "y"], kind: .orderedSet,
        edits: [.insert(.index(0), ["a"]), .insert(.index(2), ["b"])], merged: ["a", "x", "y", "b"]),
]

@Suite struct ConversionTests {
    private static let path: [PathElement] = ["p"]

    @Test("what is shown becomes the kind with its value, and nothing stays behind", arguments: conversions)
    func alone(conversion: Conversion) throws {
        var (a, b) = pair([(Self.path, .set(conversion.value))])
        let converted = try a.change(Self.path, .convert(conversion.kind))
        meet(&a, &b, [converted])
        #expect(b.plain == .object([.init("p", conversion.value)]))
        #expect(b.typed("p")?.kind == conversion.kind && b.typed("p")?.conflicts.isEmpty == true)
        // Asked again it changes nothing.
        #expect(b.author([(Self.path, .convert(conversion.kind))]) == nil)
        // It is written as its kind is, by either.
        let edited = try b.change(Self.path, conversion.edits[0])
        meet(&a, &b, [edited])
        #expect(a.plain != .object([.init("p", conversion.value)]))
    }

    @Test(
        "two that convert one place apart and go on writing double nothing and lose nothing",
        arguments: conversions)
    func apart(conversion: Conversion) throws {
        var (a, b) = pair([(Self.path, .set(conversion.value))])
        let changes = [
            try a.change(Self.path, .convert(conversion.kind)), try a.change(Self.path, conversion.edits[0]),
            try b.change(Self.path, .convert(conversion.kind)), try b.change(Self.path, conversion.edits[1]),
        ]
        let (mine, theirs) = (a.typed("p")?.plain, b.typed("p")?.plain)
        meet(&a, &b, changes)
        let shown = try #require(a.typed("p"))
        #expect(shown.kind == conversion.kind)
        if let merged = conversion.merged {
            #expect(shown.plain == merged && shown.conflicts.isEmpty)
        } else {
            // One shows, the other is a conflict, each whole.
            #expect(
                Set([shown.plain] + shown.conflicts.map(\.value.plain))
                    == Set([mine, theirs].compactMap(\.self)))
            #expect(shown.conflicts.count == 1)
        }
        let model = ModelDocument(of: changesBefore(conversion) + changes)
        #expect(model.typed == a.document.typed)
    }

    /// The change that `pair` made, again.
    private func changesBefore(_ conversion: Conversion) -> [TestChange] {
        var first = SimulatedReplica(1)
        return first.author([(Self.path, .set(conversion.value))]).map { [$0] } ?? []
    }

    @Test("what somebody else writes at the same time stays readable, and the conversion shows")
    func concurrentWrite() throws {
        for kind in [ContainerKind.text, .counter] {
            let (old, new): (PlainValue, PlainValue) = kind == .text ? ("old", "new") : (1, 2)
            var (a, b) = pair([(Self.path, .set(old))])
            b.clock = 1_000_000
            let converted = try a.change(Self.path, .convert(kind))
            let written = try b.change(Self.path, .set(new))
            meet(&a, &b, [converted, written])
            #expect(a.typed("p")?.kind == kind && a.typed("p")?.plain == old)
            #expect(a.typed("p")?.conflicts.map(\.value.plain) == [new])
        }
        // An element that came meanwhile keeps the list that became a set.
        var (a, b) = pair([(Self.path, .set(["x"]))])
        let converted = try a.change(Self.path, .convert(.set))
        let inserted = try b.change(Self.path, .insert(.index(1), ["y"]))
        meet(&a, &b, [converted, inserted])
        #expect(a.typed("p")?.plain == ["x"] && a.typed("p")?.kind == .set)
        #expect(a.typed("p")?.conflicts.map(\.value.plain) == [["x", "y"]])
    }

    @Test("conflicts that the place had already stay listed")
    func olderConflicts() throws {
        var (a, b) = pair()
        let (mine, theirs) = (
            try a.change(Self.path, .set("mine")), try b.change(Self.path, .set("theirs"))
        )
        meet(&a, &b, [mine, theirs])
        let shown = try #require(a.typed("p")?.plain)
        let converted = try a.change(Self.path, .convert(.text))
        meet(&a, &b, [converted])
        #expect(a.typed("p")?.kind == .text && a.typed("p")?.plain == shown)
        #expect(Set(a.typed("p")?.conflicts.map(\.value.plain) ?? []) == ["mine", "theirs"])
        // Settled by taking what shows.
        let settled = try b.change(Self.path, .resolve(.take(0)))
        meet(&a, &b, [settled])
        #expect(a.typed("p") == .text(Key(shown == "mine" ? "mine" : "theirs"), conflicts: []))
    }

    @Test("lists, sets and ordered sets become each other, also as elements of a list, also empty")
    func containers() throws {
        for value in [["x", "y"], []] as [PlainValue] {
            var a = SimulatedReplica(1)
            try a.change(Self.path, .set([value]))
            let path = Self.path + [.index(0)]
            for kind in [ContainerKind.set, .orderedSet, .list, .orderedSet, .set, .list] {
                try a.change(path, .convert(kind))
                #expect(a.plain == ["p": [value]])
                guard case .list(let elements, _)? = a.typed("p") else {
                    Issue.record("no list")
                    return
                }
                #expect(elements.first?.value.kind == kind && elements.first?.value.conflicts.isEmpty == true)
            }
        }
    }

    @Test("what does not fit is refused")
    func misfits() {
        var (a, _) = pair([
            (["string"], .set("s")), (["number"], .set(1)), (["half"], .set(.scalar(.double(0.5)))),
            (["twice"], .set(["x", "x"])), (["deep"], .set([["x"]])), (["map"], .set([:])),
            (["gone"], .set(1)), (["gone"], .delete), (["text"], .splice(index: 0, delete: 0, insert: "t")),
        ])
        let misfits: [(Key, ContainerKind)] = [
            ("string", .counter), ("string", .set), ("number", .text), ("number", .list), ("half", .counter),
            ("twice", .set), ("twice", .orderedSet), ("deep", .set), ("map", .text), ("gone", .text),
            ("never", .text), ("text", .counter), ("string", .map), ("string", .removeWinsSet),
        ]
        for (key, kind) in misfits {
            guard case .doesNotFit? = a.refusal([.key(key)], .convert(kind)) else {
                Issue.record("\(key) became a \(kind)")
                continue
            }
        }
        guard case .notForDocument? = a.refusal([], .convert(.text)) else {
            Issue.record("a document became a text")
            return
        }
    }

    @Test("a request that meets another kind says where, and whether convert helps")
    func wrongKind() throws {
        var a = SimulatedReplica(1)
        try a.change(["m", "title"], .set("s"))
        func place(_ path: [PathElement], _ verb: OperationRequest.Verb) -> KindPlace? {
            let request = OperationRequest(document: SimulatedReplica.key, path: path, verb: verb)
            do throws(AuthorError) {
                _ = try a.document.author(
                    request, dot: Dot(a.id, a.known[a.id] + 1), timestamp: Timestamp(milliseconds: 9_000),
                    context: VersionVector())
                return nil
            } catch {
                guard case .wrongKind(_, _, let place) = error else { return nil }
                return place
            }
        }
        let (path, key): ([PathElement], Key) = (["m", "title"], SimulatedReplica.key)
        #expect(
            place(path, .splice(index: 0, delete: 0, insert: "x"))
                == KindPlace(document: key, path: path, isConvertible: true))
        #expect(
            place(path, .increment(by: 1)) == KindPlace(document: key, path: path, isConvertible: false))
    }

    /// What somebody writes into one place, or makes of it.
    private static func drawn(_ random: inout SeededGenerator, _ number: Int) -> OperationRequest.Verb {
        let word = PlainValue.scalar(.string(Key("w\(number)")))
        switch Int.random(in: 0...11, using: &random) {
        case 0: return .set(word)
        case 1: return .set(.scalar(.integer(Int64(number))))
        case 2: return .set([word])
        case 3: return .convert(.text)
        case 4: return .convert(.counter)
        case 5: return .convert(.set)
        case 6: return .convert(.list)
        case 7: return .convert(.orderedSet)
        case 8: return .splice(index: 0, delete: 0, insert: "s")
        case 9: return .add(.integer(Int64(number)))
        case 10: return .insert(.index(0), [word])
        default: return .increment(by: 1)
        }
    }

    @Test(
        "conversions and writes of one place, in any order, end as the definition says",
        arguments: 0..<150 as Range<UInt64>)
    func storm(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var replicas = (1...3 as ClosedRange<UInt64>).map { SimulatedReplica($0) }
        var changes: [TestChange] = []
        for number in 0..<24 {
            let index = Int.random(in: 0..<replicas.count, using: &random)
            replicas[index].clock = UInt64.random(in: 1...2_000, using: &random)
            if Int.random(in: 0...3, using: &random) == 0 { replicas[index].execute(all: changes) }
            let verb = Self.drawn(&random, number)
            if let change = replicas[index].author([(Self.path, verb)]) { changes.append(change) }
        }
        exchange(&replicas, changes)
        let model = ModelDocument(of: changes)
        #expect(model.typed == replicas[0].document.typed, "seed \(seed)")
        #expect(model.plain == replicas[0].plain, "seed \(seed)")
        let whole = DeliveryOrders.drawn(of: changes, using: &random)
        expectEqual(replicas[0], try replay(whole, reopening: [7, 15]), "seed \(seed)")
    }

    @Test("a place is converted again and again, until its generations end")
    func manyTimes() throws {
        var a = SimulatedReplica(1)
        try a.change(Self.path, .set("s"))
        for round in 0..<300 {
            try a.change(Self.path, .convert(.text))
            #expect(a.plain == ["p": "s"] && a.typed("p")?.kind == .text, "round \(round)")
            try a.change(Self.path, .delete)
            try a.change(Self.path, .set("s"))
        }
    }
}

@Suite struct ResolutionTests {
    private static let path: [PathElement] = ["p"]

    /// Three values of one place: a register and a list, which were written apart, and a second register.
    private func contested() throws -> (a: SimulatedReplica, b: SimulatedReplica) {
        var (a, b) = pair([(["q"], .set(1))])
        var c = SimulatedReplica(3)
        let changes = [
            try a.change(Self.path, .set("one")), try b.change(Self.path, .set(["two"])),
            try c.change(Self.path, .set("three")),
        ]
        a.execute(all: changes)
        b.execute(all: changes)
        return (a, b)
    }

    @Test("each value of a conflict can be taken, and the others are gone", arguments: 0..<3)
    func take(number: Int) throws {
        var (a, b) = try contested()
        let conflicts = a.document.conflicts(limit: 10)
        try #require(conflicts.count == 1 && conflicts[0].path == Self.path)
        try #require(conflicts[0].candidates.count == 3)
        let wanted = conflicts[0].candidates[number]
        let taken = try a.change(Self.path, .resolve(.take(number)))
        meet(&a, &b, [taken])
        #expect(a.typed("p")?.plain == wanted.value && a.typed("p")?.kind == wanted.kind)
        #expect(!a.document.mayHoldConflicts && a.document.conflicts(limit: 10).isEmpty)
        #expect(a.author([(Self.path, .resolve(.take(0)))]) == nil)
        #expect(a.refusal(Self.path, .resolve(.take(1))) == .noSuchCandidate(take: 1, count: 1))
        #expect(a.refusal(["none"], .resolve(.take(0))) == .noSuchCandidate(take: 0, count: 0))
    }

    @Test("a list that is taken goes on being that list")
    func identity() throws {
        var (a, b) = try contested()
        let number = try #require(
            a.document.conflicts(limit: 1)[0].candidates.firstIndex { $0.kind == .list })
        let inserted =
            number == 0
            ? try b.change(Self.path, .insert(.index(1), ["more"])) : try b.change(["q"], .set(2))
        let taken = try a.change(Self.path, .resolve(.take(number)))
        meet(&a, &b, [inserted, taken])
        #expect(a.typed("p")?.plain == (number == 0 ? ["two", "more"] : ["two"]))
        #expect(a.typed("p")?.conflicts.isEmpty == true)
    }

    @Test("a value of one's own ends the conflict too")
    func value() throws {
        for value in ["four", ["two", "four"], ["k": 1]] as [PlainValue] {
            var (a, b) = try contested()
            let written = try a.change(Self.path, .resolve(.value(value)))
            meet(&a, &b, [written])
            #expect(a.typed("p")?.plain == value && a.typed("p")?.conflicts.isEmpty == true)
        }
    }

    @Test("what is written at the same time as a conflict is ended is a conflict again")
    func concurrent() throws {
        var (a, b) = try contested()
        let (taken, written) = (
            try a.change(Self.path, .resolve(.take(1))), try b.change(Self.path, .set("five"))
        )
        meet(&a, &b, [taken, written])
        let values = a.document.conflicts(limit: 10).flatMap { $0.candidates.map(\.value) }
        #expect(values.count == 2 && values.contains("five"))
    }

    @Test("conflicts are listed a slot before what is in it, and go on where a page ended")
    func listing() throws {
        var (a, b) = pair([(["l"], .set(["x", ["k": 1]])), (["t"], .set("t"))])
        let changes = try [
            a.change(["l", 0], .set("a")), b.change(["l", 0], .set("b")),
            a.change(["l", 1, "k"], .set(2)), b.change(["l", 1, "k"], .set(3)),
            a.change(["t"], .set("a")), b.change(["t"], .set("b")),
        ]
        meet(&a, &b, changes)
        let all = a.document.conflicts(limit: 10)
        #expect(all.map(\.path) == [["l", 0], ["l", 1, "k"], ["t"]])
        #expect(a.document.conflicts(after: 1, limit: 1) == [all[1]])
        #expect(a.document.conflicts(after: 3, limit: 1).isEmpty)
        #expect(Set(all[2].candidates.map(\.dot.replica)) == [testReplica(1), testReplica(2)])
    }

    @Test("a document whose whole was written anew apart is settled at its root")
    func root() throws {
        var (a, b) = pair([(["x"], .set(1))])
        let changes = try [
            a.change([], .delete), a.change(["y"], .set(2)), b.change(["x"], .set(3)),
        ]
        meet(&a, &b, changes)
        let conflict = try #require(a.document.conflicts(limit: 1).first)
        #expect(conflict.path.isEmpty && conflict.candidates.map(\.value) == [["y": 2], ["x": 3]])
        for (number, value) in [["y": 2], ["x": 3]].enumerated() as EnumeratedSequence<[PlainValue]> {
            var (c, d) = (a, b)
            let taken = try c.change([], .resolve(.take(number)))
            meet(&c, &d, [taken])
            #expect(c.plain == value && !c.document.mayHoldConflicts)
        }
    }
}

// What adopting a void change does with each kind of operation, in documents that went on without it
// (decision 0172).

import Bytes
import Causality
import JSON
import Testing

@testable import Documents

/// Nothing was adopted before but what stands in `copies`.
private struct Past: AdoptionPast {
    var ranges: [AdoptedRange] = []
    /// What each operation that was made again was made from.
    var originals: [Dot: Dot] = [:]
    var changes: [TestChange] = []

    mutating func copies(of range: DotRange) -> [DotRange] {
        ranges.compactMap { $0.copies(of: range) }
    }

    mutating func origins(of position: Dot) -> (left: Dot?, right: Dot?)? {
        for change in changes {
            for (operation, stamp) in zip(change.operations, change.stamps) {
                guard case .act(_, .insertText(let left, let right, let text)) = operation.body,
                    stamp.dot.replica == position.replica, stamp.dot.sequence <= position.sequence,
                    position.sequence.value < stamp.dot.sequence.value + UInt64(text.unicodeScalars.count)
                else { continue }
                let before = Dot(position.replica, position.sequence.previous)
                return (position == stamp.dot ? left : before, right)
            }
        }
        return nil
    }

    mutating func original(of dot: Dot) -> Priority? {
        let ranged = ranges.lazy.compactMap { $0.original(of: dot) }.first
        return (ranged ?? originals[dot]).map { Priority(Timestamp(milliseconds: 1), $0) }
    }

    mutating func holdsOnlyCopies(_ range: DotRange, in document: Key, seenBy stamp: OperationStamp) -> Bool {
        for sequence in range.first.value...range.last.value {
            let dot = Dot(range.replica, SequenceNumber(sequence))
            guard let original = original(of: dot), stamp.covers(original.dot) else { return false }
        }
        return true
    }
}

/// 1 stays, 2 is void from the cut on.
private struct Cut {
    var here = SimulatedReplica(1)
    var there = SimulatedReplica(2)
    var past = Past()
    private var refusals: [AdoptionRefusal] = []

    /// Both know what one of them writes.
    mutating func share(_ path: [PathElement], _ verb: OperationRequest.Verb) throws {
        there.execute(try here.change(path, verb))
        (here.clock, there.clock) = (here.clock + 10, there.clock + 10)
    }

    /// Later than everything so far.
    mutating func write(_ path: [PathElement], _ verb: OperationRequest.Verb) throws {
        here.clock = max(here.clock, there.clock) + 10
        try here.change(path, verb)
    }

    mutating func voidly(_ path: [PathElement], _ verb: OperationRequest.Verb) throws {
        there.clock = max(here.clock, there.clock) + 10
        past.changes.append(try there.change(path, verb))
    }

    /// Adopts all void changes, in their order; what was refused.
    mutating func adopt(released: VersionVector = VersionVector()) -> [AdoptionRefusal] {
        var refusals: [AdoptionRefusal] = []
        here.clock = max(here.clock, there.clock) + 100
        for change in past.changes {
            for (operation, stamp) in zip(change.operations, change.stamps) {
                let original = stamp.dot
                here.known.advance(to: change.last)
                let context = VersionVector(here.known.entries.filter { $0.replica != here.id })
                let dot = Dot(here.id, here.known[here.id] + 1)
                let made = here.document.adopt(
                    operation, stamp, &past, dot: dot, timestamp: Timestamp(milliseconds: here.clock),
                    context: context, released: released)
                var next = dot
                for operation in made.authored.operations {
                    let stamp = OperationStamp(
                        dot: next, timestamp: Timestamp(milliseconds: here.clock), context: context)
                    #expect(operation.isStaticallyValid(stamp), "\(operation)")
                    past.originals[next] = original
                    next = next.advanced(by: operation.sequenceCount)
                }
                if next != dot { here.known.advance(to: Dot(next.replica, next.sequence.previous)) }
                past.ranges += made.copies
                if let refusal = made.refusal { refusals.append(refusal) }
            }
        }
        here.document.checkInvariants()
        return refusals
    }

    var shown: String {
        guard let value = here.plain else { return "absent" }
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [PathElement] {
    fileprivate init(_ keys: String...) { self = keys.map { .key(Key($0)) } }
}

private func number(_ value: Int64) -> OperationRequest.Verb { .set(.scalar(.integer(value))) }
private func word(_ value: String) -> PlainValue { .scalar(.string(Key(value))) }
private func type(_ text: String, at index: Int, deleting count: Int = 0) -> OperationRequest.Verb {
    .splice(index: index, delete: count, insert: text)
}

@Suite struct AdoptTests {
    @Test("a value is written unless what shows is newer and was not seen")
    func registers() throws {
        var cut = Cut()
        try cut.share(["a"], number(1))
        try cut.share(["b"], number(1))
        try cut.write(["a"], number(2))
        try cut.voidly(["a"], number(3))
        try cut.voidly(["b"], number(3))
        try cut.voidly(["b"], number(4))
        try cut.voidly(["c"], number(3))
        try cut.write(["c"], number(5))
        #expect(cut.adopt() == [.newer])
        #expect(cut.shown == #"{"a":3,"b":4,"c":5}"#)
    }

    @Test("a value does not go over a newer container, nor a container over a newer value")
    func kinds() throws {
        var cut = Cut()
        try cut.share(["seed"], number(1))
        try cut.voidly(["a"], number(3))
        try cut.voidly(["b", "in"], number(3))
        try cut.write(["a", "in"], number(5))
        try cut.write(["b"], number(5))
        #expect(cut.adopt() == [.newer, .newer])
        #expect(cut.shown == #"{"a":{"in":5},"b":5,"seed":1}"#)
    }

    @Test("increments and members are added again")
    func additions() throws {
        var cut = Cut()
        try cut.share(["n"], .increment(by: 1))
        try cut.share(["tags"], .add(.string("a")))
        try cut.voidly(["n"], .increment(by: 10))
        try cut.voidly(["tags"], .add(.string("b")))
        try cut.voidly(["m"], .increment(by: 5))
        try cut.write(["n"], .increment(by: 100))
        #expect(cut.adopt().isEmpty)
        #expect(cut.shown == #"{"m":5,"n":111,"tags":["a","b"]}"#)
    }

    @Test("what died is not revived: additions go into a new container, without the old content")
    func dead() throws {
        var cut = Cut()
        try cut.share(["title"], number(1))
        try cut.share(["tags"], .add(.string("old")))
        try cut.voidly(["tags"], .add(.string("new")))
        try cut.voidly(["later"], number(2))
        try cut.write([], .delete)
        #expect(cut.adopt().isEmpty)
        #expect(cut.shown == #"{"later":2,"tags":["new"]}"#)

        var other = Cut()
        try other.share(["tags"], .add(.string("old")))
        try other.voidly(["tags"], .add(.string("new")))
        try other.write(["tags"], .delete)
        try other.write(["tags"], .add(.string("again")))
        #expect(other.adopt().isEmpty)
        #expect(other.shown == #"{"tags":["again","new"]}"#)
    }

    @Test("a delete is made where it takes nothing unseen, and copies of what was seen count as seen")
    func deletes() throws {
        var cut = Cut()
        for key in ["a", "b", "c"] { try cut.share([.key(Key(key))], number(1)) }
        try cut.share(["map", "x"], number(1))
        try cut.voidly(["a"], .delete)
        try cut.voidly(["b"], .delete)
        try cut.voidly(["map"], .delete)
        try cut.write(["b"], number(2))
        try cut.write(["map", "y"], number(2))
        #expect(cut.adopt() == [.unseen, .unseen])
        #expect(cut.shown == #"{"b":2,"c":1,"map":{"x":1,"y":2}}"#)

        // Of a container's edits only the latest of a replica is known, so all since must be copies.
        for isEdited in [false, true] {
            var cut = Cut()
            try cut.share(["a"], number(1))
            if isEdited { try cut.write(["b"], number(2)) }
            try cut.voidly(["own", "x"], number(1))
            try cut.voidly(["own"], .delete)
            #expect(cut.adopt() == (isEdited ? [.unseen] : []))
            #expect(cut.shown == (isEdited ? #"{"a":1,"b":2,"own":{"x":1}}"# : #"{"a":1}"#))
        }
    }

    @Test("who had not seen what a checkpoint released deletes no container and no element of it")
    func late() throws {
        for isLate in [false, true] {
            var cut = Cut()
            try cut.share(["a"], number(1))
            try cut.share(["map", "x"], number(1))
            try cut.share(["list"], .insert(.index(0), [word("p"), word("q")]))
            let seen = cut.here.known
            try cut.write(["other"], number(1))
            let released = isLate ? cut.here.known : seen
            try cut.voidly(["a"], .delete)
            try cut.voidly(["map"], .delete)
            try cut.voidly([.key("list"), .index(0)], .delete)
            try cut.voidly(["list"], .insert(.index(0), [word("n")]))
            #expect(cut.adopt(released: released) == (isLate ? [.unseen, .unseen] : []))
            #expect(
                cut.shown
                    == (isLate
                        ? #"{"list":["n","p","q"],"map":{"x":1},"other":1}"#
                        : #"{"list":["n","q"],"other":1}"#))
        }
    }

    @Test("a document is deleted where all in it was seen", arguments: [false, true])
    func document(isEdited: Bool) throws {
        var cut = Cut()
        try cut.share(["a"], number(1))
        try cut.voidly([], .delete)
        if isEdited { try cut.write(["b"], number(2)) }
        #expect(cut.adopt() == (isEdited ? [.unseen] : []))
        #expect(cut.shown == (isEdited ? #"{"a":1,"b":2}"# : "absent"))
    }

    @Test("members go where every add was seen, in each kind of set")
    func members() throws {
        for kind in [ContainerKind.set, .removeWinsSet, .orderedSet] {
            var cut = Cut()
            func add(_ value: String) -> OperationRequest.Verb {
                kind == .orderedSet ? .insert(.index(0), [word(value)]) : .add(.string(Key(value)))
            }
            try cut.share(["s"], .make(kind))
            for value in ["b", "a"] { try cut.share(["s"], add(value)) }
            try cut.voidly(["s"], .remove(.string("a")))
            try cut.voidly(["s"], .remove(.string("b")))
            try cut.write(["s"], add("b"))
            // A remove-wins set forgets which adds there were.
            let isForgetful = kind == .removeWinsSet
            #expect(cut.adopt() == (isForgetful ? [.unseen, .unseen] : [.unseen]), "\(kind)")
            #expect(cut.shown == (isForgetful ? #"{"s":["a","b"]}"# : #"{"s":["b"]}"#), "\(kind)")
        }
    }

    @Test(
        "characters are typed again where they were, behind copies of their neighbours, and deleted by name")
    func text() throws {
        var cut = Cut()
        try cut.share(["t"], .make(.text))
        try cut.share(["t"], type("acz", at: 0))
        try cut.voidly(["t"], type("B", at: 1))
        try cut.voidly(["t"], type("C", at: 2))
        try cut.voidly(["t"], type("", at: 2, deleting: 2))
        try cut.write(["t"], type("y", at: 2))
        #expect(cut.adopt().isEmpty)
        #expect(cut.shown == #"{"t":"aByz"}"#)
    }

    @Test("beside a neighbour that is not adopted, characters go to its own neighbour")
    func neighbours() throws {
        var cut = Cut()
        try cut.share(["t"], .make(.text))
        try cut.share(["t"], type("ab", at: 0))
        try cut.voidly(["t"], type("X", at: 1))
        let first = cut.past.changes[0]
        try cut.voidly(["t"], type("Y", at: 2))
        cut.past.changes.removeFirst()
        // Held and known, but not adopted.
        cut.past.changes.insert(TestChange(operations: [], stamps: []), at: 0)
        cut.past.changes[0] = first
        var past = cut.past
        past.ranges = []
        let (operation, stamp) = (past.changes[1].operations[0], past.changes[1].stamps[0])
        cut.here.known.advance(to: past.changes[1].last)
        let context = VersionVector(cut.here.known.entries.filter { $0.replica != cut.here.id })
        _ = cut.here.document.adopt(
            operation, stamp, &past, dot: Dot(cut.here.id, cut.here.known[cut.here.id] + 1),
            timestamp: Timestamp(milliseconds: 10_000), context: context)
        #expect(cut.shown == #"{"t":"aYb"}"#)
    }

    @Test(
        "elements are inserted and moved again; one that is gone takes no writes, one that was edited stays")
    func lists() throws {
        var cut = Cut()
        try cut.share(["l"], .set(.array(["a", "b", "c", "d"].map(word))))
        try cut.voidly(["l"], .insert(.index(1), [word("X")]))
        try cut.voidly(["l"], .insert(.index(2), [word("Y")]))
        try cut.voidly([.key("l"), .index(4)], number(4))  // c
        try cut.voidly([.key("l"), .index(3)], .delete)  // b
        try cut.voidly([.key("l"), .index(4)], .delete)  // d
        try cut.write([.key("l"), .index(2)], .delete)  // c
        try cut.write([.key("l"), .index(2)], number(9))  // d
        #expect(cut.adopt() == [.gone, .unseen])
        #expect(cut.shown == #"{"l":["a","X","Y",9]}"#)
    }

    @Test("a move is made unless the position is newer and was not seen")
    func moves() throws {
        for isFirst in [true, false] {
            var cut = Cut()
            try cut.share(["l"], .set(.array(["a", "b", "c"].map(word))))
            if isFirst { try cut.write(["l"], .move(.index(0), to: .index(1))) }
            try cut.voidly(["l"], .move(.index(0), to: .index(2)))
            if !isFirst { try cut.write(["l"], .move(.index(0), to: .index(1))) }
            #expect(cut.adopt() == (isFirst ? [] : [.newer]))
            #expect(cut.shown == (isFirst ? #"{"l":["b","c","a"]}"# : #"{"l":["b","a","c"]}"#))
        }
    }

    @Test("nested values of void insertions come with them")
    func nested() throws {
        var cut = Cut()
        try cut.share(["l"], .set(.array([word("a")])))
        try cut.voidly(
            ["l"], .insert(.index(1), [.object([.init("k", word("v")), .init("n", .array([word("w")]))])]))
        try cut.voidly([.key("l"), .index(1), .key("k")], .set(word("changed")))
        #expect(cut.adopt().isEmpty)
        #expect(cut.shown == #"{"l":["a",{"k":"changed","n":["w"]}]}"#)
    }

    @Test("the mark of an adoption names its change, is valid, and changes no document on any version")
    func mark() throws {
        var cut = Cut()
        try cut.share(["l"], .set(.array([word("a")])))
        let adopted = Dot(cut.there.id, SequenceNumber(7))
        let seen = Dot(cut.here.id, SequenceNumber(1))
        let mark = Operation(adopting: adopted, in: SimulatedReplica.key, naming: seen)
        #expect(mark.adopted == adopted)
        let stamp = OperationStamp(
            dot: Dot(cut.here.id, cut.here.known[cut.here.id] + 1), timestamp: Timestamp(milliseconds: 5_000),
            context: VersionVector())
        #expect(mark.isStaticallyValid(stamp))
        let before = cut.here.document.encodeSnapshot()
        let patches = cut.here.document.apply([mark], stamps: [stamp])
        #expect(patches.isEmpty && cut.here.document.encodeSnapshot() == before)
        #expect(
            Operation(
                document: "d", body: .act(in: ContainerPath(generation: .first), .increment(by: 1))
            ).adopted == nil)
    }
}

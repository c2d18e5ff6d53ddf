// The traps of LIFECYCLE 3 that are about documents: each broke an earlier rule for what a base leaves out.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct BaseTrapTests {
    @Test("trap 3: what died since V is kept, because an author of V alone saw it live and writes into it")
    func diedSinceStable() throws {
        var (a, b) = pair()
        var c = SimulatedReplica(3)
        let first = try a.change(["m"], .set(["x": 1]))
        b.execute(first)
        // b's edit and a's delete are concurrent: m lives by the edit.
        let edit = try b.change(["m", "y"], .set(2))
        let delete = try a.change(["m"], .delete)
        a.execute(edit)
        for change in [first, edit, delete] { c.execute(change) }
        let whole = try a.change(["m"], .delete)
        let late = try c.change(["m", "z"], .set(3))
        var chain = Checkpoints()
        chain.hold([first, edit, delete])
        chain.hold([whole])
        a.execute(late)
        #expect(a.plain == ["m": ["x": 1, "y": 2, "z": 3]])
        #expect(chain.document([late]).typed == a.document.typed)
        // Had it not come, two checkpoints later the map would be gone.
        chain.hold([])
        #expect(chain.bytes?.count ?? 0 < 60, "\(chain.bytes?.count ?? 0) bytes of an empty document")
    }

    @Test(
        "trap 4: of merged marks the latest stays, and the same is left whether it was merged early or late")
    func latestMark() throws {
        var (a, b) = (SimulatedReplica(1, clock: 100), SimulatedReplica(2, clock: 9_000))
        let first = try a.change(["m"], .set(["x": 1]))
        b.execute(first)
        // In time b's is the latest, by sequence a's is greater.
        let early = try b.change(["m", "y"], .set(2))
        let more = try (0..<4).map { try a.change(["m", "x"], .set(.scalar(.integer(10 + $0)))) }
        a.execute(early)
        b.execute(all: more)
        let stable = a.known
        let last = try b.change(["m", "y"], .set(7))
        var (purged, unpurged) = (a.document, a.document)
        purged.purge(asOf: stable)
        #expect(purged.encodeSnapshot() != unpurged.encodeSnapshot(), "there was something to merge")
        #expect(purged.typed == unpurged.typed)
        _ = purged.apply(last.operations, stamps: last.stamps)
        _ = unpurged.apply(last.operations, stamps: last.stamps)
        #expect(purged.typed == unpurged.typed)
        purged.purge(asOf: stable)
        unpurged.purge(asOf: stable)
        #expect(purged.encodeSnapshot() == unpurged.encodeSnapshot())
    }

    @Test("trap 5: an operation that names what was dropped finds nothing there, in every order")
    func hostileNames() throws {
        var (a, b) = pair()
        let made = try a.change(["m"], .set(["x": 1]))
        let list = try a.change(["l"], .set([1, 2]))
        b.execute(all: [made, list])
        let gone = a.elements("l")[0]
        let deletes = [try a.change(["m"], .delete), try a.change(["l", .element(gone)], .delete)]
        b.execute(all: deletes)
        var chain = Checkpoints()
        chain.hold([made, list] + deletes)
        chain.hold([])
        chain.hold([])
        // One writes into the map and the element that are gone; honest ones make the map anew and insert.
        let old = ContainerPath(generation: .first, steps: [ContainerStep(.key("m"), .map, .first)])
        let inList = ContainerPath(generation: .first, steps: [ContainerStep(.key("l"), .list, .first)])
        let forged = b.forge([
            .act(in: old, .write(slot: .key("y"), value: 2, generation: .first)),
            .act(in: inList, .write(slot: .element(gone), value: 9, generation: .first)),
            .act(in: inList, .moveElement(gone, left: nil, right: nil)),
        ])
        a.document = chain.document()
        let again = try a.change(["m"], .set(["z": 3]))
        let inserted = try a.change(["l"], .insert(.index(0), [0]))
        let orders = DeliveryOrders.all(of: [forged, again, inserted], after: chain.held)
        #expect(orders.count == 3)
        let documents = orders.map { chain.document($0) }
        for document in documents {
            #expect(document.encodeSnapshot() == documents[0].encodeSnapshot())
            #expect(document.value(at: ["m"]) == ["y": 2, "z": 3], "x was forgotten")
        }
        // Who has not heard that the checkpoint stands sees the old map until it has: then it starts anew
        // from the base, and is as everybody.
        var late = Document(key: SimulatedReplica.key)
        for change in [made, list] + deletes + [forged] {
            _ = late.apply(change.operations, stamps: change.stamps)
        }
        #expect(late.value(at: ["m"]) == ["x": 1, "y": 2])
        #expect(chain.document([forged]).value(at: ["m"]) == ["y": 2])
    }

    @Test("trap 5: a delete that covers one of two marks is in W, so it comes before they are merged")
    func deleteOfOneMark() throws {
        var (a, b) = pair()
        let first = try a.change(["m"], .set(["x": 1]))
        b.execute(first)
        let second = try a.change(["m", "x"], .set(2))
        let other = try b.change(["m", "y"], .set(3))
        // It has seen its own edits and not b's, which is in V of the checkpoint that holds the delete.
        let delete = try a.change(["m"], .delete)
        var chain = Checkpoints()
        chain.hold([first, second, other])
        chain.hold([delete])
        a.execute(other)
        #expect(chain.document().typed == a.document.typed)
        #expect(a.plain == ["m": ["x": 2, "y": 3]])
    }

    @Test("what an operation in W names by a clear or a move stays for one more checkpoint")
    func named() throws {
        var a = SimulatedReplica(1)
        var changes = [try a.change(["m"], .set(["x": 1])), try a.change(["l"], .set([1, 2]))]
        let element = a.elements("l")[0]
        changes += [try a.change(["m"], .delete), try a.change(["l", .element(element)], .delete)]
        var chain = Checkpoints()
        chain.hold(changes)
        let root = ContainerPath(generation: .first)
        let list = ContainerPath(generation: .first, steps: [ContainerStep(.key("l"), .list, .first)])
        chain.hold([
            a.forge([
                .act(in: root, .clear(slot: .key("m"), observed: [ObservedContainer(.map, .first)])),
                .act(in: list, .moveElement(element, left: nil, right: nil)),
            ])
        ])
        func kept() -> [Int?] {
            [chain.base?.state.containers.count, chain.base?.state.contents.lists.first?.elements.count]
        }
        #expect(kept() == [3, 2])
        chain.hold([])
        #expect(kept() == [2, 1])
    }

    @Test(
        "an absent member keeps a position outside of V: it decides where the member stands that others add")
    func absentMember() throws {
        var (a, b) = (SimulatedReplica(1, clock: 9_000), SimulatedReplica(2, clock: 10))
        let first = try a.change(["o"], .make(.orderedSet))
        let filled = try a.change(["o"], .insert(.index(0), ["x", "y", "z"]))
        b.execute(all: [first, filled])
        var chain = Checkpoints()
        chain.hold([first, filled])
        // a moves x to the end and removes it; b, who has not seen that, adds it again where it was.
        let moved = try a.change(["o"], .move(.index(0), to: .index(2)))
        let removed = try a.change(["o"], .remove("x"))
        let added = try b.change(["o"], .add("x"))
        chain.hold([moved, removed])
        a.execute(added)
        #expect(a.plain == ["o": ["y", "z", "x"]])
        #expect(chain.document([added]).typed == a.document.typed)
    }

    @Test("trap 11: digests of those who purged and those who did not yet are equal once both have")
    func digests() throws {
        var (a, b) = pair([(["s"], .make(.removeWinsSet)), (["o"], .make(.orderedSet))])
        var changes: [TestChange] = []
        for value in [1, 2, 3] as [Int64] {
            changes.append(try a.change(["s"], .add(.integer(value))))
            changes.append(try a.change(["o"], .add(.integer(value))))
            b.execute(all: changes)
            changes.append(try b.change(["s"], .remove(.integer(value))))
            changes.append(try b.change(["o"], .remove(.integer(value))))
            a.execute(all: changes)
        }
        let stable = a.known
        var unpurged = a.document
        a.document.purge(asOf: stable)
        #expect(a.document.digest() != unpurged.digest())
        let more = [try b.change(["s"], .add(2)), try b.change(["o"], .add(2))]
        for change in more { _ = unpurged.apply(change.operations, stamps: change.stamps) }
        a.execute(all: more)
        a.document.purge(asOf: stable)
        unpurged.purge(asOf: stable)
        #expect(a.document.digest() == unpurged.digest())
        #expect(a.plain == ["o": [2], "s": [2]])
    }
}

extension DeliveryOrders {
    /// All causal orders of what follows `known`.
    static func all(of changes: [TestChange], after known: VersionVector) -> [[TestChange]] {
        guard !changes.isEmpty else { return [[]] }
        return changes.indices.filter { changes[$0].isReady(after: known) }.flatMap { index in
            var (rest, next) = (changes, known)
            next.advance(to: rest[index].last)
            let change = rest.remove(at: index)
            return all(of: rest, after: next).map { [change] + $0 }
        }
    }
}

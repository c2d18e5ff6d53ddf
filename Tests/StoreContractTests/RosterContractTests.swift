// The part of the contract about spaces and rosters, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let a = replica(1)

@Suite struct RosterContractTests {
    @Test("a space is replaced under its id, with every bit of its incarnation", arguments: Kind.allCases)
    func spaces(kind: Kind) throws {
        var disk = try Disk(kind)
        var changed = record(home, "other", position: 5)
        changed.incarnation = .max
        try disk.transact { store in
            try store.put(record(space(2), "second"))
            try store.put(record(home))
            try store.put(changed)
        }
        #expect(try disk.store.spaces() == [changed, record(space(2), "second")])
    }

    @Test(
        "a space's position follows its changes, and is never before what was put", arguments: Kind.allCases)
    func positions(kind: Kind) throws {
        var disk = try Disk(kind)
        func position() throws -> UInt64? { try disk.store.spaces().first?.position.value }
        try disk.transact { store in
            try store.put(record(home, position: 2))
            try store.put(record(space(2)))
        }
        #expect(try position() == 2)
        try disk.transact {
            try $0.add(home, run(replica(1), from: 1, at: 3, [1, 4]), touching: [["a"], []])
        }
        #expect(try position() == 4 && disk.store.spaces().last?.position == .start)
        try disk.transact { try $0.put(record(home, position: 9)) }
        #expect(try position() == 9)
        #expect(try disk.afterCrash().store.spaces().first?.position.value == 9)
    }

    @Test("roster operations come back in the order they were added", arguments: Kind.allCases)
    func roster(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for byte in [3, 1, 2] as [UInt8] { try store.addRosterOperation(home, [byte]) }
        }
        #expect(try disk.store.rosterOperations(home) == [[3], [1], [2]])
    }

    @Test("a removed space leaves nothing behind, and its id can be used again", arguments: Kind.allCases)
    func removal(kind: Kind) throws {
        var disk = try Disk(kind)
        func fill(_ store: inout any ChangeStore, _ id: SpaceID) throws {
            try store.put(record(id, "\(id)"))
            try store.addRosterOperation(id, [1])
            try store.add(id, run(a, from: 1, at: 1, [1]), touching: [["x"]])
            try store.addSeal(id, seal(a, 1), isBoundary: true)
            try store.addBoundary(id, a, BoundaryRecord(last: SequenceNumber(1), state: []))
            try store.put(id, document("x"))
            try store.put(id, "x", SnapshotRecord(position: .start, bytes: [1]))
        }
        try disk.transact { store in
            try fill(&store, home)
            try fill(&store, space(2))
        }
        try disk.transact { store in
            try store.remove(home)
            try store.put(record(home, "again"))
        }
        let store = disk.store
        #expect(try store.spaces().map(\.name) == ["again", "\(space(2))"])
        #expect(try store.rosterOperations(home) == [])
        #expect(try store.heads(home).isEmpty)
        #expect(try store.commits(home, after: .start, limit: 9) == [])
        #expect(try store.seals(home, a, from: SequenceNumber(1), limit: 9) == [])
        #expect(try store.documentCount(home) == 0)
        #expect(try store.snapshot(home, "x") == nil)
        #expect(try store.documentCount(space(2)) == 1)
        #expect(try store.heads(space(2))[a] == SequenceNumber(1))
        try disk.transact { try $0.add(home, run(a, from: 1, at: 1, [4]), touching: [["x"]]) }
        #expect(try disk.store.heads(home)[a] == SequenceNumber(4))
    }
}

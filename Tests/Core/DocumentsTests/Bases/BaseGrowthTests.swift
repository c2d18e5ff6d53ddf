// What is dead leaves nothing behind: after a second checkpoint a document is as large as what it shows.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct BaseGrowthTests {
    /// A replica that writes between checkpoints, each of which holds all that there is.
    private struct Writer {
        var replica = SimulatedReplica(1)
        var chain = Checkpoints()

        mutating func epoch(_ requests: [([PathElement], OperationRequest.Verb)]) throws {
            let changes = try requests.map { try replica.change($0.0, $0.1) }
            checkpoint(changes)
        }

        mutating func checkpoint(_ changes: [TestChange]) {
            chain.hold(changes)
            #expect(chain.document().typed == replica.document.typed)
            replica.document = chain.document()
        }
    }

    @Test("what was made and deleted leaves no byte after two checkpoints", arguments: ContainerKind.allCases)
    func containers(kind: ContainerKind) throws {
        var writer = Writer()
        try writer.epoch([(["kept"], .set(1))])
        try writer.epoch([(["kept"], .set(2))])
        writer.checkpoint([])
        let size = try #require(writer.chain.bytes).count
        for round in 0..<3 {
            try writer.epoch([(["gone"], .make(kind)), (["kept"], .set(.scalar(.integer(Int64(round)))))])
            try writer.epoch([(["gone"], .delete)])
            #expect(try #require(writer.chain.bytes).count > size + 5, "it died since V")
            writer.checkpoint([])
            let left = try #require(writer.chain.bytes).count
            #expect(left <= size + 4, "\(left - size) bytes of a deleted \(kind.name)")
        }
    }

    @Test("a deleted document leaves nothing after two checkpoints; made anew, it begins anew")
    func documents() throws {
        var writer = Writer()
        try writer.epoch([(["a"], .set(["b": 1]))])
        try writer.epoch([([], .delete)])
        #expect(writer.chain.base != nil, "it died since V")
        writer.checkpoint([])
        #expect(writer.chain.base == nil)
        try writer.epoch([(["a"], .set(["c": 2]))])
        #expect(writer.replica.plain == ["a": ["c": 2]])
    }

    @Test("a dead element goes with the containers in it and its moves, and a live one keeps its own")
    func elements() throws {
        var writer = Writer()
        try writer.epoch([(["l"], .set([["x": 1], ["y": 2], ["z": 3]]))])
        let moved = writer.replica.elements("l")[0]
        try writer.epoch([
            (["l"], .move(.element(moved), to: .after(writer.replica.elements("l")[2]))),
            (["l", .element(moved)], .delete),
        ])
        #expect(writer.chain.base?.state.contents.lists.first?.elements.count == 3, "it died since V")
        writer.checkpoint([])
        guard let list = writer.chain.base?.state.contents.lists.first else {
            Issue.record("no list")
            return
        }
        #expect(list.elements.count == 2)
        #expect(list.moved.count == 1, "which positions moves made stays")
        #expect(list.order.totalCount == 4)
        #expect(writer.chain.base?.state.containers.count == 4, "the root, the list and two maps")
    }

    @Test("removes in V go, and absent members whose positions are in V")
    func members() throws {
        var writer = Writer()
        try writer.epoch([
            (["r"], .make(.removeWinsSet)), (["r"], .add("aaaa")), (["r"], .add("bbbb")),
            (["o"], .make(.orderedSet)), (["o"], .add("cccc")), (["o"], .add("dddd")),
        ])
        try writer.epoch([(["r"], .remove("aaaa")), (["o"], .remove("cccc"))])
        // A remove must be in V; of an absent member the positions must, and those are from before.
        #expect(writer.chain.base?.state.contents.removeWinsSets.first?.members.count == 2)
        #expect(writer.chain.base?.state.contents.orderedSets.first?.members.count == 1)
        writer.checkpoint([])
        #expect(writer.chain.base?.state.contents.removeWinsSets.first?.members.count == 1)
    }

    @Test("a writer that is long gone and whose marks others have passed is in no table")
    func writers() throws {
        var (a, b) = pair()
        let before = [
            try a.change(["m"], .set(["x": 1])), try a.change(["s"], .make(.removeWinsSet)),
            try a.change(["s"], .add("v")), try a.change(["s"], .remove("v")),
        ]
        b.execute(all: before)
        b.clock = 5_000
        let after = [
            try b.change(["m", "x"], .set(2)), try b.change(["s"], .add("w")),
            try b.change(["m", "y"], .set(3)),
        ]
        var chain = Checkpoints()
        chain.hold(before + after)
        #expect(ReplicaTable(chain.document().state).replicas == [a.id, b.id])
        chain.hold([])
        #expect(ReplicaTable(chain.document().state).replicas == [b.id])
    }

    @Test("a document that nothing has touched since V of the previous checkpoint has the same base")
    func untouched() throws {
        for seed in 0..<60 as Range<UInt64> {
            let (changes, _) = history(seed: seed + 400, replicas: 3, changes: 10)
            var chain = Checkpoints()
            chain.hold(changes)
            chain.hold([])
            let settled = chain.bytes
            chain.hold([])
            #expect(chain.bytes == settled, "seed \(seed)")
        }
    }
}

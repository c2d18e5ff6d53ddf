// The part of the contract about small values by name, and what an empty store says, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let a = replica(1)

@Suite struct PeerContractTests {
    @Test("an empty store knows nothing, and unknown names are nil", arguments: Kind.allCases)
    func empty(kind: Kind) throws {
        let store = try Disk(kind).store
        #expect(try store.meta("x") == nil)
        #expect(try store.spaces() == [])
        #expect(try store.heads(home).isEmpty)
        #expect(try store.runs(home, a, from: SequenceNumber(1), bytesMax: 9) == [])
        #expect(try store.boundary(home, a, before: SequenceNumber(9)) == nil)
        #expect(try store.commits(home, after: .start, limit: 9) == [])
        #expect(try store.document(home, "k") == nil)
        #expect(try store.documentCount(home) == 0)
        #expect(try store.snapshot(home, "k") == nil)
        #expect(try store.idempotency(home, "k") == nil)
    }

    @Test("meta values are set, replaced and removed, an empty one is not nil", arguments: Kind.allCases)
    func meta(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.setMeta("a", [1])
            try store.setMeta("a", [])
            try store.setMeta("b", [2])
            try store.setMeta("b", nil)
        }
        #expect(try disk.store.meta("a") == [])
        #expect(try disk.store.meta("b") == nil)
    }

    @Test("names of meta values are found by their beginning", arguments: Kind.allCases)
    func metaNames(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            for name in ["kept/b/2", "kept/b/1", "kept/b", "kept/a/1", "kept/c", "kept/b/~"] {
                try store.setMeta(name, [1])
            }
            try store.setMeta("kept/b/3", nil)
        }
        #expect(try disk.store.metaNames(beginningWith: "kept/b/") == ["kept/b/1", "kept/b/2", "kept/b/~"])
        #expect(try disk.store.metaNames(beginningWith: "kept/d") == [])
    }
}

// Transactions and crashes: what is there afterwards, and what is not.

import Bytes
import Causality
import Node
import SQLiteStore
import Simulator
import Testing
import Wire

private let home = space(1)
private let a = replica(1)

@Suite struct DurabilityTests {
    @Test("a crash keeps what was committed and nothing else", arguments: Kind.allCases)
    func crash(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, run(a, from: 1, at: 1, [1]), touching: [["x"]])
            try store.put(home, document("x"))
        }
        try disk.store.begin()
        try disk.store.setMeta("m", [1])
        try disk.store.add(home, run(a, from: 2, at: 2, [1]), touching: [["x"]])
        try disk.store.put(home, document("y"))
        #expect(try disk.store.heads(home)[a] == SequenceNumber(2), "reads see their own transaction")
        let after = try disk.afterCrash().store
        #expect(try after.meta("m") == nil)
        #expect(try after.heads(home)[a] == SequenceNumber(1))
        #expect(try after.commits(home, touching: "x", after: .start, limit: 9).count == 1)
        #expect(try after.documentCount(home) == 1)
        try disk.store.commit()
        let later = try disk.afterCrash().store
        #expect(try later.heads(home)[a] == SequenceNumber(2))
        #expect(try later.documentCount(home) == 2)
    }

    @Test("a rollback takes everything back, and the same can be written again", arguments: Kind.allCases)
    func rollback(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try store.setMeta("m", [1])
            try store.addSeal(home, seal(a, 1), isBoundary: false)
            try store.put(home, document("x"))
        }
        for _ in 0..<2 {
            try disk.store.begin()
            try disk.store.setMeta("m", nil)
            try disk.store.put(record(home, "renamed"))
            try disk.store.addRosterOperation(home, [1])
            try disk.store.add(home, run(a, from: 1, at: 1, [1, 2]), touching: [["x", "y"], ["x"]])
            try disk.store.addSeal(home, seal(a, 3), isBoundary: false)
            try disk.store.put(home, document("x", visible: false))
            try disk.store.put(home, "x", SnapshotRecord(position: .start, bytes: [1]))
            try disk.store.put(record(space(2)))
            try disk.store.remove(home)
            disk.store.rollback()
            #expect(try disk.store.meta("m") == [1])
            #expect(try disk.store.spaces() == [record(home)])
            #expect(try disk.store.rosterOperations(home) == [])
            #expect(try disk.store.heads(home).isEmpty)
            #expect(try disk.store.commits(home, touching: "x", after: .start, limit: 9) == [])
            #expect(try disk.store.seals(home, a, from: SequenceNumber(1), limit: 9) == [seal(a, 1)])
            #expect(try disk.store.documentCount(home) == 1)
            #expect(try disk.store.snapshot(home, "x") == nil)
        }
        try disk.transact { try $0.add(home, run(a, from: 1, at: 1, [1]), touching: [["x"]]) }
        #expect(try disk.store.heads(home)[a] == SequenceNumber(1))
    }

    @Test("100,000 changes of 50,000 documents are written, listed and counted", arguments: Kind.allCases)
    func many(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { try $0.put(record(home)) }
        var (sequence, position): (UInt64, UInt64) = (1, 1)
        for _ in 0..<25 {
            try disk.transact { store in
                let sample = run(a, from: sequence, at: position, [Int](repeating: 1, count: 4_000))
                let keys = sample.records.map { Key("note/\($0.position.value % 50_000)") }
                try store.add(home, sample, touching: keys.map { [$0] })
                for (key, record) in zip(keys, sample.records) where record.position.value <= 50_000 {
                    try store.put(
                        home, document(key, frontier: [Dot(a, record.last)], at: record.position.value))
                }
                (sequence, position) = (sequence + 4_000, position + 4_000)
            }
        }
        #expect(try disk.store.documentCount(home) == 50_000)
        #expect(try disk.store.heads(home)[a] == SequenceNumber(100_000))
        var (after, listed): (Key?, Int) = (nil, 0)
        while true {
            let page = try disk.store.documents(home, prefix: "note/", after: after, limit: 1_000)
            listed += page.count
            guard let last = page.last else { break }
            after = last.key
        }
        #expect(listed == 50_000)
        #expect(try disk.store.commits(home, after: CommitPosition(99_990), limit: 99).count == 10)
        let touching = try disk.store.commits(home, touching: "note/7", after: .start, limit: 9)
        #expect(touching.map(\.position.value) == [7, 50_007])
    }

    @Test("a commit that finds the disk full leaves nothing, and the next one works")
    func full() throws {
        var store = MemoryStore()
        store.fault = MemoryStore.Fault(commitsBefore: 1, failure: .noSpace)
        try store.begin()
        try store.put(record(home))
        try store.commit()
        try store.begin()
        try store.setMeta("m", [1])
        #expect(throws: StoreFailure.noSpace) { try store.commit() }
        #expect(try store.meta("m") == nil)
        try store.begin()
        try store.setMeta("m", [2])
        try store.commit()
        #expect(try store.meta("m") == [2])
    }

    @Test("after a failed sync every commit fails")
    func failedSync() throws {
        var store = MemoryStore()
        store.fault = MemoryStore.Fault(failure: .failingSync)
        for _ in 0..<3 {
            try store.begin()
            try store.setMeta("m", [1])
            #expect(throws: StoreFailure.failingSync) { try store.commit() }
        }
        #expect(try store.afterCrash().meta("m") == nil)
    }
}

// The part of the contract about logs, over each store: runs, commit order, boundaries, seals.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let (a, b) = (replica(1), replica(2))

@Suite struct LogContractTests {
    @Test(
        "runs are found from any sequence inside them, until the byte bound is passed",
        arguments: Kind.allCases)
    func runs(kind: Kind) throws {
        var disk = try Disk(kind)
        let samples = [
            run(a, from: 1, at: 1, [2, 1]), run(a, from: 4, at: 4, [5]), run(a, from: 9, at: 5, [1]),
        ]
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, samples[0], touching: [["x"], []])
            try store.add(home, run(b, from: 1, at: 3, [7]), touching: [["x"]])
            try store.add(home, samples[1], touching: [["y", "x"]])
            try store.add(home, samples[2], touching: [["x"]])
        }
        func found(_ from: UInt64, _ bytesMax: Int) throws -> [StoredRun] {
            try disk.store.runs(home, a, from: SequenceNumber(from), bytesMax: bytesMax)
        }
        #expect(try found(1, 100) == samples.map(\.run))
        #expect(try found(3, 100) == samples.map(\.run))
        #expect(try found(4, 100) == samples[1...].map(\.run))
        #expect(try found(8, 0) == [samples[1].run])
        #expect(try found(1, 2) == samples[..<2].map(\.run))
        #expect(try found(10, 100) == [])
        let entries = [VersionVector.Entry(a, SequenceNumber(9)), VersionVector.Entry(b, SequenceNumber(7))]
        #expect(try disk.store.heads(home) == VersionVector(entries))
    }

    @Test("commits are listed by position and by document, with what came of each", arguments: Kind.allCases)
    func commits(kind: Kind) throws {
        var disk = try Disk(kind)
        let first = run(a, from: 1, at: 1, [2, 1, 3])
        let second = run(b, from: 1, at: 4, [1, 1], status: .void)
        let third = run(a, from: 7, at: 6, [1], status: .skipped)
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, first, touching: [["x"], ["y", "x"], ["y"]])
            try store.add(home, second, touching: [["x"], []])
            try store.add(home, third, touching: [["x"]])
        }
        let all = first.records + second.records + third.records
        for after in 0...6 as ClosedRange<UInt64> {
            for limit in 0...7 {
                let found = try disk.store.commits(home, after: CommitPosition(after), limit: limit)
                #expect(found == Array(all.dropFirst(Int(after)).prefix(limit)))
            }
        }
        func touching(_ key: Key, _ after: UInt64, _ limit: Int) throws -> [UInt64] {
            let found = try disk.store.commits(
                home, touching: key, after: CommitPosition(after), limit: limit)
            #expect(found.allSatisfy { all.contains($0) })
            return found.map(\.position.value)
        }
        #expect(try touching("x", 0, 9) == [1, 2, 4, 6])
        #expect(try touching("x", 2, 1) == [4])
        #expect(try touching("y", 0, 9) == [2, 3])
        #expect(try touching("z", 0, 9) == [])
    }

    @Test("the boundary before a sequence is the greatest that ends before it", arguments: Kind.allCases)
    func boundaries(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for last in [10, 20] as [UInt64] {
                let boundary = BoundaryRecord(last: SequenceNumber(last), state: [UInt8(last)])
                try store.addBoundary(home, a, boundary)
            }
        }
        func last(before sequence: UInt64) throws -> UInt64? {
            try disk.store.boundary(home, a, before: SequenceNumber(sequence))?.last.value
        }
        #expect(try last(before: 10) == nil)
        #expect(try last(before: 11) == 10)
        #expect(try last(before: 20) == 10)
        #expect(try last(before: .max >> 2) == 20)
        #expect(try disk.store.heads(home).isEmpty, "a log without runs holds nothing")
    }

    @Test("a later seal replaces one that is no boundary's, boundary seals stay", arguments: Kind.allCases)
    func seals(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for (last, isBoundary) in [(3, false), (5, true), (7, false), (9, false), (8, true), (6, false)] {
                try store.addSeal(home, seal(a, UInt64(last)), isBoundary: isBoundary)
            }
        }
        func kept(_ from: UInt64, _ limit: Int) throws -> [Seal] {
            try disk.store.seals(home, a, from: SequenceNumber(from), limit: limit)
        }
        #expect(try kept(1, 9) == [seal(a, 5), seal(a, 8), seal(a, 9)])
        #expect(try kept(6, 1) == [seal(a, 8)])
        try disk.transact { try $0.addSeal(home, seal(a, 9), isBoundary: true) }
        try disk.transact { try $0.addSeal(home, seal(a, 9), isBoundary: false) }
        try disk.transact { try $0.addSeal(home, seal(a, 12), isBoundary: false) }
        #expect(try kept(9, 9) == [seal(a, 9), seal(a, 12)], "once a boundary's, always kept")
    }

    @Test(
        "a marked change has its new status in both orders, and after a rollback the old one",
        arguments: Kind.allCases)
    func mark(kind: Kind) throws {
        var disk = try Disk(kind)
        let first = run(a, from: 1, at: 1, [2, 1, 300])
        let second = run(b, from: 1, at: 4, [1])
        let third = run(a, from: 304, at: 6, [1, 1])
        let touched: [[Key]] = [["x"], ["y", "x"], ["y"]]
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, first, touching: touched)
            try store.add(home, second, touching: [["x"]])
            // A position between them is nobody's: rebuilds take one.
            try store.add(home, third, touching: [["x"], []])
        }
        let marked = Array(first.records[1...]) + third.records
        let keys = Array(touched[1...]) + [["x"], []]
        try disk.store.begin()
        try disk.store.mark(home, marked, touched: keys, as: .void)
        disk.store.rollback()
        #expect(try statuses(disk) == [.executed, .executed, .executed, .executed, .executed, .executed])
        try disk.transact { store in try store.mark(home, marked, touched: keys, as: .void) }
        #expect(try statuses(disk) == [.executed, .void, .void, .executed, .void, .void])
        let x = try disk.store.commits(home, touching: "x", after: .start, limit: 9)
        #expect(x.map(\.status) == [.executed, .void, .executed, .void])
        let y = try disk.store.commits(home, touching: "y", after: .start, limit: 9)
        #expect(y.map(\.status) == [.void, .void])
        #expect(y.map(\.last.value) == [3, 303])
    }

    @Test(
        "a change that was appended as void and is marked as executed touches its documents from then on",
        arguments: Kind.allCases)
    func markExecuted(kind: Kind) throws {
        var disk = try Disk(kind)
        let first = run(a, from: 1, at: 1, [2, 1])
        let void = run(b, from: 1, at: 3, [1])
        let records = void.records.map {
            CommitRecord(
                position: $0.position, replica: $0.replica, first: $0.first, last: $0.last, status: .void)
        }
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, first, touching: [["x"], ["y"]])
            try store.append(home, void.run, changes: records, touched: [[]])
        }
        try disk.store.begin()
        try disk.store.mark(home, records, touched: [["x", "z"]], as: .executed)
        disk.store.rollback()
        #expect(try disk.store.commits(home, touching: "x", after: .start, limit: 9).count == 1)
        try disk.transact { try $0.mark(home, records, touched: [["x", "z"]], as: .executed) }
        #expect(try statuses(disk) == [.executed, .executed, .executed])
        let x = try disk.store.commits(home, touching: "x", after: .start, limit: 9)
        #expect(x.map(\.replica) == [a, b] && x.map(\.status) == [.executed, .executed])
        #expect(try disk.store.commits(home, touching: "z", after: .start, limit: 9).map(\.replica) == [b])
        // And back, like any other.
        let marked = try disk.store.commits(home, after: CommitPosition(2), limit: 1)
        try disk.transact { try $0.mark(home, marked, touched: [["x", "z"]], as: .void) }
        #expect(
            try disk.store.commits(home, touching: "x", after: .start, limit: 9).map(\.status)
                == [.executed, .void])
    }

    private func statuses(_ disk: Disk) throws -> [ChangeStatus] {
        try disk.store.commits(home, after: .start, limit: 99).map(\.status)
    }
}

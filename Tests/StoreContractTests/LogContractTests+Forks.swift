// The part of the contract about logs that is rare: proofs of forks and skipped changes, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let (a, b) = (replica(1), replica(2))

private func fork(_ replica: ReplicaID, at first: UInt64, _ proof: [UInt8] = [1]) -> ForkRecord {
    ForkRecord(replica: replica, first: SequenceNumber(first), since: 77, proof: proof)
}

extension LogContractTests {
    @Test("proofs are kept one a log, the last one put, ascending by log", arguments: Kind.allCases)
    func forks(kind: Kind) throws {
        var disk = try Disk(kind)
        #expect(try disk.store.forks(home) == [])
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, fork(b, at: 9))
            try store.put(home, fork(a, at: 5))
            try store.put(home, fork(b, at: 4, [2, 3]))
        }
        #expect(try disk.store.forks(home) == [fork(a, at: 5), fork(b, at: 4, [2, 3])])
        #expect(try disk.store.forks(space(2)) == [])
        #expect(try disk.store.fork(home, b) == fork(b, at: 4, [2, 3]))
        #expect(try disk.store.fork(home, replica(3)) == nil && disk.store.fork(space(2), b) == nil)
        try disk.transact { store in try store.remove(home) }
        #expect(try disk.store.forks(home) == [])
    }

    @Test("skipped changes are listed by position until they are removed", arguments: Kind.allCases)
    func skipped(kind: Kind) throws {
        var disk = try Disk(kind)
        let sample = run(a, from: 1, at: 1, [2, 1, 3], status: .skipped)
        let records = sample.records.map { SkippedRecord(change: $0, reason: .unknown, since: 5) }
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, sample, touching: [["x"], ["y", "x"], ["y"]])
            for one in records.reversed() { try store.put(home, one) }
        }
        #expect(try disk.store.skipped(home) == records)
        let changed = SkippedRecord(change: records[2].change, reason: .quarantined, since: 6)
        try disk.transact { store in
            try store.removeSkipped(home, at: CommitPosition(2))
            try store.put(home, changed)
        }
        #expect(try disk.store.skipped(home) == [records[0], changed])
    }

    @Test("why a change is skipped comes back as it was put, each reason", arguments: Kind.allCases)
    func reasons(kind: Kind) throws {
        var disk = try Disk(kind)
        let reasons = SkippedRecord.Reason.allCases
        let sample = run(a, from: 1, at: 1, reasons.map { _ in 1 }, status: .skipped)
        try disk.transact { store in
            try store.put(record(home))
            try store.add(home, sample, touching: reasons.map { _ in ["x"] })
            for (change, reason) in zip(sample.records, reasons) {
                try store.put(home, SkippedRecord(change: change, reason: reason, since: 5))
            }
        }
        #expect(try disk.store.skipped(home).map(\.reason) == reasons)
        #expect(try disk.afterCrash().store.skipped(home).map(\.reason) == reasons)
    }
}

// Who pushes what, how often HAVE may be said, and how fast changes may go: each by itself.

import Bytes
import Causality
import Replication
import Testing

private func log(_ n: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: 0, low: n)) }

@Suite struct PushTreeTests {
    @Test("a channel begins lazy, and logs are grafted and pruned one by one or all together")
    func tree() {
        var tree = PushTree()
        #expect(!tree.pushesSome && !tree.pushes(log(1)))
        tree.graft([log(1), log(2)])
        #expect(tree.pushes(log(1)) && tree.pushes(log(2)) && !tree.pushes(log(3)) && !tree.isEager)
        tree.prune([log(1)])
        #expect(!tree.pushes(log(1)) && tree.pushes(log(2)) && tree.pushesSome)
        tree.graft([])
        #expect(tree.pushes(log(1)) && tree.pushes(log(9)) && tree.isEager)
        tree.prune([log(1), log(2)])
        #expect(!tree.pushes(log(1)) && !tree.pushes(log(2)) && tree.pushes(log(3)))
        tree.graft([log(2)])
        #expect(tree.pushes(log(2)) && tree.exceptionCount == 1)
        tree.prune([])
        #expect(!tree.pushesSome && tree.exceptionCount == 0)
    }

    @Test("what is pruned on a channel is not needed there, and is again when it is grafted")
    func need() throws {
        var sync = SpaceSync()
        try sync.peerHolds(VersionVector(), isFull: true)
        let held = VersionVector([.init(log(1), SequenceNumber(3)), .init(log(2), SequenceNumber(4))])
        #expect(!sync.needs(log(1), SequenceNumber(3)) && sync.missing(of: held).isEmpty)
        sync.graft([])
        sync.prune([log(2)])
        #expect(sync.missing(of: held) == [Dot(log(1), SequenceNumber(1))])
        sync.rewind(to: 7)
        sync.graft([log(2)])
        #expect(sync.cursor == nil && sync.needs(log(2), SequenceNumber(4)))
    }

    @Test("HAVE may be said at once after quiet, then as changes and time pay for it")
    func budget() {
        var budget = HaveBudget(at: 1_000)
        #expect(budget.isOpen)
        budget.spend(ReplicationLimits.haveCreditBytesMax + 640)
        #expect(!budget.isOpen)
        let opens = budget.opensAt
        #expect((10_900...11_200).contains(opens), "\(opens)")
        var later = budget
        later.fill(at: opens - 100)
        #expect(!later.isOpen)
        later.fill(at: opens)
        #expect(later.isOpen)
        budget.earn(641 * ReplicationLimits.haveShare)
        #expect(budget.isOpen)
        // What is saved up is bounded.
        budget.earn(1 << 30)
        budget.spend(ReplicationLimits.haveCreditBytesMax)
        #expect(!budget.isOpen)
    }

    @Test("a cap lets a second's worth go at once, the last piece over it, and then what time pays for")
    func bucket() {
        var bucket = RateBucket()
        let isUncapped = bucket.isOpen(rate: 0, at: 0)
        let isFull = bucket.isOpen(rate: 1_000, at: 5_000)
        #expect(isUncapped && isFull)
        bucket.spend(3_000, rate: 1_000, at: 5_000)
        let isEarly = bucket.isOpen(rate: 1_000, at: 5_000)
        #expect(!isEarly)
        #expect(bucket.opensAt(rate: 1_000) == 7_001, "\(bucket.opensAt(rate: 1_000))")
        let isPaid = bucket.isOpen(rate: 1_000, at: 7_001)
        #expect(isPaid)
        // A long pause saves up no more than a second's worth.
        bucket.spend(0, rate: 1_000, at: 900_000)
        bucket.spend(1_000, rate: 1_000, at: 900_000)
        let isSpent = !bucket.isOpen(rate: 1_000, at: 900_000)
        // And a lifted cap holds nothing back.
        let isLifted = bucket.isOpen(rate: 0, at: 900_000)
        #expect(isSpent && isLifted)
    }
}

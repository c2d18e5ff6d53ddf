// The crash guard by itself: a marker is durable before what it marks is executed, and the change that was
// marked alone at a crash is quarantined.

import Bytes
import Causality
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct CrashGuardTests {
    private var transaction = StoreTransaction(MemoryStore())
    private var crashGuard = CrashGuard()
    private let space = SpaceID(raw: .zero)

    private func marker(_ first: UInt64, through last: UInt64, isSingle: Bool = false) -> ExecutionMarker {
        ExecutionMarker(
            space: space, replica: ReplicaID(raw: Bytes16(high: 1, low: 1)), first: SequenceNumber(first),
            last: SequenceNumber(last), isSingle: isSingle)
    }

    private mutating func hold(_ first: UInt64, through last: UInt64) {
        let name = ChannelPlace.Name(connection: ConnectionID(1), number: 0, space: space)
        crashGuard.hold([1, 2, 3], marker(first, through: last), name, in: &transaction)
    }

    private mutating func next(at now: UInt64) -> ExecutionMarker? {
        crashGuard.next(at: now, in: &transaction)?.marker
    }

    private mutating func commit() throws {
        if try transaction.commit() { crashGuard.markDurable() }
        crashGuard.checkInvariants(whole: true)
    }

    @Test("without a crash nothing is held back, and nothing waits for time")
    mutating func calm() throws {
        let found = try crashGuard.open(hasCrashed: false, at: 1_000, in: &transaction)
        #expect(found == nil)
        #expect(!crashGuard.isHoldingBack && crashGuard.deadline == nil)
        #expect(!transaction.isWriting)
    }

    @Test("after a crash segments are executed one by one, each after its marker is durable")
    mutating func marks() throws {
        let found = try crashGuard.open(hasCrashed: true, at: 1_000, in: &transaction)
        #expect(found == nil)
        #expect(crashGuard.isHoldingBack)
        hold(1, through: 4)
        hold(5, through: 9)
        let unmarked = next(at: 1_001)
        #expect(unmarked == nil, "its marker is not durable")
        try commit()
        #expect(try transaction.store.meta("executing") == marker(1, through: 4).encoded())
        #expect(crashGuard.deadline == 0)
        let first = next(at: 1_002)
        #expect(first == marker(1, through: 4) && !crashGuard.isHoldingBack)
        crashGuard.finish(in: &transaction)
        let early = next(at: 1_003)
        #expect(early == nil)
        try commit()
        #expect(try transaction.store.meta("executing") == marker(5, through: 9).encoded())
        let second = next(at: 1_004)
        #expect(second == marker(5, through: 9))
        crashGuard.finish(in: &transaction)
        try commit()
        #expect(try transaction.store.meta("executing") == nil)
        #expect(crashGuard.deadline == 1_000 + NodeLimits.crashGuardMilliseconds)
        let last = next(at: 1_000 + NodeLimits.crashGuardMilliseconds)
        #expect(last == nil)
        #expect(crashGuard.deadline == nil && !crashGuard.isHoldingBack)
    }

    @Test("a change that was marked alone at a crash is quarantined, also after the next start")
    mutating func quarantines() throws {
        let alone = marker(7, through: 8, isSingle: true)
        try transaction.beginWriting()
        try transaction.store.setMeta("executing", alone.encoded())
        let found = try crashGuard.open(hasCrashed: true, at: 0, in: &transaction)
        #expect(found == alone)
        try commit()
        #expect(try transaction.store.meta("executing") == nil)
        #expect(crashGuard.quarantined(in: space) == [Dot(alone.replica, alone.last)])
        var again = CrashGuard()
        _ = try again.open(hasCrashed: false, at: 0, in: &transaction)
        #expect(again.quarantined == [alone])
        #expect(again.quarantined(in: SpaceID(raw: Bytes32([UInt8](repeating: 2, count: 32)))).isEmpty)
    }

    @Test("what waits takes a bounded number of bytes, and is forgotten with its links")
    mutating func bounds() throws {
        _ = try crashGuard.open(hasCrashed: true, at: 0, in: &transaction)
        hold(1, through: 1)
        #expect(crashGuard.hasRoom(for: NodeLimits.crashQueueBytesMax - 3))
        #expect(!crashGuard.hasRoom(for: NodeLimits.crashQueueBytesMax - 2))
        crashGuard.drop()
        crashGuard.checkInvariants(whole: true)
        #expect(crashGuard.hasRoom(for: NodeLimits.crashQueueBytesMax))
    }
}

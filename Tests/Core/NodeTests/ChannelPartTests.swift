// The parts of a channel and of the replication of a space, each by itself: no node, no store, no link.

import Bytes
import Causality
import Replication
import Testing
import Wire

@testable import Node

private func log(_ n: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: 0, low: n)) }
private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }
private func bytes(_ n: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: n, count: 32)) }

@Suite struct ChannelPartTests {
    @Test("an advance waits for others, then for the budget, and is overdue in the end")
    func pacing() {
        var pacing = HavePacing()
        pacing.tell(through: CommitPosition(1))
        let next = CommitPosition(2)
        let (delay, longest) = (ReplicationLimits.haveDelayMilliseconds, ReplicationLimits.haveDelayMax)
        #expect(pacing.turn(CommitPosition(1), mustTell: false, isPrompt: true, at: 100) == .rest)
        #expect(pacing.turn(next, mustTell: false, isPrompt: true, at: 100) == .now)
        #expect(pacing.turn(next, mustTell: false, isPrompt: false, at: 100) == .rest)
        #expect(
            pacing.turn(next, mustTell: false, isPrompt: false, at: 100 + delay)
                == .due(last: 0, isOverdue: false))
        #expect(
            pacing.turn(next, mustTell: false, isPrompt: false, at: 100 + longest)
                == .due(last: 0, isOverdue: true))
        #expect(pacing.deadline(HaveBudget(at: 0)) == 100 + delay)
        pacing.tell(through: next)
        #expect(pacing.deadline(HaveBudget(at: 0)) == nil)
    }

    @Test("digests of one state are compared once a step, and forgotten when a side holds more")
    func digest() {
        func frame(_ vector: UInt8, _ documents: UInt8) -> DigestFrame {
            DigestFrame(
                vectorHash: bytes(vector), rosterHash: bytes(0), exceptionsHash: bytes(0),
                documentsDigest: bytes(documents))
        }
        var digest = DigestExchange()
        #expect(!digest.isDue(after: 10, at: 1_000))
        digest.recordLevel(at: 5)
        digest.recordLevel(at: 9)
        #expect(!digest.isDue(after: 10, at: 14) && digest.isDue(after: 10, at: 15))
        #expect(digest.deadline(after: 10, nextStep: nil) == 15)
        digest.tell(frame(1, 1))
        #expect(digest.deadline(after: 10, nextStep: nil) == nil)
        if case .incomparable = digest.receive(frame(2, 1)) {} else { Issue.record("another vector") }
        if case .equal = digest.receive(frame(1, 1)) {} else { Issue.record("the same documents") }
        #expect(digest.difference == nil)
        if case .different = digest.receive(frame(1, 2)) {} else { Issue.record("other documents") }
        #expect(digest.difference == frame(1, 1))
        #expect(digest.begins(.parts) && !digest.begins(.parts) && digest.begins(.documents))
        digest.reset()
        #expect(digest.told == nil && digest.difference == nil)
    }

    @Test("the first link that brings a log supplies it; of two, the one that is not the author's is pruned")
    func suppliers() {
        func source(_ n: UInt64, isPushed: Bool = true) -> Suppliers.Source {
            Suppliers.Source(
                connection: ConnectionID(n), device: device(UInt8(n)), isPushed: isPushed,
                isSettlingPrune: true)
        }
        var suppliers = Suppliers()
        let (author, other) = (device(2), device(9))
        suppliers.recordNew(log(1), from: device(1), on: ConnectionID(1), isPushed: true)
        #expect(suppliers[log(1)] == ConnectionID(1))
        // The same link, a slower one, one that was pruned a moment ago, and the author's own.
        #expect(suppliers.recordDuplicate(log(1), of: other, from: source(1), isSupplied: true) == nil)
        #expect(
            suppliers.recordDuplicate(log(1), of: other, from: source(3), isSupplied: true)
                == ConnectionID(3))
        #expect(
            suppliers.recordDuplicate(log(1), of: other, from: source(3, isPushed: false), isSupplied: true)
                == nil)
        #expect(
            suppliers.recordDuplicate(log(1), of: author, from: source(2), isSupplied: true)
                == ConnectionID(1))
        #expect(suppliers[log(1)] == ConnectionID(2))
        #expect(suppliers.lose(ConnectionID(2)) == [log(1)] && suppliers[log(1)] == nil)
        #expect(suppliers.lose(ConnectionID(2)).isEmpty)
    }

    @Test("a digest is made page by page, begins again when the space moves on, and keeps what it hashed")
    func walk() throws {
        let (first, second) = (CommitPosition(1), CommitPosition(2))
        var walk = DigestWalk(at: first)
        let next = walk.nextPage(at: first, now: 0)
        let page = try #require(next)
        #expect(page.after == nil && !walk.addKnown("a", changedAt: first))
        walk.add(.init(key: "a", digest: bytes(1)), changedAt: first)
        walk.end(page, last: "a", count: 1, at: 0)
        #expect(walk.isDone && walk.deadline == nil && walk.nextPage(at: first, now: 1_000) == nil)
        let whole = walk.digest.whole
        #expect(walk.nextPage(at: second, now: 0) != nil && !walk.isDone)
        #expect(walk.addKnown("a", changedAt: first) && walk.digest.whole == whole)
        walk.restAfterFailure(at: 7)
        #expect(walk.nextPage(at: second, now: 7) == nil && walk.deadline != nil)
        walk.checkInvariants(whole: true)
    }
}

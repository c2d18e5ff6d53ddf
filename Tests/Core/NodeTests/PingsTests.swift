// The machines of pings and of catch-ups by themselves.

import Bytes
import Causality
import Testing

@testable import Node

private let home = SpaceID(raw: Bytes32([UInt8](repeating: 9, count: 32)))
private let peer = NamedDevice(DeviceID(publicKey: Bytes32([UInt8](repeating: 2, count: 32))), "shed")

@Suite struct PingsTests {
    private func ping(_ request: UInt64, token: UInt64, on connection: UInt64 = 5) -> Pings.Ping {
        Pings.Ping(
            request: RequestID(request), peer: peer, address: "192.0.2.7:21420",
            connection: ConnectionID(connection), token: token, sent: 100)
    }

    @Test("the answer to its own token on its own link ends a ping, and no other")
    func answered() {
        var pings = Pings()
        for (request, token) in [(1, 7), (2, 8)] as [(UInt64, UInt64)] {
            pings.begin(ping(request, token: token))
        }
        #expect(pings.deadline == 100 + Pings.answerMilliseconds && pings.count == 2)
        pings.answered(9, on: ConnectionID(5), at: 103)
        pings.answered(8, on: ConnectionID(6), at: 103)
        #expect(pings.outcomes(isOpen: { _ in true }, at: 103).isEmpty)
        pings.answered(8, on: ConnectionID(5), at: 104)
        let outcomes = pings.outcomes(isOpen: { _ in true }, at: 104)
        #expect(outcomes == [.answered(ping(2, token: 8), milliseconds: 4)])
        pings.checkInvariants(whole: true)
        #expect(pings.count == 1 && !pings.isEmpty)
    }

    @Test("a ping ends with its link, with its time and with its program")
    func unanswered() {
        var pings = Pings()
        pings.begin(ping(1, token: 1, on: 5))
        pings.begin(ping(2, token: 1, on: 6))
        pings.begin(ping(3, token: 2, on: 6))
        pings.cancel(RequestID(3))
        let cut = pings.outcomes(isOpen: { $0 == ConnectionID(6) }, at: 150)
        #expect(cut == [.unanswered(ping(1, token: 1, on: 5), milliseconds: 50)])
        let late = 100 + Pings.answerMilliseconds
        #expect(pings.outcomes(isOpen: { _ in true }, at: late - 1).isEmpty)
        let outcomes = pings.outcomes(isOpen: { _ in true }, at: late)
        #expect(outcomes == [.unanswered(ping(2, token: 1, on: 6), milliseconds: Pings.answerMilliseconds)])
        #expect(pings.isEmpty && pings.deadline == nil)
    }
}

@Suite struct CatchUpsTests {
    @Test("the pace is that since the node fell behind, and what was taken in counts at once")
    func pace() throws {
        var catchUps = CatchUps()
        catchUps.said(1_000, of: home, isFirst: true, held: 500, at: 1_000)
        let begun = try #require(catchUps[home])
        #expect(begun.left(held: 500) == 1_000 && begun.done(held: 500) == 0)
        #expect(begun.secondsLeft(held: 500, at: 1_000) == nil)
        #expect(begun.secondsLeft(held: 500, at: 9_000) == nil)
        // 250 in 5 s: 750 more in 15 s.
        #expect(begun.left(held: 750) == 750 && begun.secondsLeft(held: 750, at: 6_000) == 15)
        // What is said later goes before what was counted; the pace is that of all of it.
        catchUps.said(200, of: home, isFirst: false, held: 900, at: 9_000)
        let later = try #require(catchUps[home])
        #expect(later.left(held: 900) == 200 && later.done(held: 900) == 400)
        #expect(later.secondsLeft(held: 900, at: 9_000) == 4)
        #expect(later.left(held: 5_000) == 1)
        catchUps.checkInvariants(whole: true)
    }

    @Test("it ends when level, and another begins when nothing was said before")
    func ends() {
        var catchUps = CatchUps()
        catchUps.said(10, of: home, isFirst: true, held: 0, at: 1)
        catchUps.said(10, of: home, isFirst: true, held: 5, at: 99)
        #expect(catchUps[home]?.began == 99 && catchUps[home]?.heldAtFirst == 5)
        catchUps.said(0, of: home, isFirst: false, held: 15, at: 100)
        #expect(catchUps[home] == nil)
        catchUps.said(10, of: home, isFirst: true, held: 0, at: 1)
        catchUps.forget(home)
        #expect(catchUps[home] == nil && catchUps.deadline == nil)
    }
}

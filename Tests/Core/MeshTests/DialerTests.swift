// The dialer's promises: bounds of the back-off, at most four dials a second, and nothing forgotten.

import Causality
import Mesh
import Testing
import Wire

private func address(_ n: Int) throws -> PeerAddress { try #require(PeerAddress("10.0.0.\(n):21420")) }

@Suite struct DialerTests {
    @Test("a wait lies between nothing and a bound that doubles from one second to five minutes")
    func backOffBounds() throws {
        let peer = try address(1)
        for seed in 0..<50 as Range<UInt64> {
            var dialer = Dialer(seed: seed)
            var now: UInt64 = 10_000
            for failure in 0..<20 {
                let started = dialer.start([peer], at: now)
                #expect(started == [peer])
                #expect(dialer.start([peer], at: now).isEmpty, "an attempt under way is not begun again")
                dialer.failed(peer, reason: "refused", at: now)
                let due = try #require(dialer.deadline([peer]))
                let bound = min(300_000 as UInt64, 1_000 << UInt64(failure))
                #expect(due >= now && due <= now + bound)
                now = max(due, now + 1_000)
            }
        }
    }

    @Test("the dice use the whole range: the mean wait is about half of the bound")
    func fullJitter() throws {
        let peer = try address(1)
        var sum: UInt64 = 0
        for seed in 0..<400 as Range<UInt64> {
            var dialer = Dialer(seed: seed)
            dialer.failed(peer, reason: "refused", at: 0)
            sum += try #require(dialer.deadline([peer]))
        }
        #expect((400...600).contains(sum / 400))
    }

    @Test("at most four dials start in any second, and each address gets its turn")
    func dialRate() throws {
        let peers = try (1...30).map(address)
        var dialer = Dialer(seed: 7)
        var starts: [UInt64] = []
        var dialled: Set<PeerAddress> = []
        var now: UInt64 = 0
        while dialled.count < peers.count {
            for peer in dialer.start(peers, at: now) {
                starts.append(now)
                dialled.insert(peer)
            }
            now = max(now + 1, dialer.deadline(peers) ?? now + 1)
            if now > 20_000 { break }
        }
        #expect(dialled.count == 30)
        for (index, start) in starts.enumerated() where index >= 4 {
            #expect(start >= starts[index - 4] + 1_000)
        }
    }

    @Test("a changed network forgets the waits, not the dials under way")
    func reset() throws {
        let (a, b) = (try address(1), try address(2))
        var dialer = Dialer(seed: 3)
        #expect(dialer.start([a, b], at: 0) == [a, b])
        for _ in 0..<12 { dialer.failed(a, reason: "no route", at: 0) }
        dialer.reset()
        #expect(dialer.start([a, b], at: 2_000) == [a])
        #expect(dialer.failure(a) == "no route")
        #expect(dialer.isUnderWay(b))
    }

    @Test("after a link that was of use the back-off starts with its first step")
    func success() throws {
        let a = try address(1)
        var dialer = Dialer(seed: 3)
        for _ in 0..<12 { dialer.failed(a, reason: "no route", at: 0) }
        dialer.succeeded(a)
        #expect(dialer.deadline([a]) == nil)
        dialer.ended(a, reason: "reset", at: 50_000)
        #expect(try #require(dialer.deadline([a])) <= 51_000)
    }
}

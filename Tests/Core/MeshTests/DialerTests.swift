// The dialer's promises: bounds of the back-off, at most four dials a second, addresses of one device a
// little apart, and nothing forgotten.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func address(_ n: Int) throws -> PeerAddress { try #require(PeerAddress("10.0.0.\(n):21420")) }
private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }

@Suite struct DialerTests {
    @Test("a wait lies between nothing and a bound that doubles from one second to five minutes")
    func backOffBounds() throws {
        let peer = try address(1)
        for seed in 0..<50 as Range<UInt64> {
            var dialer = Dialer(seed: seed)
            var now: UInt64 = 10_000
            for failure in 0..<20 {
                let started = dialer.start([DialCandidate(peer)], at: now)
                #expect(started == [peer])
                let again = dialer.start([DialCandidate(peer)], at: now)
                #expect(again.isEmpty, "an attempt under way is not begun again")
                dialer.failed(peer, at: now)
                let due = try #require(dialer.deadline([DialCandidate(peer)]))
                let bound = min(300_000 as UInt64, 1_000 << UInt64(failure))
                #expect(due >= now && due <= now + bound)
                now = max(due, now + 1_000)
            }
        }
    }

    @Test("who was linked lately is not waited for longer than ten seconds, however often it failed")
    func recentBound() throws {
        let peer = try address(1)
        for seed in 0..<50 as Range<UInt64> {
            var dialer = Dialer(seed: seed)
            for _ in 0..<30 { dialer.failed(peer, bound: MeshLimits.backOffRecentMax, at: 5_000) }
            #expect(dialer.notBefore(peer) <= 15_000)
        }
    }

    @Test("the dice use the whole range: the mean wait is about half of the bound")
    func fullJitter() throws {
        let peer = try address(1)
        var sum: UInt64 = 0
        for seed in 0..<400 as Range<UInt64> {
            var dialer = Dialer(seed: seed)
            dialer.failed(peer, at: 0)
            sum += dialer.notBefore(peer)
        }
        #expect((400...600).contains(sum / 400))
    }

    @Test("at most four dials start in any second, and each address gets its turn")
    func dialRate() throws {
        let peers = try (1...30).map { DialCandidate(try address($0)) }
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

    @Test("addresses that always fail at once do not keep the others from their turn")
    func fairness() throws {
        let peers = try (1...60).map { DialCandidate(try address($0), device: device(UInt8($0 / 3))) }
        var dialer = Dialer(seed: 9)
        var dialled: [PeerAddress: Int] = [:]
        for now in stride(from: 0 as UInt64, to: 120_000, by: 50) {
            for peer in dialer.start(peers, at: now) {
                dialled[peer, default: 0] += 1
                dialer.failed(peer, bound: MeshLimits.backOffRecentMax, at: now + 10)
            }
        }
        #expect(dialled.count == 60)
        let (least, most) = (dialled.values.min() ?? 0, dialled.values.max() ?? 0)
        #expect(least * 2 >= most, "\(least) to \(most) dials of an address")
    }

    @Test("the next address of a device is tried 300 ms after the one before, not after its timeout")
    func apart() throws {
        let candidates = try (1...5).map { DialCandidate(try address($0), device: device(1)) }
        var dialer = Dialer(seed: 1)
        var begun: [UInt64] = []
        for now in stride(from: 0 as UInt64, to: 4_000, by: 10) {
            begun += dialer.start(candidates, at: now).map { _ in now }
        }
        #expect(begun == [0, 300, 600], "three under way at once, none of them answered")
        #expect(dialer.deadline(candidates) == nil)
        dialer.failed(try address(1), at: 4_000)
        let next = dialer.start(candidates, at: 4_001)
        #expect(next == [try address(4)])
        // Another device does not wait for it.
        let other = dialer.start([DialCandidate(try address(9), device: device(2))], at: 4_001)
        #expect(other == [try address(9)])
    }

    @Test("a changed network forgets the waits, not the dials under way")
    func reset() throws {
        let (a, b) = (try address(1), try address(2))
        let both = [DialCandidate(a), DialCandidate(b)]
        var dialer = Dialer(seed: 3)
        let first = dialer.start(both, at: 0)
        #expect(first == [a, b])
        for _ in 0..<12 { dialer.failed(a, at: 0) }
        dialer.reset()
        let second = dialer.start(both, at: 2_000)
        #expect(second == [a])
        #expect(dialer.isUnderWay(b))
    }

    @Test("after a link that was of use the back-off starts with its first step, after another it does not")
    func ended() throws {
        let (a, b) = (try address(1), try address(2))
        var dialer = Dialer(seed: 3)
        for peer in [a, b] {
            for _ in 0..<12 { dialer.failed(peer, at: 0) }
            dialer.succeeded(peer)
        }
        dialer.linkEnded(a, wasUseful: true, at: 50_000)
        #expect(dialer.notBefore(a) <= 51_000)
        #expect(dialer.failureCount(a) == 1)
        dialer.linkEnded(b, wasUseful: false, at: 50_000)
        #expect(dialer.failureCount(b) == 13)
    }

    @Test("news of a device makes its address due, and a book that forgot an address frees its memory")
    func news() throws {
        let a = try address(1)
        var dialer = Dialer(seed: 3)
        for _ in 0..<12 { dialer.failed(a, at: 10_000) }
        dialer.reset(a)
        let started = dialer.start([DialCandidate(a)], at: 10_000)
        #expect(started == [a])
        dialer.failed(a, at: 10_001)
        dialer.retain { _ in false }
        #expect(dialer.count == 0)
    }
}

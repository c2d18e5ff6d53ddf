// The guard's memory: what it forgets, when, and that it never grows past its cap.

import Bytes
import Causality
import Testing

@testable import SecureLink

@Suite("Replay guard") struct ReplayGuardTests {
    private func ephemeral(_ number: Int) -> Bytes32 {
        Bytes32((0..<32).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> ($0 * 8)) : 0 })
    }

    @Test("an ephemeral is admitted once in ten minutes")
    func once() {
        var replays = ReplayGuard()
        #expect(replays.admit(ephemeral(1), at: Instant(monotonic: 0, wall: 0)) == true)
        #expect(replays.admit(ephemeral(1), at: Instant(monotonic: 0, wall: 0)) == false)
        #expect(replays.admit(ephemeral(2), at: Instant(monotonic: 1, wall: 0)) == true)
        #expect(replays.admit(ephemeral(1), at: Instant(monotonic: 599_999, wall: 0)) == false)
        #expect(replays.admit(ephemeral(1), at: Instant(monotonic: 600_000, wall: 0)) == true)
        #expect(replays.admit(ephemeral(2), at: Instant(monotonic: 600_000, wall: 0)) == false)
        #expect(replays.count == 2)
        replays.checkInvariants()
    }

    @Test("it keeps the newest 65,536 and lets the oldest go")
    func bounded() {
        var replays = ReplayGuard()
        let now = Instant(monotonic: 5, wall: 0)
        let limit = SecureLinkLimits.replayCountMax
        let admitted = (0..<limit + 1_000).count { replays.admit(ephemeral($0), at: now) }
        #expect(admitted == limit + 1_000)
        #expect(replays.count == limit)
        replays.checkInvariants()
        #expect(replays.admit(ephemeral(limit + 999), at: now) == false)
        #expect(replays.admit(ephemeral(0), at: now) == true)
        #expect(replays.admit(ephemeral(limit + 1_000), at: Instant(monotonic: 700_000, wall: 0)) == true)
        #expect(replays.count == 1)
        replays.checkInvariants()
    }
}

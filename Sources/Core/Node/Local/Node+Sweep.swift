// What is swept once an hour: expired idempotency keys, spaces that were left, changes that were skipped
// for want of room.

import Causality

extension Node {
    /// Sweeps when that is due.
    mutating func sweep(at now: Instant) {
        guard now.monotonic >= nextSweep else { return }
        nextSweep = now.monotonic + 3_600_000
        expireLeaving(at: now)
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.expireIdempotency(before: now.wall, moved: wallJump(since: swept, to: now))
            // There was no room for it at the start.
            try reconsiderSkipped(at: now)
        } catch {
            return transaction.fail(error)
        }
        swept = now
    }

    /// By how much the wall clock was put on (or back) beside the other one: a box without a clock of its own
    /// learns the time after its start, and what it has kept for a day is not a day older then. Small
    /// differences are the clock being steered.
    private func wallJump(since before: Instant, to now: Instant) -> Int64 {
        let passed = now.monotonic - before.monotonic
        let jump = Int64(clamping: now.wall) - Int64(clamping: before.wall) - Int64(clamping: passed)
        return jump.magnitude < NodeLimits.wallJumpMilliseconds ? 0 : jump
    }
}

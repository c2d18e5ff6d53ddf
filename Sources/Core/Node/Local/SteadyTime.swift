// Since when this node's clock and this node itself can be believed about who is away. A clock that is set, a
// machine that slept or a program that was started say nothing of others: after any of them, whoever was not
// seen for long may be back in a minute.

import Causality

/// Times are milliseconds.
struct SteadyTime: Sendable {
    /// More than a clock is set by in good order.
    private static let stepMax: UInt64 = 3_600_000

    private var last: Instant
    /// The monotonic time from which on both clocks went on alike and this node ran.
    private(set) var since: UInt64

    init(from now: Instant) { (last, since) = (now, now.monotonic) }

    mutating func record(_ now: Instant) {
        defer { last = now }
        let passed = now.monotonic >= last.monotonic ? now.monotonic - last.monotonic : 0
        // Within an hour the node sweeps many times.
        guard passed <= Self.stepMax,
            now.wall + Self.stepMax >= last.wall + passed, now.wall <= last.wall + passed + Self.stepMax
        else {
            since = now.monotonic
            return
        }
    }

    /// True when all was as ever for so long.
    func isSteady(for milliseconds: UInt64, at now: Instant) -> Bool {
        now.monotonic >= since && now.monotonic - since >= milliseconds
    }
}

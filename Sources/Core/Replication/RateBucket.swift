// A cap on bytes a second (a token bucket): what was saved up may go at once, at most a second's worth; the
// last piece may go over, and is paid for before the next. Only changes are capped: HAVE and signs of life
// are what keeps a slow link useful.

/// Bytes that may go now, under a rate that may change at any time. Times are monotonic milliseconds.
public struct RateBucket: Sendable {
    /// Thousandths of bytes; below zero after a piece that went over.
    private var credit = 0
    private var filled: UInt64?

    public init() {}

    /// True when the next piece may go; always without a cap (rate 0).
    public mutating func isOpen(rate: Int, at now: UInt64) -> Bool {
        guard rate > 0 else { return true }
        fill(rate, now)
        return credit > 0
    }

    public mutating func spend(_ bytes: Int, rate: Int, at now: UInt64) {
        guard rate > 0 else { return }
        fill(rate, now)
        credit -= bytes * 1_000
    }

    /// When it opens, after `isOpen` said no.
    public func opensAt(rate: Int) -> UInt64 {
        guard rate > 0, credit <= 0, let filled else { return filled ?? 0 }
        return filled + UInt64(1 - credit / rate)
    }

    private mutating func fill(_ rate: Int, _ now: UInt64) {
        let full = rate * 1_000
        guard let former = filled else {
            (credit, filled) = (full, now)
            return
        }
        guard now > former else { return }
        let elapsed = Int(min(now - former, 3_600_000))
        filled = now
        credit = min(full, credit + elapsed * rate)
    }
}

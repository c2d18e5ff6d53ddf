// How often a node may say what it holds. In a mesh where everybody is linked to everybody, telling each
// commit on each link costs more than the commits. So HAVE spends from a budget that changes earn: a part of
// their bytes, and a trickle that lets an idle node speak at once. Whoever was told longest ago comes first,
// so that everybody hears from somebody soon, whatever the number of links (decision 0056).

/// Bytes that may be spent on HAVE in one space. Times are monotonic milliseconds.
public struct HaveBudget: Sendable {
    /// Bytes times a thousand, so that the trickle of a millisecond counts.
    private var credit = ReplicationLimits.haveCreditBytesMax * 1_000
    private var filled: UInt64

    public init(at now: UInt64) { filled = now }

    /// True while something may be said. The last one may cost more than what is left.
    public var isOpen: Bool { credit > 0 }

    /// Changes of so many sealed bytes were taken in or made.
    public mutating func earn(_ bytes: Int) {
        add(bytes * 1_000 / ReplicationLimits.haveShare)
    }

    /// Time passes.
    public mutating func fill(at now: UInt64) {
        guard now > filled else { return }
        let elapsed = Int(min(now - filled, 3_600_000))
        filled = now
        add(elapsed * ReplicationLimits.haveBytesPerSecond)
    }

    public mutating func spend(_ bytes: Int) { credit -= bytes * 1_000 }

    /// When the trickle alone opens it again.
    public var opensAt: UInt64 {
        isOpen ? filled : filled + UInt64(1 - credit / ReplicationLimits.haveBytesPerSecond)
    }

    private mutating func add(_ amount: Int) {
        credit = min(credit + amount, ReplicationLimits.haveCreditBytesMax * 1_000)
    }
}

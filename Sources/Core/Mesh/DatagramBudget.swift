// Anyone on the network can send datagrams as fast as it likes. What is spent on them is bounded here: 50
// datagrams a second are looked at in all, and for those at most so many keys are tried (a node of many
// spaces has many, and earlier epochs have keys too). What comes beyond is dropped unread; beacons are
// repeated, so that costs time and nothing else.

/// Two token buckets. Times are monotonic milliseconds.
public struct DatagramBudget: Sendable {
    /// Thousandths of a datagram, and of a trial; the trials may be overdrawn by one datagram's.
    private var datagrams = Int64(MeshLimits.datagramsPerSecond) * 1_000
    private var trials = Int64(MeshLimits.datagramTrialsPerSecond) * 1_000
    private var filled: UInt64 = 0

    public init() {}

    /// True when one more may be looked at.
    public mutating func admit(at now: UInt64) -> Bool {
        let gained = Int64(min(now - min(now, filled), 1_000))
        filled = max(now, filled)
        datagrams = Self.filled(datagrams, gained, MeshLimits.datagramsPerSecond)
        trials = Self.filled(trials, gained, MeshLimits.datagramTrialsPerSecond)
        guard datagrams >= 1_000, trials > 0 else { return false }
        datagrams -= 1_000
        return true
    }

    /// So many keys were tried on a datagram that was admitted.
    public mutating func charge(trials count: Int) { trials -= Int64(count) * 1_000 }

    private static func filled(_ tokens: Int64, _ milliseconds: Int64, _ rate: Int) -> Int64 {
        min(Int64(rate) * 1_000, tokens + milliseconds * Int64(rate))
    }
}

// How much of a file system is left free. Below it local writes stop, before a commit fails for want of
// room in the middle of something.

/// The setting `disk-floor`.
public enum DiskFloor: Hashable, Sendable {
    /// The lesser of 256 MiB and 5 %.
    case standard
    case bytes(UInt64)
    /// Of the file system, 0 to 100.
    case percent(Int)

    /// `total`: bytes of the file system.
    public func bytes(of total: UInt64) -> UInt64 {
        switch self {
        case .standard: min(NodeLimits.diskFloorBytes, Self.share(5, of: total))
        case .bytes(let bytes): bytes
        case .percent(let percent): Self.share(percent, of: total)
        }
    }

    private static func share(_ percent: Int, of total: UInt64) -> UInt64 {
        precondition(0...100 ~= percent, "\(percent) % of a file system")
        return total / 100 * UInt64(percent)
    }

    /// Bytes as a person says them, rounded down: "12 KiB", "256 MiB", "40 GiB".
    public static func text(_ bytes: UInt64) -> String {
        if bytes < 1 << 20 { return "\(bytes >> 10) KiB" }
        return bytes < 10 << 30 ? "\(bytes >> 20) MiB" : "\(bytes >> 30) GiB"
    }
}

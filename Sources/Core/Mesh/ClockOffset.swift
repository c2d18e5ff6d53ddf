// How far a peer's clock is from ours. It may say anything.

import Bytes

/// The difference of two wall clocks.
public enum ClockOffset {
    /// Milliseconds either way that are told at most: what every reader of JSON holds exactly, 2^53 - 1.
    public static let millisecondsMax: Int64 = (1 << 53) - 1

    /// How far `theirs` is ahead of `ours`, wall milliseconds since 1970; negative when it is behind.
    public static func milliseconds(of theirs: UInt64, from ours: UInt64) -> Int64 {
        let (ahead, magnitude) = theirs >= ours ? (true, theirs - ours) : (false, ours - theirs)
        let limit = isPlanted("numbers-unbounded") ? Int64.max : millisecondsMax
        let bounded = min(Int64(clamping: magnitude), limit)
        return ahead ? bounded : -bounded
    }
}

// Times in reports, as a person says them.

import Causality

/// A length of time: "40 s", "3 min", "5 h", "2 days".
struct TimeSpan: CustomStringConvertible {
    let milliseconds: UInt64

    init(_ milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Since a moment; none when it is still to come.
    init(from moment: UInt64, to now: UInt64) { milliseconds = now - min(now, moment) }

    var description: String {
        let seconds = (milliseconds + 999) / 1_000
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7_200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3_600) h" }
        return "\(seconds / 86_400) days"
    }
}

extension Instant {
    /// Wall milliseconds of a monotonic moment, if no clock was set in between.
    func wall(of moment: UInt64) -> UInt64 {
        moment <= monotonic ? wall - min(wall, monotonic - moment) : wall &+ (moment - monotonic)
    }
}

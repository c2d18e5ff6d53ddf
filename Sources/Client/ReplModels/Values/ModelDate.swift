// A moment as documents hold it: milliseconds since 1970, an integer, so that listings order and compare it.
// Foundation's Date is not needed for it; whoever has Foundation makes Date conform (Sources/Docs/MODELS.md).

import Glibc

/// A moment in UTC, to the millisecond.
public struct ModelDate: Hashable, Comparable, Sendable {
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// By the clock of this machine.
    public static var now: ModelDate {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return ModelDate(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    public static func < (left: ModelDate, right: ModelDate) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension ModelDate: RawRepresentable, ModelScalar {
    public init(rawValue: Int64) { self.init(millisecondsSince1970: rawValue) }
    public var rawValue: Int64 { millisecondsSince1970 }
}

extension ModelDate: CustomStringConvertible {
    /// RFC 3339 in UTC, `2026-11-25T10:41:50.250Z`; the milliseconds where there are any.
    public var description: String {
        var seconds = time_t(millisecondsSince1970 / 1_000)
        var rest = millisecondsSince1970 % 1_000
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000) }
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(millisecondsSince1970) ms since 1970" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        func padded(_ number: Int64, to width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day =
            "\(padded(Int64(parts.tm_year) + 1_900, to: 4))-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day)T\(time)\(rest == 0 ? "" : "." + padded(rest, to: 3))Z"
    }
}

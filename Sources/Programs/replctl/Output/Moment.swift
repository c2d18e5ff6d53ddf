// Times and spans for people. The daemon speaks of milliseconds since 1970; people read their own clock.

import Glibc

enum Moment {
    /// By this machine's clock, since 1970.
    static func nowMilliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Local date and time.
    static func text(milliseconds: Int64) -> String { text(seconds: milliseconds / 1_000) }

    static func text(seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        guard localtime_r(&time, &parts) != nil else { return "\(seconds) s" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `90`, `90s`, `30m`, `24h` or `7d` in seconds; nil for anything else and for what does not fit.
    static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        var digits = text[...]
        var unit: Int64 = 1
        if let last = text.last, let named = units[last] {
            unit = named
            digits = digits.dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 0x30 <= 9 }), let count = Int64(digits) else {
            return nil
        }
        let (seconds, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows ? nil : seconds
    }
}

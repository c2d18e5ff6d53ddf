// An invite that is expired: by whose clock, since a clock that is wrong looks the same.

import Bytes
import JSON

extension APIError {
    /// Seconds since 1970: when it expired, and what this node's clock says.
    static func expired(_ expiry: UInt64, _ now: UInt64) -> APIError {
        let isAhead = now <= expiry
        return APIError(
            410, "invite-expired",
            "the invite expired at \(UTCMoment.text(expiry)); this box's clock says \(UTCMoment.text(now))",
            hint: isAhead
                ? "the inviting box's clock is ahead of this one: compare the two, set the one that is "
                    + "wrong, then ask for a new invite"
                : "ask for a new one; if that time is still to come, set this box's clock",
            details: [.init("expiredMs", milliseconds(expiry)), .init("nowMs", milliseconds(now))])
    }

    private static func milliseconds(_ seconds: UInt64) -> PlainValue {
        .scalar(.integer(Int64(clamping: min(seconds, UTCMoment.secondsMax) * 1_000)))
    }
}

/// Times that both ends of a mesh read the same.
enum UTCMoment {
    /// The end of the year 9999: what is beyond is no time that somebody set.
    static let secondsMax: UInt64 = 253_402_300_799

    /// "2026-01-31 09:05:00 UTC", by Howard Hinnant's civil_from_days.
    static func text(_ seconds: UInt64) -> String {
        let seconds = Int(min(seconds, secondsMax))
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month))-\(padded(day)) "
            + "\(padded(rest / 3_600)):\(padded(rest / 60 % 60)):\(padded(rest % 60)) UTC"
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

// The settings about checkpoints and what is kept of the log: sizes and times, as whole numbers or with a
// unit.

import Node

enum HistoryText {
    static let retention =
        "a time as \"30d\" (s, m, h, d), a number of bytes, a string as \"2GiB\" (KiB, MiB, GiB, TiB), "
            + "\"all\", "
        + "or 0"
    static let logBytes =
        "a number of bytes or a string as \"64MiB\" (KiB, MiB, GiB, TiB), at least 64 KiB"
    static let span = "a number of seconds or a string as \"30d\" (s, m, h, d), from 1 second to 10 years"

    /// A log keeps its last unfinished section, which has up to so much.
    static let logBytesMin: UInt64 = 64 << 10
    static let secondsMax: UInt64 = 3_650 * 86_400

    /// The setting `retain-history`.
    static func retention(_ file: ConfigFile?) throws(SettingsError) -> Retention {
        let key = "retain-history"
        if let bytes = file?.integer(key) { return bytes == 0 ? .none : .bytes(UInt64(bytes)) }
        guard let text = file?.string(key) else { return .standard }
        if text == "all" { return .all }
        if let bytes = SizeText.bytes(text) { return bytes == 0 ? .none : .bytes(bytes) }
        if let seconds = seconds(text), seconds <= secondsMax {
            return seconds == 0 ? .none : .seconds(seconds)
        }
        throw .wrongValue(place: file?.place(of: key) ?? "", value: text, need: retention)
    }

    /// The setting `checkpoint-log-bytes`.
    static func logBytes(_ file: ConfigFile?) throws(SettingsError) -> UInt64? {
        let key = "checkpoint-log-bytes"
        let number = file?.integer(key).map { UInt64($0) }
        let text = file?.string(key)
        if number == nil, text == nil { return nil }
        if let bytes = number ?? text.flatMap({ SizeText.bytes($0) }), bytes >= logBytesMin { return bytes }
        throw wrong(key, file, need: logBytes)
    }

    /// A setting that is a time; nil: it is not there.
    static func seconds(_ key: String, _ file: ConfigFile?) throws(SettingsError) -> UInt64? {
        let number = file?.integer(key).map { UInt64($0) }
        let text = file?.string(key)
        if number == nil, text == nil { return nil }
        if let seconds = number ?? text.flatMap({ seconds($0) }), (1...secondsMax).contains(seconds) {
            return seconds
        }
        throw wrong(key, file, need: span)
    }

    private static func wrong(_ key: String, _ file: ConfigFile?, need: String) -> SettingsError {
        let value = file?.string(key) ?? file?.integer(key).map { "\($0)" } ?? ""
        return .wrongValue(place: file?.place(of: key) ?? "", value: value, need: need)
    }

    /// "90", "90s", "30m", "24h" or "7d"; nil for anything else, and for what does not fit.
    static func seconds(_ text: String) -> UInt64? {
        let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = text.last else { return nil }
        let unit = units[last]
        let digits = unit == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 0x30 <= 9 }), let number = UInt64(digits) else {
            return nil
        }
        let (seconds, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflows ? nil : seconds
    }
}

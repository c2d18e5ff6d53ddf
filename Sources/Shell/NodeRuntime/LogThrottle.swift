// Whoever floods the node must not flood its log. A line names its peer and its reason, so "one line per
// (peer, reason) in 10 s" (DESIGN 12) is: an equal line once in that time. A bound for each code holds
// against lines that differ in a number.

/// Decides which lines are told. Times are monotonic milliseconds.
struct LogThrottle {
    private struct Window {
        var start: UInt64
        var told = 0
        var left = 0
        var lines: Set<String> = []
    }

    /// By code. Codes are constants of this program, so the table is small.
    private var windows: [String: Window] = [:]

    /// The lines to write: none, the message, or before it how many of its code were left out.
    mutating func admit(code: String, message: String, at now: UInt64) -> [String] {
        var window = windows[code] ?? Window(start: now)
        var lines: [String] = []
        if now >= window.start + RuntimeLimits.logRepeatMilliseconds {
            if window.left > 0 { lines.append("\(window.left) more lines with code \(code) were left out") }
            window = Window(start: now)
        }
        if window.told < RuntimeLimits.logLinesMax, window.lines.insert(message).inserted {
            window.told += 1
            lines.append(message)
        } else {
            window.left += 1
        }
        windows[code] = window
        return lines
    }
}

// Whoever floods the node must not flood its log: one line for each (peer, reason) in 10 s (DESIGN 12). A
// line names its peer and its reason, so two lines of one code are the same when they differ only in plain
// numbers and ports ("seal 17", "10.0.0.7:50123"). A bound for each code holds against those that differ in
// more, as from ever new addresses. What was held back is counted, and told when the time is over.

/// Decides which lines are told. Times are monotonic milliseconds.
struct LogThrottle {
    private struct Window {
        var start: UInt64
        var told = 0
        var heldBack = 0
        var lines: Set<String> = []
    }

    /// By code. Codes are constants of this program, so the table is small.
    private var windows: [String: Window] = [:]

    /// How many lines of the code the window that ends now held back, nil when none ended with some; and
    /// whether this line is told.
    mutating func admit(code: String, message: String, at now: UInt64) -> (heldBack: Int?, isTold: Bool) {
        var window = windows[code] ?? Window(start: now)
        var heldBack: Int?
        if now >= window.start + RuntimeLimits.logRepeatMilliseconds {
            heldBack = window.heldBack > 0 ? window.heldBack : nil
            window = Window(start: now)
        }
        let isTold =
            window.told < RuntimeLimits.logLinesMax && window.lines.insert(Self.subject(of: message)).inserted
        if isTold { window.told += 1 } else { window.heldBack += 1 }
        windows[code] = window
        return (heldBack, isTold)
    }

    /// The codes whose time is over, with what was held back, ascending; each is told once.
    mutating func expire(at now: UInt64) -> [(code: String, heldBack: Int)] {
        var over: [(code: String, heldBack: Int)] = []
        for (code, window) in windows where now >= window.start + RuntimeLimits.logRepeatMilliseconds {
            if window.heldBack > 0 { over.append((code, window.heldBack)) }
            windows[code] = nil
        }
        return over.sorted { $0.code < $1.code }
    }

    /// The line without what counts up: words of digits, and the port behind an address.
    static func subject(of message: String) -> String {
        message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let end =
                word.lastIndex { !",;:.)\"".contains($0) }.map { word.index(after: $0) } ?? word.startIndex
            let core = word[..<end].drop { $0 == "(" || $0 == "\"" }
            if !core.isEmpty, core.utf8.allSatisfy(isDigit) { return "#" }
            guard let colon = core.lastIndex(of: ":"),
                core[..<colon].contains(where: { $0 == "." || $0 == "]" }),
                core[core.index(after: colon)...].utf8.allSatisfy(isDigit)
            else { return String(core) }
            return core[...colon] + "#"
        }.joined(separator: " ")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

// The last lines of the log, kept in memory for whoever helps (`GET /v1/support`): a daemon in its
// sandbox may not read the journal, and one without a journal has no other place to look.

/// A bounded number of lines and bytes; the oldest go first.
struct LastLines {
    private var lines: [[UInt8]] = []
    /// Where the oldest stands: before it are places that are free.
    private var start = 0
    private var byteCount = 0

    mutating func append(_ line: [UInt8]) {
        lines.append(line)
        byteCount += line.count
        while lines.count - start > RuntimeLimits.lastLinesMax || byteCount > RuntimeLimits.lastLineBytesMax {
            byteCount -= lines[start].count
            lines[start] = []
            start += 1
        }
        // Each line is moved once for as many as are kept.
        if start > RuntimeLimits.lastLinesMax {
            lines.removeFirst(start)
            start = 0
        }
    }

    /// The oldest first, each with its line feed.
    var text: [UInt8] { Array(lines[start...].joined()) }
}

// Cuts a streamed answer into lines, wherever its pieces were cut on the way. Each byte is looked at once,
// however long the line it belongs to.

/// Bytes in, lines out.
struct LineCutter {
    /// Bytes of lines that are not handed out yet, from `start` on.
    private var bytes: [UInt8] = []
    private var start = 0
    /// Bytes before it hold no LF after `start`.
    private var searched = 0

    mutating func append(_ piece: some Sequence<UInt8>) {
        if start > 0 {
            // Only what is less than a line is left here.
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: piece)
    }

    /// The next whole line without its LF; nil when more bytes are needed.
    mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            return nil
        }
        let line = Array(bytes[start..<end])
        start = end + 1
        searched = start
        return line
    }

    /// What is left at the end of the answer.
    mutating func rest() -> [UInt8]? {
        guard start < bytes.count else { return nil }
        defer { bytes = []; start = 0; searched = 0 }
        return Array(bytes[start...])
    }
}

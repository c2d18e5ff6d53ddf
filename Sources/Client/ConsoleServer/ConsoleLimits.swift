// The bounds on everything that a browser, or anybody else who reaches the port, can make grow, and what the
// console does at each bound.

/// Bounds of the console's server; tests take smaller ones, so that they are reached soon.
struct ConsoleLimits: Sendable {
    /// Bytes of a request's body: twice the largest change, as JSON escapes characters. Over it: 413.
    var bodyBytesMax = 2 << 20
    /// Bytes of a refused request that are read and thrown away, so that its sender can read why. Over it:
    /// closed.
    var discardedBytesMax = 16 << 20
    /// Open connections; a browser opens six a page. Over it: closed.
    var connectionsMax = 64
    /// Time without a byte in either direction after which a connection is closed. Longer than an answer of
    /// the daemon may take to begin, and than a stream of changes is silent.
    var idleSeconds: Int64 = 150
    /// Bytes of a text that is drawn as a QR code: the largest code at its level of correction. Over it: 413.
    var codeBytesMax = QRCode.bytesMax
}

// What callers of the control socket can grow, with its bound and what happens at it (DESIGN 12).

/// Bounds of the control server; tests take smaller ones, so that they are reached soon.
struct ControlLimits: Sendable {
    /// Bytes of a request body, and of one line of a stream. Over it: 413.
    var bodyBytesMax = 16 << 20
    /// Unread bytes of answers that a stream holds for its reader. Over it: its input pauses.
    var unreadBytesMax = 16 << 20
    /// Lines of one stream that the node has not answered yet. Over it: its input pauses.
    var pendingLinesMax = 512
    /// Bytes of a bundle that the node is given at once.
    var bundleBytesAim = 512 << 10
    /// Bytes of a bundle that have come and wait for the node. Over it: its input pauses.
    var bundleWaitingBytesMax = 1 << 20
    /// Listings whose next page may be asked for. Over it the oldest is given up, and its cursor is 410.
    var listingsMax = 64
    /// How long a listing may be gone on with, from its first page: its snapshot holds the store's log.
    var listingMilliseconds: Int64 = 600_000
    /// Open connections. Over it: 503, so that a program that leaks them does not take the peers'
    /// descriptors.
    var connectionsMax = 1_024
    /// Bytes of a refused request that are read and thrown away, so that its sender can read why. Over it:
    /// closed.
    var discardedBytesMax = 256 << 20
    /// Unsent bytes of a long answer after which no more is made.
    var answerBytesHigh = 256 << 10
    /// How long a stop waits for answers on their way.
    var stopMilliseconds: Int64 = 2_000
    /// Time after which an idle change stream shows that it lives.
    var idleMilliseconds: Int64 = 15_000
}

// Two clocks. `Timestamp` is the wall time inside a change: it only breaks ties among concurrent operations.
// `Instant` is what the shell hands to `handle`: a monotonic clock for deadlines, with the wall time beside
// it.

/// Milliseconds since 1970 as a log's author saw them; strictly greater than the log's previous one.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: UInt64

    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    public static let zero = Timestamp(milliseconds: 0)
    /// Beyond this no timestamp is accepted, so that "last + 1" can never overflow.
    public static let max = Timestamp(milliseconds: 1 << 62)

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// A moment as the shell (or the simulator) tells it to the core.
public struct Instant: Hashable, Sendable {
    /// Milliseconds of a clock that never steps back; its zero means nothing.
    public let monotonic: UInt64
    /// Milliseconds since 1970; may jump either way.
    public let wall: UInt64

    public init(monotonic: UInt64, wall: UInt64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}

/// The total order that decides among concurrent operations: (timestamp, replica, sequence).
public struct Priority: Hashable, Comparable, Sendable {
    public let timestamp: Timestamp
    public let dot: Dot

    public init(_ timestamp: Timestamp, _ dot: Dot) {
        self.timestamp = timestamp
        self.dot = dot
    }

    public static func < (left: Priority, right: Priority) -> Bool {
        left.timestamp == right.timestamp ? left.dot < right.dot : left.timestamp < right.timestamp
    }
}

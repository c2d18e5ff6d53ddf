// What the network does to what is sent, by itself and all the time. A world has one weather, and a direction
// between two nodes may have its own: a path that is bad one way is the usual case.

/// One way between two nodes.
public struct Direction: Hashable, Comparable, Sendable {
    public let from: Int
    public let to: Int

    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    public static func < (left: Direction, right: Direction) -> Bool {
        (left.from, left.to) < (right.from, right.to)
    }
}

/// What the network does to connections. "One in so many" is drawn at each delivery; 0 is never.
public struct Weather: Hashable, Sendable {
    /// One way, milliseconds; each direction of a connection stays in order, connections do not.
    public var delay: ClosedRange<UInt64> = 1...40
    /// One delivery in so many breaks its connection: both ends hear of it, what was under way is lost.
    public var breaksOneIn: UInt64 = 0
    /// One delivery in so many is the last of its direction, and nobody is told: half-open.
    public var stallsOneIn: UInt64 = 0
    /// One delivery in so many has a bit that is another.
    public var corruptsOneIn: UInt64 = 0
    /// One delivery in so many arrives in part, then the connection breaks.
    public var truncatesOneIn: UInt64 = 0
    /// One connection in so many stands for the dialler only: the other side never hears of it.
    public var halfOpensOneIn: UInt64 = 0
    /// One delivery in so many takes along all that is under way behind it.
    public var coalescesOneIn: UInt64 = 0
    /// Bytes of a delivery at most: the stream arrives in pieces of any size up to this.
    public var pieceBytesMax = 2_048
    /// Bytes a millisecond; 0: no limit.
    public var bandwidth: UInt64 = 0
    /// One datagram in so many is lost, and one comes twice; 0: none.
    public var losesDatagramOneIn: UInt64 = 0
    public var doublesDatagramOneIn: UInt64 = 0
    /// What is sent through a wall is sent again until the wall is gone, as TCP does; else it is lost, and
    /// nothing after it may arrive.
    public var isPatient = false

    public init() {}
}

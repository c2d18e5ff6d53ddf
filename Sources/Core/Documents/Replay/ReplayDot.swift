// While a history is replayed, replicas are small numbers of the history's own table: comparing and storing
// sixteen bytes for each dot would cost more than the replay itself.

/// A dot by the number of its replica; the number is negative for none.
public struct ReplayDot: Equatable, Sendable {
    public var replica: Int32
    public var sequence: UInt64

    @inlinable
    public init(replica: Int32, sequence: UInt64) {
        self.replica = replica
        self.sequence = sequence
    }

    @inlinable public static var none: ReplayDot { ReplayDot(replica: -1, sequence: 0) }
    @inlinable public var isNone: Bool { replica < 0 }
}

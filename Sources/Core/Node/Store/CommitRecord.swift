// A change as a space's commit order has it: when it was committed here, which change it is, and what came
// of it. The order is the node's own; cursors, snapshots and listings name positions in it.

public import Causality

/// Position in a space's local commit order: the n-th change committed here. Starts at 1; 0 is before
/// everything.
public struct CommitPosition: Hashable, Comparable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }
    public static let start = CommitPosition(0)
    public var next: CommitPosition { CommitPosition(value + 1) }
    public static func < (left: CommitPosition, right: CommitPosition) -> Bool { left.value < right.value }
}

/// One change in commit order: where to find it, not its bytes.
public struct CommitRecord: Hashable, Sendable {
    public let position: CommitPosition
    public let replica: ReplicaID
    public let first: SequenceNumber
    public let last: SequenceNumber
    public let status: ChangeStatus

    public init(
        position: CommitPosition, replica: ReplicaID, first: SequenceNumber, last: SequenceNumber,
        status: ChangeStatus
    ) {
        self.position = position
        self.replica = replica
        self.first = first
        self.last = last
        self.status = status
    }
}

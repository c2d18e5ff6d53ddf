// A change: an atomic transaction of operations by one replica; the unit of signing, storing and ordering.
// This is the decoded form; `LogCoder` gives its canonical bytes and reads them back.

public import Bytes
public import Causality
public import Documents

/// One change of one replica's log. Its sequences are contiguous: `first` through `last`.
public struct Change: Hashable, Sendable {
    public let replica: ReplicaID
    public let first: SequenceNumber
    public let timestamp: Timestamp
    /// `context`, as it stands in memory.
    private let shared: SharedContext
    /// Set in a log's first change only.
    public let declaration: Declaration?
    /// Roster heads, ascending, when they advanced since the log's previous change; else empty.
    public let rosterHeads: [Bytes32]
    /// At least one, except that a log's first change may only declare (it then consumes one sequence).
    public let operations: [Operation]
    /// Sequences consumed.
    public let sequenceCount: Int

    /// Who writes a log.
    public struct Declaration: Hashable, Sendable {
        public let device: DeviceID
        public let incarnation: UInt64

        public init(device: DeviceID, incarnation: UInt64) {
            self.device = device
            self.incarnation = incarnation
        }
    }

    public init(
        replica: ReplicaID, first: SequenceNumber, timestamp: Timestamp, context: VersionVector,
        declaration: Declaration?, rosterHeads: [Bytes32], operations: [Operation]
    ) {
        self.init(
            replica: replica, first: first, timestamp: timestamp, shared: SharedContext(context),
            declaration: declaration, rosterHeads: rosterHeads, operations: operations)
    }

    /// A decoded change, which may share its context with others of its section.
    init(
        replica: ReplicaID, first: SequenceNumber, timestamp: Timestamp, shared: SharedContext,
        declaration: Declaration?, rosterHeads: [Bytes32], operations: [Operation]
    ) {
        self.replica = replica
        self.first = first
        self.timestamp = timestamp
        self.shared = shared
        self.declaration = declaration
        self.rosterHeads = rosterHeads
        self.operations = operations
        var count = operations.isEmpty ? 1 : 0
        // By index: whoever iterates over operations copies each.
        for index in operations.indices { count += operations[index].sequenceCount }
        sequenceCount = count
    }

    /// What the author had seen, without its own log (entries of `replica` never occur in it). O(entries)
    /// for a large one.
    public var context: VersionVector { shared.vector }
    /// Entries of contexts that this change holds in memory and `former` does not.
    public func contextEntries(beside former: Change?) -> Int { shared.entryCount(beside: former?.shared) }
    /// The last sequence, inside.
    public var last: SequenceNumber { first + (sequenceCount - 1) }
    /// How the API names a change: its replica and last sequence.
    public var id: Dot { Dot(replica, last) }

    /// True when it does nothing but acknowledge checkpoints: a reader may write that, and nothing else.
    public var isAcknowledgement: Bool {
        !operations.isEmpty && operations.allSatisfy { !$0.touchesDocument }
    }

    /// The checkpoints that it acknowledges, in order.
    public var acknowledged: [Bytes32] {
        operations.compactMap { if case .acknowledge(let checkpoint) = $0.body { checkpoint } else { nil } }
    }

    /// The stamps of the operations, in order.
    public func stamps() -> [OperationStamp] {
        var next = Dot(replica, first)
        let context = context
        return operations.map { operation in
            defer { next = next.advanced(by: operation.sequenceCount) }
            return OperationStamp(dot: next, timestamp: timestamp, context: context)
        }
    }
}

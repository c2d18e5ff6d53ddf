// The operations of a change: what is logged, signed, sent and applied. They are written by `author` from
// requests and mean the same on every replica whatever the order of delivery (within causal order).

public import Bytes
public import Causality

/// One mutation of one document, or what is said of a checkpoint. It consumes `sequenceCount` consecutive
/// sequences of its author's log.
public struct Operation: Hashable, Sendable {
    public let document: Key
    public let body: Body

    public init(document: Key, body: Body) {
        self.document = document
        self.body = body
    }

    public enum Body: Hashable, Sendable {
        /// Deletes the document: the generations of its root map that the author saw live, ascending, at
        /// least one.
        case deleteDocument(observed: [Generation])
        case act(in: ContainerPath, Action)
        /// The author took in all that a checkpoint covers, and computed what it names. Nil is a *mark*: it
        /// acknowledges nothing, and is what an author writes whose checkpoint needs a change of its own.
        case acknowledge(checkpoint: Bytes32?)
        /// From a newer version: kept and relayed, never executed. `payload` is opaque.
        case unknown(tag: UInt64, sequenceCount: Int, payload: [UInt8])
    }

    /// Sequences consumed, at least 1. Inlinable: other modules ask it of each operation, and a call copies
    /// one.
    @inlinable public var sequenceCount: Int {
        switch body {
        case .deleteDocument, .acknowledge: 1
        case .act(_, let action): action.sequenceCount
        case .unknown(_, let count, _): count
        }
    }
}

extension Operation {
    /// The memory that it needs, roughly: for bounds, never for anything that replicas must agree on.
    public var estimatedBytes: Int {
        switch body {
        case .deleteDocument(let observed): 32 + 8 * observed.count
        case .acknowledge: 64
        case .act(_, let action): 32 + action.payloadBytes
        case .unknown(_, _, let payload): 32 + payload.count
        }
    }
}

/// When and on what an operation was made.
public struct OperationStamp: Hashable, Sendable {
    /// The operation's first dot.
    public let dot: Dot
    public let timestamp: Timestamp
    /// The context of its change; `covers` adds the earlier sequences of its own log.
    public let context: VersionVector

    public init(dot: Dot, timestamp: Timestamp, context: VersionVector) {
        self.dot = dot
        self.timestamp = timestamp
        self.context = context
    }

    /// True when the author of this operation had seen `other`.
    public func covers(_ other: Dot) -> Bool {
        if other.replica == dot.replica { return other.sequence < dot.sequence }
        return context.contains(other)
    }

    public var priority: Priority { Priority(timestamp, dot) }
}

// What the node tells of forks and of changes that it does not execute.

public import Causality

/// A log that was closed.
public struct ForkReport: Hashable, Sendable {
    public let replica: ReplicaID
    /// Who wrote it; nil when nothing of it is held.
    public let device: DeviceID?
    public let deviceName: String
    /// Nothing from this sequence on counts.
    public let closedAt: SequenceNumber
    /// Milliseconds since 1970 when this node learned of it.
    public let since: UInt64
    /// The branch that is held here; nil: only the trunk is.
    public let branch: Branch?

    public struct Branch: Hashable, Sendable {
        public let first: SequenceNumber
        public let last: SequenceNumber
        /// The log that its author issues it again in.
        public let reissuedIn: ReplicaID?
        /// All of it is held under that log here.
        public let isReissued: Bool

        public init(
            first: SequenceNumber, last: SequenceNumber, reissuedIn: ReplicaID?, isReissued: Bool
        ) {
            self.first = first
            self.last = last
            self.reissuedIn = reissuedIn
            self.isReissued = isReissued
        }
    }

    public init(
        replica: ReplicaID, device: DeviceID?, deviceName: String, closedAt: SequenceNumber, since: UInt64,
        branch: Branch?
    ) {
        self.replica = replica
        self.device = device
        self.deviceName = deviceName
        self.closedAt = closedAt
        self.since = since
        self.branch = branch
    }
}

/// A change that is held and not executed.
public struct SkippedReport: Hashable, Sendable {
    public let change: Dot
    public let device: DeviceID?
    public let deviceName: String
    /// "quarantined", "unreadable" or "newer-version".
    public let reason: String
    /// Milliseconds since 1970.
    public let since: UInt64
    /// Documents that are shown without it.
    public let documents: [String]

    public init(
        change: Dot, device: DeviceID?, deviceName: String, reason: String, since: UInt64,
        documents: [String]
    ) {
        self.change = change
        self.device = device
        self.deviceName = deviceName
        self.reason = reason
        self.since = since
        self.documents = documents
    }
}

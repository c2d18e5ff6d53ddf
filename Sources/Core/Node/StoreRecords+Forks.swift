// What a store keeps of forks and of changes that are skipped.

import Bytes
public import Causality

/// The proof that closed a log. Of each log one is kept, the one with the least `first`.
public struct ForkRecord: Hashable, Sendable {
    public let replica: ReplicaID
    /// Closed at this sequence.
    public let first: SequenceNumber
    /// Wall milliseconds when this node learned of it.
    public let since: UInt64
    /// As `ForkProof` codes it.
    public let proof: [UInt8]

    public init(replica: ReplicaID, first: SequenceNumber, since: UInt64, proof: [UInt8]) {
        self.replica = replica
        self.first = first
        self.since = since
        self.proof = proof
    }
}

/// A change that is held and not executed, although it is not void.
public struct SkippedRecord: Hashable, Sendable {
    /// Raw values are stored.
    public enum Reason: UInt8, Hashable, CaseIterable, Sendable {
        /// It has operations of a newer version.
        case unknown = 0
        /// The process died twice while it was being executed.
        case quarantined = 1
        /// A document that it touches cannot be made from what is stored.
        case unreadable = 2
    }

    public let change: CommitRecord
    public let reason: Reason
    /// Wall milliseconds.
    public let since: UInt64

    public init(change: CommitRecord, reason: Reason, since: UInt64) {
        self.change = change
        self.reason = reason
        self.since = since
    }
}

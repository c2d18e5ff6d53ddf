// What can be wrong with a run of somebody's log, and with a change that we would like to append to our own.

public import Bytes
public import Causality

/// Why a sealed run was refused; nothing of it was taken. Its sender's fault, or its author's.
public enum LogFault: Error, Equatable, Sendable {
    /// Another log.
    case wrongReplica(ReplicaID)
    /// The log's first change, or who sent it, declares another author than the replica is named for.
    case wrongDeclaration
    /// It begins behind the head: `expected` is the next sequence.
    case gap(expected: SequenceNumber, got: SequenceNumber)
    /// What is known was sent with other bytes: the suspicion of a fork. The difference lies at or after
    /// `at`, the run's first sequence.
    case differentBytes(at: SequenceNumber)
    /// A change after this sequence is not canonical.
    case malformed(DecodeFault, after: SequenceNumber)
    /// It ends elsewhere than it says.
    case wrongEnd(said: SequenceNumber, is: SequenceNumber)
    /// A seal that is not at the end of a change.
    case sealInsideChange(at: SequenceNumber)
    /// A boundary without its seal: it could never be served from there.
    case boundaryNotSealed(at: SequenceNumber)
    /// A seal over other bytes than these.
    case wrongChainHash(at: SequenceNumber)
    /// A seal that the declared device did not sign.
    case wrongSignature(at: SequenceNumber)
}

/// Why a change cannot be authored: it exceeds a limit (413). The log is as before.
public struct ChangeTooLarge: Error, Equatable, Sendable {
    public enum Measure: Hashable, Sendable {
        case bytes, sequences, operations, contextEntries
    }

    public let measure: Measure
    public let value: Int
    public let limit: Int

    init(_ measure: Measure, _ value: Int, limit: Int) {
        self.measure = measure
        self.value = value
        self.limit = limit
    }
}

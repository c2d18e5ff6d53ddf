// The part of the store's contract about programs on this node, its readers and writers: answers that are
// remembered, so that a transaction that is sent again is not made again.

public import Bytes
public import Causality

/// A remembered answer to an Idempotency-Key.
public struct IdempotencyRecord: Hashable, Sendable {
    public let bodyHash: Bytes32
    /// Nil when the transaction changed nothing.
    public let change: Dot?
    public let version: String
    /// Wall milliseconds after which it may go.
    public let expires: UInt64

    public init(bodyHash: Bytes32, change: Dot?, version: String, expires: UInt64) {
        self.bodyHash = bodyHash
        self.change = change
        self.version = version
        self.expires = expires
    }

    /// The same, expiring so many milliseconds later.
    public func expiring(later milliseconds: Int64) -> IdempotencyRecord {
        let moved = max(0, Int64(clamping: expires) + milliseconds)
        return IdempotencyRecord(
            bodyHash: bodyHash, change: change, version: version, expires: UInt64(moved))
    }
}

/// What is kept of answers.
public protocol StoredAnswers {
    func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord?
}

/// Writes of answers, each inside the open transaction.
public protocol AnswerStore: StoredAnswers {
    mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure)
    /// Moves all expiries by as many milliseconds, then drops what expired before this wall time.
    mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure)
}

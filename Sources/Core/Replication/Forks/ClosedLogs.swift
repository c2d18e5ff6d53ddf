// The logs of a space that were proved to be forked, or that ended, and where each is closed. What a node
// executes follows from this table and the changes it holds, never from the order in which either arrived
// (decisions 0062, 0244).

public import Bytes
public import Causality
import Crypto

/// Where a log is closed.
public struct Closing: Hashable, Sendable {
    /// Nothing that ends at or after it is executed, requested or listed.
    public let first: SequenceNumber
    /// The chain hash before it.
    public let trunkHash: Bytes32

    public init(first: SequenceNumber, trunkHash: Bytes32) {
        precondition(first > .none, "a log closed at 0")
        self.first = first
        self.trunkHash = trunkHash
    }

    /// The last sequence that counts; `.none` when nothing of the log does.
    public var trunkLast: SequenceNumber { first.previous }
}

/// Closed logs by replica.
public struct ClosedLogs: Hashable, Sendable {
    private var closings: [ReplicaID: Closing] = [:]
    /// Closed logs that no vector names any more: whoever has the base has them to their ends.
    private var gone: Set<ReplicaID> = []

    public init() {}

    public var isEmpty: Bool { closings.isEmpty }
    public var count: Int { closings.count }
    public subscript(replica: ReplicaID) -> Closing? { closings[replica] }
    /// Ascending.
    public var replicas: [ReplicaID] { closings.keys.sorted() }

    /// Closes a log, or closes it earlier. False when it is closed there, or before, already.
    public mutating func close(_ replica: ReplicaID, _ closing: Closing) -> Bool {
        if let known = closings[replica], known.first <= closing.first { return false }
        closings[replica] = closing
        return true
    }

    /// Closes a log here, earlier or later than before: a checkpoint that stands says so.
    public mutating func move(_ replica: ReplicaID, to closing: Closing) { closings[replica] = closing }

    /// As if nothing was known against the log.
    public mutating func reopen(_ replica: ReplicaID) {
        closings[replica] = nil
        gone.remove(replica)
    }

    /// From now on no vector names the log, which is closed.
    public mutating func letGo(_ replica: ReplicaID) {
        precondition(closings[replica] != nil, "\(replica) is gone and was not closed")
        gone.insert(replica)
    }

    public func isGone(_ replica: ReplicaID) -> Bool { gone.contains(replica) }

    /// How much of a closed log vectors name.
    public func counted(_ replica: ReplicaID) -> SequenceNumber? {
        gone.contains(replica) ? SequenceNumber.none : closings[replica]?.trunkLast
    }

    /// True when a change that ends here is void because its log is closed before.
    public func isClosed(_ dot: Dot) -> Bool {
        guard !closings.isEmpty, let closing = closings[dot.replica] else { return false }
        return dot.sequence >= closing.first
    }

    /// How much of its log a context entry asks for: of a closed one, no more than the trunk, of one that is
    /// gone nothing.
    public func needed(_ entry: VersionVector.Entry) -> SequenceNumber {
        guard !closings.isEmpty, let last = counted(entry.replica) else { return entry.last }
        return min(entry.last, last)
    }

    /// The vector with closed logs at their trunks at most, and without those that are gone. O(closed logs).
    public func clamped(_ vector: VersionVector) -> VersionVector {
        if closings.isEmpty { return vector }
        var result = vector
        for (replica, closing) in closings {
            result.lower(replica, to: gone.contains(replica) ? .none : closing.trunkLast)
        }
        return result
    }

    /// Equal tables, equal hashes; zero when empty.
    public var hash: Bytes32 {
        if closings.isEmpty { return .zero }
        var writer = ByteWriter(reserving: closings.count * 56)
        for (replica, closing) in closings.sorted(by: { $0.key < $1.key }) {
            replica.raw.encode(into: &writer)
            writer.u64(closing.first.value)
            closing.trunkHash.encode(into: &writer)
        }
        return Blake2b.hash256(writer.bytes, personal: "repld-forks-v1")
    }
}

// Consecutive changes of one replica in their canonical bytes: what is kept in a row of the store and travels
// in a segment. It says nothing about whether they are true; `LogState.verify` does.

public import Bytes
public import Causality

/// The canonical bytes of a log from the beginning of one change to the end of another.
public struct Run: Hashable, Sendable {
    public let replica: ReplicaID
    /// The first sequence of its first change.
    public let first: SequenceNumber
    /// The last sequence of its last change, inside.
    public let last: SequenceNumber
    /// Changes one after the other, each with its length.
    public let bytes: [UInt8]

    public init(replica: ReplicaID, first: SequenceNumber, last: SequenceNumber, bytes: [UInt8]) {
        precondition(first > .none && first <= last && last <= .max, "a run \(first)...\(last)")
        self.replica = replica
        self.first = first
        self.last = last
        self.bytes = bytes
    }

    /// How many of its changes, counted in bytes, stand in front of the first one in which this run and
    /// `other` differ; all when one is a prefix of the other. Both must begin at the same change.
    public func commonPrefixByteCount(with other: [UInt8]) throws(DecodeFault) -> Int {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let start = reader.offset
            let length = try reader.count(limit: WireLimits.changeBytesMax, field: "change")
            try reader.skip(length)
            let end = reader.offset
            if end > other.count || bytes[start..<end] != other[start..<end] { return start }
        }
        return reader.offset
    }
}

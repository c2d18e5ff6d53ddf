// One seal a group commit authenticates every change before it (DESIGN 5): signing each change would cost 15 µs apiece.


public import Bytes
public import Causality

/// A signature over the head of a replica's hash chain: it authenticates every change up to `last`.
public struct Seal: Hashable, Sendable {
    public let replica: ReplicaID
    public let last: SequenceNumber
    public let chainHash: Bytes32
    /// 64 bytes, Ed25519.
    public let signature: [UInt8]

    public init(replica: ReplicaID, last: SequenceNumber, chainHash: Bytes32, signature: [UInt8]) {
        self.replica = replica
        self.last = last
        self.chainHash = chainHash
        self.signature = signature
    }
}

// A seal authenticates a log up to a sequence: its author's signature over the chain hash there. `Identity`
// makes and checks them; here are only the bytes.

public import Bytes
public import Causality
public import Crypto

/// A signature over the head of a replica's chain.
public struct Seal: Hashable, Sendable {
    public let replica: ReplicaID
    /// The last sequence that it covers; the end of a change.
    public let last: SequenceNumber
    /// The chain hash there.
    public let chainHash: Bytes32
    /// By the device that the log declares.
    public let signature: Signature

    public init(replica: ReplicaID, last: SequenceNumber, chainHash: Bytes32, signature: Signature) {
        precondition(last > .none && last <= .max, "a seal at \(last)")
        self.replica = replica
        self.last = last
        self.chainHash = chainHash
        self.signature = signature
    }

    /// Sequence, hash and signature; the replica is known from where the seal stands.
    public func encode(into writer: inout ByteWriter) {
        writer.varint(last.value)
        chainHash.encode(into: &writer)
        signature.encode(into: &writer)
    }

    public init(of replica: ReplicaID, from reader: inout ByteReader) throws(DecodeFault) {
        let last = try SequenceNumber(from: &reader, field: "seal")
        self.init(
            replica: replica, last: last, chainHash: try Bytes32(from: &reader),
            signature: try Signature(from: &reader))
    }
}

extension SequenceNumber {
    /// A varint from 1 to `max`.
    init(from reader: inout ByteReader, field: String) throws(DecodeFault) {
        let value = try reader.varint()
        if value < 1 || value > SequenceNumber.max.value { throw .outOfRange(field: field) }
        self.init(value)
    }
}

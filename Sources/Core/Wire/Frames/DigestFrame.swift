// The check that nothing else makes: two nodes that executed the same changes must show the same documents.
// Digests are only comparable when everything they follow from is equal, so hashes of that stand in front.

public import Bytes

/// The state of one side as four hashes.
public struct DigestFrame: FrameBody {
    public static let type = FrameType.digest
    /// Of the version vector.
    public let vectorHash: Bytes32
    /// Of the roster heads.
    public let rosterHash: Bytes32
    /// Of what else decides which changes are executed: closed replicas and skipped changes. Zero when none
    /// are.
    public let exceptionsHash: Bytes32
    /// Of all documents, independent of their order.
    public let documentsDigest: Bytes32

    public init(vectorHash: Bytes32, rosterHash: Bytes32, exceptionsHash: Bytes32, documentsDigest: Bytes32) {
        self.vectorHash = vectorHash
        self.rosterHash = rosterHash
        self.exceptionsHash = exceptionsHash
        self.documentsDigest = documentsDigest
    }

    /// True when different digests mean that one of the two nodes is wrong.
    public func isComparable(to other: DigestFrame) -> Bool {
        (vectorHash, rosterHash, exceptionsHash) == (other.vectorHash, other.rosterHash, other.exceptionsHash)
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        vectorHash = try Bytes32(from: &reader)
        rosterHash = try Bytes32(from: &reader)
        exceptionsHash = try Bytes32(from: &reader)
        documentsDigest = try Bytes32(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        vectorHash.encode(into: &writer)
        rosterHash.encode(into: &writer)
        exceptionsHash.encode(into: &writer)
        documentsDigest.encode(into: &writer)
    }
}

// One signed operation on who belongs to a space. Operations form a DAG by hash, apart from the logs: each
// names the heads that its author saw, so a set of operations means the same whatever the order in which it
// arrived.
//
//   version 1 | kind u8 | author 32 | timestamp ms u64 | n varint, n × head 32 | body | signature 64
//
// The signature is the author's over the label and everything before it. The id is BLAKE2b-256 of all the
// bytes; the id of the genesis is the SpaceID, and since heads lead back to it, no operation counts in two
// spaces.

public import Bytes
public import Causality
public import Crypto

/// A decoded operation of the roster. That its signature holds and its author had the right is for `Roster`
/// to say.
public struct RosterOperation: Sendable {
    public static let version: UInt8 = 1
    static let signatureLabel = Array("repld roster operation v1\0".utf8)

    /// The canonical encoding, signature included.
    public let bytes: [UInt8]
    /// BLAKE2b-256 of `bytes`.
    public let id: Bytes32
    public let author: DeviceID
    /// The author's wall clock, for people only: nothing is decided by it.
    public let timestamp: Timestamp
    /// What the author had seen, ascending; none for a genesis, else at least one.
    public let heads: [Bytes32]
    public let body: RosterBody
    public let signature: Signature

    /// Makes a signed operation; `heads` in any order. Over a limit of `RosterLimits` is a bug of the caller.
    public init(_ body: RosterBody, on heads: [Bytes32], at timestamp: Timestamp, by key: SigningKey) {
        let ascending = Array(Set(heads)).sorted()
        precondition(ascending.count <= RosterLimits.headsMax, "\(ascending.count) heads")
        precondition(ascending.isEmpty == body.isGenesis, "a genesis alone names no heads")
        precondition(timestamp <= .max, "timestamp \(timestamp.milliseconds)")
        let author = DeviceID(publicKey: key.publicKey)
        var writer = ByteWriter(reserving: 512)
        writer.u8(Self.version)
        writer.u8(body.kindByte)
        author.publicKey.encode(into: &writer)
        writer.u64(timestamp.milliseconds)
        writer.varint(ascending.count)
        for head in ascending { head.encode(into: &writer) }
        body.encode(into: &writer)
        let signature = key.sign(Self.signatureLabel + writer.bytes)
        signature.encode(into: &writer)
        precondition(writer.count <= RosterLimits.operationBytesMax, "an operation of \(writer.count) bytes")

        bytes = writer.bytes
        id = Blake2b.hash256(writer.bytes)
        self.author = author
        self.timestamp = timestamp
        self.heads = ascending
        self.body = body
        self.signature = signature
    }

    /// Reads exactly one operation. Its form is checked, not its signature.
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        try self.init(decoding: bytes, knownAs: nil)
    }

    /// The same; `id` is the hash of the bytes where that is known.
    public init(decoding bytes: [UInt8], knownAs id: Bytes32?) throws(DecodeFault) {
        let limit = RosterLimits.operationBytesMax
        guard bytes.count <= limit else {
            throw .overLimit(field: "roster operation", value: UInt64(bytes.count), limit: UInt64(limit))
        }
        guard bytes.count >= Signature.byteCount else {
            throw .truncated(needed: Signature.byteCount, available: bytes.count)
        }
        var reader = ByteReader(bytes, in: 0..<bytes.count - Signature.byteCount)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "roster operation version", value: UInt64(version))
        }
        let kind = try reader.u8()
        author = DeviceID(publicKey: try Bytes32(from: &reader))
        timestamp = Timestamp(milliseconds: try reader.u64())
        guard timestamp <= .max else { throw .outOfRange(field: "timestamp") }
        heads = try Self.heads(from: &reader)
        body = try RosterBody(kindByte: kind, from: &reader)
        try reader.finish()
        guard heads.isEmpty == body.isGenesis else { throw .outOfRange(field: "heads") }
        var tail = ByteReader(bytes, in: bytes.count - Signature.byteCount..<bytes.count)
        signature = try Signature(from: &tail)
        self.bytes = bytes
        self.id = id ?? Blake2b.hash256(bytes)
    }

    /// True when the author signed exactly these bytes. About 40 µs and a copy.
    public func isSigned() -> Bool {
        let signed = Self.signatureLabel + bytes.dropLast(Signature.byteCount)
        return Ed25519.verify(signature, of: signed, by: author.publicKey)
    }

    private static func heads(from reader: inout ByteReader) throws(DecodeFault) -> [Bytes32] {
        let count = try reader.count(limit: RosterLimits.headsMax, field: "roster heads")
        var heads: [Bytes32] = []
        for _ in 0..<count {
            let head = try Bytes32(from: &reader)
            if let last = heads.last, last >= head { throw .notCanonical(field: "roster heads") }
            heads.append(head)
        }
        return heads
    }
}

extension RosterOperation: Hashable {
    /// Equal bytes, told by their hash.
    public static func == (left: RosterOperation, right: RosterOperation) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

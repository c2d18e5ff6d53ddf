// The part of a segment that a relay sees: whose log, which range, which seals, and under which key the rest
// is. It is authenticated with the body, so a relay that changes it makes the body unreadable.

public import Bytes
public import Causality
public import Crypto

/// Names a content key without showing it, so that a receiver with several epochs picks the right one.
public struct ContentKeyID: Hashable, Sendable {
    public let raw: Bytes16

    public init(raw: Bytes16) { self.raw = raw }

    /// First 16 bytes of KDF(content key, "repld-key-id-v1", "").
    public init(of contentKey: Secret) {
        raw = Bytes16(
            KeyDerivation.deriveBytes(contentKey, label: "repld-key-id-v1").prefix(Bytes16.byteCount))
    }
}

/// In clear inside the link; additional data of the segment's encryption.
public struct SegmentHeader: Hashable, Sendable {
    static let version: UInt8 = 1

    public let space: SpaceID
    public let keyID: ContentKeyID
    /// 24 random bytes.
    public let nonce: [UInt8]
    public let declaration: Change.Declaration
    public let first: SequenceNumber
    public let last: SequenceNumber
    /// Ascending, inside the range, at least one; the last one at `last`.
    public let seals: [Seal]

    public init(
        space: SpaceID, keyID: ContentKeyID, nonce: [UInt8], declaration: Change.Declaration,
        first: SequenceNumber,
        last: SequenceNumber, seals: [Seal]
    ) {
        precondition(nonce.count == XChaCha.nonceBytes, "a nonce of \(nonce.count) bytes")
        precondition(seals.count <= WireLimits.segmentSealsMax, "\(seals.count) seals")
        self.space = space
        self.keyID = keyID
        self.nonce = nonce
        self.declaration = declaration
        self.first = first
        self.last = last
        self.seals = seals
    }

    public var replica: ReplicaID { ReplicaID(space: space, declaration: declaration) }

    /// First 16 bytes of BLAKE2b-256(SpaceID), personal "repld-spacetag-1".
    static func tag(of space: SpaceID) -> Bytes16 {
        Bytes16(
            Blake2b.hash256(space.raw.bytes, personal: "repld-spacetag-1").bytes.prefix(Bytes16.byteCount))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u8(Self.version)
        Self.tag(of: space).encode(into: &writer)
        keyID.raw.encode(into: &writer)
        writer.raw(nonce)
        declaration.device.publicKey.encode(into: &writer)
        writer.u64(declaration.incarnation)
        writer.varint(first.value)
        writer.varint(last.value)
        writer.varint(seals.count)
        for seal in seals { seal.encode(into: &writer) }
    }

    /// Reads a header that must be of `space`, the space of the channel it came on.
    public init(of space: SpaceID, from reader: inout ByteReader) throws(DecodeFault) {
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "segment", value: UInt64(version)) }
        if try Bytes16(from: &reader) != Self.tag(of: space) { throw .outOfRange(field: "space tag") }
        self.space = space
        keyID = ContentKeyID(raw: try Bytes16(from: &reader))
        nonce = try reader.raw(XChaCha.nonceBytes)
        let device = DeviceID(publicKey: try Bytes32(from: &reader))
        declaration = Change.Declaration(device: device, incarnation: try reader.u64())
        first = try SequenceNumber(from: &reader, field: "first")
        last = try SequenceNumber(from: &reader, field: "last")
        if last < first { throw .outOfRange(field: "last") }
        let count = try reader.count(limit: WireLimits.segmentSealsMax, field: "seals")
        let replica = ReplicaID(space: space, declaration: declaration)
        var seals: [Seal] = []
        var former = first.previous
        for _ in 0..<count {
            let seal = try Seal(of: replica, from: &reader)
            if seal.last <= former || seal.last > last { throw .outOfRange(field: "seal") }
            former = seal.last
            seals.append(seal)
        }
        if former != last { throw .outOfRange(field: "seal") }
        self.seals = seals
    }
}

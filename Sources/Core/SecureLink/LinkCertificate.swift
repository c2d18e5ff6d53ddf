// Noise proves that the other side holds a static key; the certificate in messages 2 and 3 says whose key
// that is. The device signs the static key together with the space and the side of the handshake, so the
// signature serves no other key, space or side (THREATS.md). 152 bytes:
//
//     version u8 = 1 | kind u8 | chosen version u16 | features u32 | device pk 32 | instance 8 | wall ms 8 |
//     roster hash 32 | Ed25519 64 over "repld noise static v1\0" ‖ SpaceID ‖ role u8 ‖ Noise static ‖ the 88

public import Bytes
public import Causality
public import Crypto

/// Who is at the other end, signed.
public struct LinkCertificate: Hashable, Sendable {
    public static let byteCount = 152
    static let label: [UInt8] = Array("repld noise static v1\0".utf8)

    /// What the device signs besides the context.
    public struct Claim: Hashable, Sendable {
        public static let byteCount = 88
        /// The profile of the link.
        public let kind: LinkProfile
        /// The protocol version that the responder chose.
        public let version: UInt16
        /// Bits of optional abilities; unknown ones mean nothing.
        public let features: UInt32
        public let device: DeviceID
        /// Random per start of the node: the same device with two of them alive is a clone.
        public let instance: UInt64
        /// The node's wall clock, ms since 1970.
        public let wallMilliseconds: UInt64
        /// Hash of the sorted roster heads of the space; a joiner's is zero.
        public let rosterHash: Bytes32

        public init(
            kind: LinkProfile, version: UInt16, features: UInt32, device: DeviceID, instance: UInt64,
            wallMilliseconds: UInt64, rosterHash: Bytes32
        ) {
            self.kind = kind
            self.version = version
            self.features = features
            self.device = device
            self.instance = instance
            self.wallMilliseconds = wallMilliseconds
            self.rosterHash = rosterHash
        }

        public var bytes: [UInt8] {
            var writer = ByteWriter(reserving: LinkCertificate.byteCount)
            writer.u8(1)
            writer.u8(kind.rawValue)
            writer.u16(version)
            writer.u32(features)
            device.publicKey.encode(into: &writer)
            writer.u64(instance)
            writer.u64(wallMilliseconds)
            rosterHash.encode(into: &writer)
            return writer.bytes
        }

        init(from reader: inout ByteReader) throws(DecodeFault) {
            let form = try reader.u8()
            guard form == 1 else { throw .unknownTag(field: "certificate version", value: UInt64(form)) }
            let kindByte = try reader.u8()
            guard let kind = LinkProfile(rawValue: kindByte) else {
                throw .unknownTag(field: "certificate kind", value: UInt64(kindByte))
            }
            self.init(
                kind: kind, version: try reader.u16(), features: try reader.u32(),
                device: DeviceID(publicKey: try Bytes32(from: &reader)), instance: try reader.u64(),
                wallMilliseconds: try reader.u64(), rosterHash: try Bytes32(from: &reader))
        }
    }

    /// What the signature also covers and the certificate does not carry.
    public struct Context: Hashable, Sendable {
        public let space: SpaceID
        /// The side of the one who signs.
        public let role: LinkRole
        /// The Noise static key of the one who signs.
        public let staticKey: Bytes32

        public init(space: SpaceID, role: LinkRole, staticKey: Bytes32) {
            self.space = space
            self.role = role
            self.staticKey = staticKey
        }

        func message(_ claim: Claim) -> [UInt8] {
            var writer = ByteWriter(reserving: 256)
            writer.raw(LinkCertificate.label)
            space.raw.encode(into: &writer)
            writer.u8(role.rawValue)
            staticKey.encode(into: &writer)
            writer.raw(claim.bytes)
            return writer.bytes
        }
    }

    public let claim: Claim
    public let signature: Signature

    /// Signs; `key` is the claim's device.
    public init(_ claim: Claim, in context: Context, by key: SigningKey) {
        precondition(key.publicKey == claim.device.publicKey, "a certificate signed by another device")
        self.claim = claim
        signature = key.sign(context.message(claim))
    }

    /// Reads the form; `isValid` says whether it is true.
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        claim = try Claim(from: &reader)
        signature = try Signature(from: &reader)
        try reader.finish()
    }

    public var bytes: [UInt8] { claim.bytes + signature.bytes }

    /// True when the device that it names signed it for this context.
    public func isValid(in context: Context) -> Bool {
        Ed25519.verify(signature, of: context.message(claim), by: claim.device.publicKey)
    }
}

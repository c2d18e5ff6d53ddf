// What a joiner sends first: it holds the invite and the device key, on this very link. Both signatures cover
// the handshake hash, so a proof that was overheard or forwarded is worth nothing elsewhere (DESIGN 7).
//
//   version 1 u8 | device 32 | name, box key 32, addresses | invite's signature 64 | device's 64
//
// signed: label | SpaceID 32 | invite id 16 | handshake hash 64 | everything before the signatures

public import Bytes
public import Causality
public import Crypto

/// A joiner's claim, as it stands in the JOIN_PROOF frame.
public struct JoinProof: Hashable, Sendable {
    static let version: UInt8 = 1
    static let signatureLabel = Array("repld join proof v1\0".utf8)
    /// BLAKE2b-512, of the completed Noise handshake.
    public static let handshakeHashBytes = 64

    public let device: DeviceID
    public let description: DeviceDescription
    public let inviteSignature: Signature
    public let deviceSignature: Signature

    /// Makes the proof for one link. `handshakeHash` is 64 bytes.
    public init(
        _ description: DeviceDescription, of deviceKey: SigningKey, invite: InviteSecret, space: SpaceID,
        handshakeHash: [UInt8]
    ) {
        device = DeviceID(publicKey: deviceKey.publicKey)
        self.description = description
        let signed = Self.signed(
            device, description, invite: invite.id, space: space, handshakeHash: handshakeHash)
        inviteSignature = invite.signingKey().sign(signed)
        deviceSignature = deviceKey.sign(signed)
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else { throw .unknownTag(field: "join proof", value: UInt64(version)) }
        device = DeviceID(publicKey: try Bytes32(from: &reader))
        description = try DeviceDescription(from: &reader)
        inviteSignature = try Signature(from: &reader)
        deviceSignature = try Signature(from: &reader)
        try reader.finish()
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 512)
        Self.encode(device, description, into: &writer)
        inviteSignature.encode(into: &writer)
        deviceSignature.encode(into: &writer)
        return writer.bytes
    }

    /// True when both keys signed exactly this for this invite, space and link.
    public func isValid(inviteKey: Bytes32, invite: InviteID, space: SpaceID, handshakeHash: [UInt8]) -> Bool
    {
        let signed = Self.signed(
            device, description, invite: invite, space: space, handshakeHash: handshakeHash)
        return Ed25519.verify(inviteSignature, of: signed, by: inviteKey)
            && Ed25519.verify(deviceSignature, of: signed, by: device.publicKey)
    }

    private static func signed(
        _ device: DeviceID, _ description: DeviceDescription, invite: InviteID, space: SpaceID,
        handshakeHash: [UInt8]
    ) -> [UInt8] {
        precondition(
            handshakeHash.count == handshakeHashBytes, "a handshake hash of \(handshakeHash.count) bytes")
        var writer = ByteWriter(reserving: 512)
        writer.raw(signatureLabel)
        space.raw.encode(into: &writer)
        invite.raw.encode(into: &writer)
        writer.raw(handshakeHash)
        encode(device, description, into: &writer)
        return writer.bytes
    }

    private static func encode(
        _ device: DeviceID, _ description: DeviceDescription, into writer: inout ByteWriter
    ) {
        writer.u8(version)
        device.publicKey.encode(into: &writer)
        description.encode(into: &writer)
    }
}

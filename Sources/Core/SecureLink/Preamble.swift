// The first 24 bytes of a connection, in clear, from the initiator: what protocol, which versions, and which
// invite a joiner means. They enter the handshake as its prologue, so changing them on the way makes it fail.
//
//     "RPLD" | ver_max u8 | ver_min u8 | profile u8 | flags u8 = 0 | invite id 16 (zeros in the mesh profile)

public import Bytes

/// What the initiator says before the handshake.
public struct Preamble: Hashable, Sendable {
    public static let byteCount = 24
    private static let magic: [UInt8] = Array("RPLD".utf8)

    public let versions: ClosedRange<UInt8>
    public let profile: LinkProfile
    /// Zero in the mesh profile.
    public let inviteID: Bytes16

    public init(
        versions: ClosedRange<UInt8> = SecureLinkLimits.versions, profile: LinkProfile, inviteID: Bytes16
    ) {
        precondition(profile == .join || inviteID == .zero, "an invite id in the mesh profile")
        self.versions = versions
        self.profile = profile
        self.inviteID = inviteID
    }

    public var bytes: [UInt8] {
        var writer = ByteWriter(reserving: Self.byteCount)
        writer.raw(Self.magic)
        writer.u8(versions.upperBound)
        writer.u8(versions.lowerBound)
        writer.u8(profile.rawValue)
        writer.u8(0)
        inviteID.encode(into: &writer)
        return writer.bytes
    }

    /// Exactly 24 bytes, or it is a bug of the caller.
    public init(decoding bytes: [UInt8]) throws(LinkFault) {
        precondition(bytes.count == Self.byteCount, "a preamble of \(bytes.count) bytes")
        guard Array(bytes[..<4]) == Self.magic else { throw .notThisProtocol }
        let (greatest, least) = (bytes[4], bytes[5])
        guard least <= greatest, least > 0 else { throw .preambleNotCanonical }
        guard let profile = LinkProfile(rawValue: bytes[6]) else { throw .unknownProfile(bytes[6]) }
        let inviteID = Bytes16(bytes[8...])
        guard bytes[7] == 0, profile == .join || inviteID == .zero else { throw .preambleNotCanonical }
        versions = least...greatest
        self.profile = profile
        self.inviteID = inviteID
    }

    /// What both sides mix into the handshake first.
    var prologue: [UInt8] { Array("repld/1\0".utf8) + bytes }

    /// The greatest version that both speak.
    func commonVersion(with own: ClosedRange<UInt8>) throws(LinkFault) -> UInt8 {
        let greatest = min(versions.upperBound, own.upperBound)
        guard greatest >= max(versions.lowerBound, own.lowerBound) else {
            throw .noCommonVersion(least: versions.lowerBound, greatest: versions.upperBound)
        }
        return greatest
    }
}

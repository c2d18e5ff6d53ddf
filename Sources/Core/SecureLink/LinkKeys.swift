// The keys and tags of links that follow from the secrets of spaces and invites (DESIGN 7 and 8).

public import Bytes
public import Crypto

/// Derivations; each is `KeyDerivation` with its label.
public enum LinkKeys {
    /// The pre-shared key of links between members.
    public static func meshPSK(_ accessSecret: Secret) -> Secret {
        KeyDerivation.derive(accessSecret, label: "repld-mesh-psk-1")
    }

    /// The pre-shared key of the one who joins with an invite.
    public static func joinPSK(_ inviteSecret: Secret, inviteID: Bytes16) -> Secret {
        KeyDerivation.derive(inviteSecret, label: "repld-join-psk-1", info: inviteID.bytes)
    }

    /// The public name of an invite: it stands in the joiner's preamble.
    public static func inviteID(_ inviteSecret: Secret) -> Bytes16 {
        Bytes16(KeyDerivation.deriveBytes(inviteSecret, label: "repld-invite-id")[..<16])
    }

    /// Proves inside one link that the opener holds a further space's access secret. `role` is the opener's.
    public static func openTag(accessSecret: Secret, handshakeHash: [UInt8], role: LinkRole) -> Bytes32 {
        precondition(handshakeHash.count == 64, "a handshake hash of \(handshakeHash.count) bytes")
        return Bytes32(
            KeyDerivation.deriveBytes(
                accessSecret, label: "repld-open-v1", info: handshakeHash + [role.rawValue]))
    }
}

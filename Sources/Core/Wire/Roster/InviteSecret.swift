// Everything about an invite follows from its 32 secret bytes: its id, the key pair whose public half the
// roster keeps, and the pre-shared key of the joining link (DESIGN 7 and 8).

import Bytes
public import Crypto

/// The secret of one invite. Its holder may join once.
public struct InviteSecret: Sendable, Equatable {
    public let secret: Secret
    public let id: InviteID

    /// 32 fresh random bytes, or those of a token.
    public init(_ secret: Secret) {
        precondition(secret.count == 32, "an invite secret of \(secret.count) bytes")
        self.secret = secret
        id = InviteID(
            raw: Bytes16(
                KeyDerivation.deriveBytes(secret, label: "repld-invite-id").prefix(Bytes16.byteCount)))
    }

    /// Signs the joiner's proof; the public half stands in the `invite` operation.
    public func signingKey() -> SigningKey {
        SigningKey(seed: KeyDerivation.derive(secret, label: "repld-invite-key"))
    }

    /// Pre-shared key of the joining link.
    public func joinPresharedKey() -> Secret {
        KeyDerivation.derive(secret, label: "repld-join-psk-1", info: id.raw.bytes)
    }
}

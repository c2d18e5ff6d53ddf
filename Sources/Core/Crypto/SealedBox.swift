// Sealing to a public key: a newcomer's keys of a space. The sender's key pair is used once and comes in as
// an argument, so the bytes are a function of the inputs: ephemeral public key ‖ XChaCha20-Poly1305 under
// KDF(shared, "repld-sealedbox1", ephemeral pk ‖ recipient pk), nonce zero, because that key is used once.

public import Bytes

/// Anonymous encryption to an X25519 key.
public enum SealedBox {
    /// Bytes that sealing adds.
    public static let overheadBytes = 32 + XChaCha.tagBytes
    private static let nonce = [UInt8](repeating: 0, count: XChaCha.nonceBytes)

    /// `ephemeral` is fresh and used for this one box. When the recipient gave a key of small order, with
    /// which the plaintext would be open to all, the result is a box that nobody can open.
    public static func seal(_ plaintext: [UInt8], to recipient: Bytes32, ephemeral: AgreementKey) -> [UInt8] {
        let shared = ephemeral.agree(with: recipient) ?? ephemeral.unshared()
        let key = boxKey(shared, ephemeral: ephemeral.publicKey, recipient: recipient)
        return ephemeral.publicKey.bytes
            + XChaCha.seal(plaintext, key: key, nonce: nonce, authenticating: [])
    }

    /// Nil when the box is not for this key or is damaged.
    public static func open(_ bytes: [UInt8], with recipient: AgreementKey) -> [UInt8]? {
        guard bytes.count >= overheadBytes else { return nil }
        let ephemeral = Bytes32(bytes[..<32])
        guard let shared = recipient.agree(with: ephemeral) else { return nil }
        let key = boxKey(shared, ephemeral: ephemeral, recipient: recipient.publicKey)
        return XChaCha.open(Array(bytes[32...]), key: key, nonce: nonce, authenticating: [])
    }

    private static func boxKey(_ shared: Secret, ephemeral: Bytes32, recipient: Bytes32) -> Secret {
        KeyDerivation.derive(shared, label: "repld-sealedbox1", info: ephemeral.bytes + recipient.bytes)
    }
}

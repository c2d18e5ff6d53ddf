// The device's Ed25519 key (RFC 8032). It signs seals, roster operations and certificates, always over bytes
// that begin with an ASCII label of their use, and is never used for key agreement.

public import Bytes
import CSodium

/// An Ed25519 key pair made from its seed.
public final class SigningKey: Sendable {
    public let publicKey: Bytes32
    // libsodium's form: seed and public key, 64 bytes.
    private let secretKey: Secret

    /// The seed is 32 bytes; the same seed gives the same key.
    public init(seed: Secret) {
        precondition(seed.count == 32, "a seed of \(seed.count) bytes")
        CryptoLibrary.start()
        var publicBytes = [UInt8](repeating: 0, count: 32)
        secretKey = Secret(count: 64) { out in
            let status = crypto_sign_ed25519_seed_keypair(
                &publicBytes, out.start, seed.pointer)
            precondition(status == 0, "Ed25519 refused a seed")
        }
        publicKey = Bytes32(publicBytes)
    }

    /// Deterministic: the same message gives the same signature. About 15 µs.
    public func sign(_ message: [UInt8]) -> Signature {
        var signature = [UInt8](repeating: 0, count: Signature.byteCount)
        let status = crypto_sign_ed25519_detached(
            &signature, nil, message, UInt64(message.count), secretKey.pointer)
        precondition(status == 0, "Ed25519 refused to sign \(message.count) bytes")
        return Signature(signature)
    }
}

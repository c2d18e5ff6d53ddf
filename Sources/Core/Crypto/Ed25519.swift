// Verifiers of Ed25519 differ at the edges (small-order keys, non-canonical S), and replicas that differ
// about one signature diverge for ever. So there is one verifier in repld, libsodium's, and this is the one
// call of it.

public import Bytes
import CSodium

/// The only verification of signatures.
public enum Ed25519 {
    /// True when `signature` is `publicKey`'s over exactly `message`. About 40 µs.
    public static func verify(_ signature: Signature, of message: [UInt8], by publicKey: Bytes32) -> Bool {
        CryptoLibrary.start()
        return crypto_sign_ed25519_verify_detached(
            signature.bytes, message, UInt64(message.count), publicKey.bytes) == 0
    }
}

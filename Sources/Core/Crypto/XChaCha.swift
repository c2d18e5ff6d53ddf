// XChaCha20-Poly1305: payloads at rest and on their way past relays. Its nonce of 24 bytes can be random for
// ever; one derived from a sequence would repeat after a restored backup.

import CSodium

/// Authenticated encryption with a 24-byte random nonce.
public enum XChaCha {
    public static let nonceBytes = 24
    public static let tagBytes = 16

    /// The ciphertext and then the 16-byte tag. A nonce is used once per key.
    public static func seal(
        _ plaintext: [UInt8], key: Secret, nonce: [UInt8], authenticating extra: [UInt8]
    ) -> [UInt8] {
        precondition(
            key.count == 32 && nonce.count == nonceBytes, "key \(key.count), nonce \(nonce.count) bytes")
        CryptoLibrary.start()
        let total = plaintext.count + tagBytes
        return [UInt8](unsafeUninitializedCapacity: total) { out, count in
            let status = crypto_aead_xchacha20poly1305_ietf_encrypt(
                out.start, nil, plaintext, UInt64(plaintext.count), extra, UInt64(extra.count), nil, nonce,
                key.pointer)
            precondition(status == 0, "XChaCha20 refused \(plaintext.count) bytes")
            count = total
        }
    }

    /// The plaintext; nil when key, nonce, extra or any byte differs from what was sealed.
    public static func open(
        _ sealed: [UInt8], key: Secret, nonce: [UInt8], authenticating extra: [UInt8]
    ) -> [UInt8]? {
        precondition(
            key.count == 32 && nonce.count == nonceBytes, "key \(key.count), nonce \(nonce.count) bytes")
        guard sealed.count >= tagBytes else { return nil }
        CryptoLibrary.start()
        var isOpened = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: sealed.count - tagBytes) { out, count in
            isOpened =
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    out.baseAddress, nil, nil, sealed, UInt64(sealed.count), extra, UInt64(extra.count),
                    nonce,
                    key.pointer) == 0
            count = isOpened ? sealed.count - tagBytes : 0
        }
        return isOpened ? plaintext : nil
    }
}

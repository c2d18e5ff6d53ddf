// ChaCha20-Poly1305 (RFC 8439), the cipher of links. Noise counts its nonces, so twelve bytes suffice.
// Records are sealed and opened in the buffer that goes to or comes from the socket: one pass, no copy.

import CSodium

/// Authenticated encryption with a 12-byte counted nonce.
public enum ChaCha {
    public static let nonceBytes = 12
    public static let tagBytes = 16

    /// The ciphertext and then the 16-byte tag. A nonce is used once per key.
    public static func seal(
        _ plaintext: [UInt8], key: Secret, nonce: [UInt8], authenticating extra: [UInt8]
    ) -> [UInt8] {
        var buffer = plaintext
        buffer.append(contentsOf: repeatElement(0, count: tagBytes))
        sealInPlace(&buffer, 0..<plaintext.count, key: key, nonce: nonce, authenticating: extra)
        return buffer
    }

    /// The plaintext; nil when key, nonce, extra or any byte differs from what was sealed.
    public static func open(
        _ sealed: [UInt8], key: Secret, nonce: [UInt8], authenticating extra: [UInt8]
    ) -> [UInt8]? {
        var buffer = sealed
        guard openInPlace(&buffer, 0..<sealed.count, key: key, nonce: nonce, authenticating: extra) else {
            return nil
        }
        buffer.removeLast(tagBytes)
        return buffer
    }

    /// Replaces the plaintext at `range` by its ciphertext and writes the tag into the 16 bytes after it,
    /// which must be there.
    public static func sealInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, nonce: [UInt8],
        authenticating extra: [UInt8] = []
    ) {
        precondition(
            key.count == 32 && nonce.count == nonceBytes, "key \(key.count), nonce \(nonce.count) bytes")
        precondition(
            range.lowerBound >= 0 && range.upperBound + tagBytes <= buffer.count,
            "\(range) of \(buffer.count)")
        CryptoLibrary.start()
        buffer.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { preconditionFailure("a buffer holds at least a tag") }
            let text = base + range.lowerBound
            let status = crypto_aead_chacha20poly1305_ietf_encrypt(
                text, nil, text, UInt64(range.count), extra, UInt64(extra.count), nil, nonce, key.pointer)
            precondition(status == 0, "ChaCha20 refused \(range.count) bytes")
        }
    }

    /// Replaces ciphertext and tag at `range` by the plaintext, which is 16 bytes shorter. False, with the
    /// range wiped, when they are not what was sealed.
    public static func openInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, nonce: [UInt8],
        authenticating extra: [UInt8] = []
    ) -> Bool {
        precondition(
            key.count == 32 && nonce.count == nonceBytes, "key \(key.count), nonce \(nonce.count) bytes")
        precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "\(range) of \(buffer.count)")
        guard range.count >= tagBytes else { return false }
        CryptoLibrary.start()
        return buffer.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            let text = base + range.lowerBound
            return crypto_aead_chacha20poly1305_ietf_decrypt(
                text, nil, nil, text, UInt64(range.count), extra, UInt64(extra.count), nonce, key.pointer)
                == 0
        }
    }
}

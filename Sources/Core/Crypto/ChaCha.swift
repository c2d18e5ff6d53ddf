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
        precondition(nonce.count == nonceBytes, "a nonce of \(nonce.count) bytes")
        var buffer = plaintext
        buffer.append(contentsOf: repeatElement(0, count: tagBytes))
        sealInPlace(&buffer, 0..<plaintext.count, key: key, nonce: nonce, authenticating: extra)
        return buffer
    }

    /// The plaintext; nil when key, nonce, extra or any byte differs from what was sealed.
    public static func open(
        _ sealed: [UInt8], key: Secret, nonce: [UInt8], authenticating extra: [UInt8]
    ) -> [UInt8]? {
        precondition(nonce.count == nonceBytes, "a nonce of \(nonce.count) bytes")
        var buffer = sealed
        guard openInPlace(&buffer, 0..<sealed.count, key: key, nonce: nonce, authenticating: extra) else {
            return nil
        }
        buffer.removeLast(tagBytes)
        return buffer
    }

    /// Replaces the plaintext at `range` by its ciphertext and writes the tag into the 16 bytes after it,
    /// which must be there. The nonce is Noise's: four zero bytes and the counter, little-endian.
    public static func sealInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, counter: UInt64,
        authenticating extra: [UInt8] = []
    ) {
        withNonce(counter) { sealInPlace(&buffer, range, key: key, nonce: $0, authenticating: extra) }
    }

    /// Replaces ciphertext and tag at `range` by the plaintext, which is 16 bytes shorter. False, with the
    /// range wiped, when they are not what was sealed.
    public static func openInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, counter: UInt64,
        authenticating extra: [UInt8] = []
    ) -> Bool {
        withNonce(counter) { openInPlace(&buffer, range, key: key, nonce: $0, authenticating: extra) }
    }

    /// Noise's REKEY: the first 32 bytes of 32 zeros sealed under the greatest counter.
    public static func rekey(_ key: Secret) -> Secret {
        precondition(key.count == 32, "a key of \(key.count) bytes")
        return Secret(count: 32) { out in
            out.initialize(repeating: 0)
            var tag = [UInt8](repeating: 0, count: tagBytes)
            let status = withNonce(.max) { nonce in
                crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                    out.start, &tag, nil, out.start, 32, nil, 0, nil, nonce, key.pointer)
            }
            precondition(status == 0, "ChaCha20 refused a key")
        }
    }

    /// True when `tag` seals no plaintext beside `extra` under a 32-byte key in raw memory and counter 0. It
    /// lets a responder try a key without making a `Secret` of it.
    public static func authenticates(
        _ tag: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, extra: [UInt8]
    ) -> Bool {
        precondition(key.count == 32, "a key of \(key.count) bytes")
        CryptoLibrary.start()
        return key.withMemoryRebound(to: UInt8.self) { key in
            withNonce(0) { nonce in
                tag.withUnsafeBufferPointer { tag in
                    guard let key = key.baseAddress, let start = tag.baseAddress, tag.count == tagBytes
                    else { return false }
                    return crypto_aead_chacha20poly1305_ietf_decrypt(
                        nil, nil, nil, start, UInt64(tagBytes), extra, UInt64(extra.count), nonce, key) == 0
                }
            }
        }
    }

    private static func withNonce<Result>(_ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> Result)
        -> Result
    {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: nonceBytes) { nonce in
            for index in 0..<4 { nonce[index] = 0 }
            for index in 0..<8 {
                nonce[4 + index] = UInt8(truncatingIfNeeded: counter >> (8 * UInt64(index)))
            }
            return body(UnsafePointer(nonce.start))
        }
    }

    private static func sealInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, nonce: UnsafePointer<UInt8>,
        authenticating extra: [UInt8]
    ) {
        precondition(key.count == 32, "a key of \(key.count) bytes")
        precondition(
            range.lowerBound >= 0 && range.upperBound + tagBytes <= buffer.count,
            "\(range) of \(buffer.count)")
        CryptoLibrary.start()
        buffer.withUnsafeMutableBufferPointer { bytes in
            let text = bytes.start + range.lowerBound
            let status = crypto_aead_chacha20poly1305_ietf_encrypt(
                text, nil, text, UInt64(range.count), extra, UInt64(extra.count), nil, nonce, key.pointer)
            precondition(status == 0, "ChaCha20 refused \(range.count) bytes")
        }
    }

    private static func openInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, key: Secret, nonce: UnsafePointer<UInt8>,
        authenticating extra: [UInt8]
    ) -> Bool {
        precondition(key.count == 32, "a key of \(key.count) bytes")
        precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "\(range) of \(buffer.count)")
        guard range.count >= tagBytes else { return false }
        CryptoLibrary.start()
        return buffer.withUnsafeMutableBufferPointer { bytes in
            let text = bytes.start + range.lowerBound
            return crypto_aead_chacha20poly1305_ietf_decrypt(
                text, nil, nil, text, UInt64(range.count), extra, UInt64(extra.count), nonce, key.pointer)
                == 0
        }
    }
}

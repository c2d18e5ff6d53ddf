// Noise's key schedule: HKDF (RFC 5869, with Noise's chaining key as salt and no info) over HMAC (RFC 2104)
// over plain BLAKE2b-512, whose block is 128 bytes. Keyed BLAKE2b would be simpler and is not what Noise
// says. It works on raw memory, so that a responder can try many pre-shared keys without making a `Secret`
// for each; scratch is wiped.

import CSodium

/// HKDF of the Noise protocol, 64 bytes an output.
public enum HKDFBlake2b {
    /// Length of a chaining key and of each output.
    public static let hashBytes = 64
    private static let blockBytes = 128

    /// Hands `outputs` times 64 bytes to `body` in scratch memory that is wiped afterwards.
    public static func withOutputs<Result>(
        _ outputs: Int, chainingKey: UnsafeRawBufferPointer, input: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: outputs * hashBytes, alignment: 16) { scratch in
            expand(chainingKey: chainingKey, input: input, into: scratch)
            defer { wipe(scratch) }
            return body(UnsafeRawBufferPointer(scratch))
        }
    }

    /// Overwrites scratch that held a secret, in a way the optimizer keeps.
    public static func wipe(_ scratch: UnsafeMutableRawBufferPointer) {
        sodium_memzero(scratch.baseAddress, scratch.count)
    }

    /// Fills `out`, which is 1 to 3 outputs long, from a 64-byte chaining key and at most 128 bytes of input.
    /// `out` may overlap neither of them.
    public static func expand(
        chainingKey: UnsafeRawBufferPointer, input: UnsafeRawBufferPointer,
        into out: UnsafeMutableRawBufferPointer
    ) {
        precondition(
            chainingKey.count == hashBytes && input.count <= blockBytes,
            "\(chainingKey.count), \(input.count)")
        precondition(
            out.count % hashBytes == 0 && (1...3).contains(out.count / hashBytes), "\(out.count) bytes out")
        CryptoLibrary.start()
        // The temporary key, and the previous output followed by the number of the next.
        withUnsafeTemporaryAllocation(byteCount: 2 * hashBytes + 1, alignment: 16) { scratch in
            let temporary = UnsafeMutableRawBufferPointer(rebasing: scratch[..<hashBytes])
            let chained = UnsafeMutableRawBufferPointer(rebasing: scratch[hashBytes...])
            authenticate(UnsafeRawBufferPointer(input), key: chainingKey, into: temporary)
            for number in 0..<out.count / hashBytes {
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: out[number * hashBytes..<(number + 1) * hashBytes])
                chained[number == 0 ? 0 : hashBytes] = UInt8(number + 1)
                let message = UnsafeRawBufferPointer(rebasing: chained[..<(number == 0 ? 1 : hashBytes + 1)])
                authenticate(message, key: UnsafeRawBufferPointer(temporary), into: target)
                chained.copyMemory(from: UnsafeRawBufferPointer(target))
            }
            sodium_memzero(scratch.baseAddress, scratch.count)
        }
    }

    /// HMAC: H(key ⊕ 5c… ‖ H(key ⊕ 36… ‖ message)).
    private static func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        into out: UnsafeMutableRawBufferPointer
    ) {
        precondition(
            key.count == hashBytes && out.count == hashBytes, "key \(key.count), out \(out.count) bytes")
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * blockBytes) { block in
            block.initialize(repeating: 0x36)
            for (index, byte) in key.enumerated() { block[index] ^= byte }
            for (index, byte) in message.enumerated() { block[blockBytes + index] = byte }
            hash(block.start, blockBytes + message.count, into: out)
            for index in 0..<blockBytes { block[index] = 0x5C ^ (index < key.count ? key[index] : 0) }
            for (index, byte) in out.enumerated() { block[blockBytes + index] = byte }
            hash(block.start, blockBytes + hashBytes, into: out)
            sodium_memzero(block.baseAddress, block.count)
        }
    }

    private static func hash(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, into out: UnsafeMutableRawBufferPointer
    ) {
        let status = crypto_generichash_blake2b(
            out.bindMemory(to: UInt8.self).start, hashBytes, bytes, UInt64(count), nil, 0)
        precondition(status == 0, "BLAKE2b refused \(count) bytes")
    }
}

// The core has no system randomness: the shell reads 32 bytes once, and everything random that must be secret
// or unique follows from them (keys, nonces, incarnations). So a node is a function of its inputs and the
// simulator replays it. Each draw is ChaCha20 under the seed with the draw's number as nonce.

import CSodium

/// A stream of unpredictable bytes from a seed. There is one per node: a copy that draws as well repeats
/// nonces, so whoever rebuilds a node hands the stream on and never a copy of it.
public struct Entropy: Sendable {
    private let seed: Secret
    // How many draws there were; the nonce of the next.
    private var draws: UInt64 = 0

    /// The seed is 32 bytes and serves one stream only.
    public init(seed: Secret) {
        precondition(seed.count == 32, "a seed of \(seed.count) bytes")
        CryptoLibrary.start()
        self.seed = seed
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            draw(out)
            filled = count
        }
    }

    public mutating func secret(_ count: Int) -> Secret {
        Secret(count: count) { draw($0) }
    }

    public mutating func u64() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func draw(_ out: UnsafeMutableBufferPointer<UInt8>) {
        precondition(draws < .max, "the stream is used up")
        let nonce = draws.littleEndian
        draws += 1
        guard !out.isEmpty else { return }
        let status = withUnsafeBytes(of: nonce) { nonce in
            crypto_stream_chacha20(out.start, UInt64(out.count), Array(nonce), seed.pointer)
        }
        precondition(status == 0, "ChaCha20 refused \(out.count) bytes")
    }
}

// A key and the number of the next message (Noise, section 5.1). The number is never sent: both sides count.

import Crypto

/// One direction's cipher.
struct NoiseCipherState: Sendable {
    private var key: Secret
    /// Messages sealed or opened so far.
    private(set) var counter: UInt64 = 0

    init(key: Secret) {
        precondition(key.count == 32, "a key of \(key.count) bytes")
        self.key = key
    }

    /// Seals the plaintext at `range` where it stands; the 16 bytes after it become the tag.
    mutating func sealInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, authenticating extra: [UInt8] = []
    ) {
        // Noise keeps the greatest counter for rekeying.
        precondition(counter < .max, "a cipher is used up")
        ChaCha.sealInPlace(&buffer, range, key: key, counter: counter, authenticating: extra)
        counter += 1
    }

    /// Opens ciphertext and tag at `range` where they stand. False changes no state.
    mutating func openInPlace(
        _ buffer: inout [UInt8], _ range: Range<Int>, authenticating extra: [UInt8] = []
    ) -> Bool {
        guard counter < .max,
            ChaCha.openInPlace(&buffer, range, key: key, counter: counter, authenticating: extra)
        else { return false }
        counter += 1
        return true
    }

    /// Replaces the key by one from which it cannot be computed back; the counter goes on.
    mutating func rekey() {
        key = ChaCha.rekey(key)
    }
}

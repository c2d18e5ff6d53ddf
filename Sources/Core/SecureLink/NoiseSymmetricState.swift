// The running state of a handshake (Noise, section 5.2): a hash of the transcript, a chaining key, and once
// there is a key, a cipher. HASHLEN is 64, so temporary keys are cut to 32 bytes, and the protocol's name,
// which is shorter, is zero padded and not hashed.

import Crypto

/// A value: whoever tries something that may fail does it on a copy.
struct NoiseSymmetricState: Sendable {
    /// Hash of the transcript so far. No secret: it authenticates each ciphertext.
    private(set) var hash: [UInt8]
    private(set) var chainingKey: Secret
    private var cipher: NoiseCipherState?

    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        precondition(name.count <= HKDFBlake2b.hashBytes, "'\(protocolName)' would have to be hashed")
        hash = name + [UInt8](repeating: 0, count: HKDFBlake2b.hashBytes - name.count)
        chainingKey = Secret(copying: hash)
    }

    var hasKey: Bool { cipher != nil }

    mutating func mixHash(_ bytes: [UInt8]) {
        hash = Blake2b.hash512(hash + bytes)
    }

    /// For the ephemeral of a handshake with a pre-shared key, which is public.
    mutating func mixKey(public input: [UInt8]) {
        input.withUnsafeBytes { mixKey(raw: $0) }
    }

    mutating func mixKeyAndHash(_ psk: Secret) {
        precondition(psk.count == 32, "a pre-shared key of \(psk.count) bytes")
        let chainingKey = chainingKey
        chainingKey.withBytes { chainingKey in
            psk.withBytes { psk in
                HKDFBlake2b.withOutputs(3, chainingKey: chainingKey, input: psk) { outputs in
                    mixHash(raw: Self.output(1, of: outputs))
                    adopt(chainingKey: Self.output(0, of: outputs), key: Self.output(2, of: outputs))
                }
            }
        }
    }

    /// The ciphertext, or the plaintext itself while there is no key; either way it enters the transcript.
    mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8] {
        guard var cipher else {
            mixHash(plaintext)
            return plaintext
        }
        var buffer = plaintext + [UInt8](repeating: 0, count: ChaCha.tagBytes)
        cipher.sealInPlace(&buffer, 0..<plaintext.count, authenticating: hash)
        self.cipher = cipher
        mixHash(buffer)
        return buffer
    }

    /// The inverse. A throw changes no state.
    mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard var cipher else {
            mixHash(ciphertext)
            return ciphertext
        }
        var buffer = ciphertext
        guard cipher.openInPlace(&buffer, 0..<ciphertext.count, authenticating: hash) else {
            throw .notAuthentic
        }
        self.cipher = cipher
        mixHash(ciphertext)
        buffer.removeLast(ChaCha.tagBytes)
        return buffer
    }

    /// The ciphers of the transport: from initiator to responder, and back. Each has its key for itself,
    /// since it is rekeyed for itself.
    func split() -> (fromInitiator: NoiseCipherState, fromResponder: NoiseCipherState) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        return chainingKey.withBytes { chainingKey in
            HKDFBlake2b.withOutputs(2, chainingKey: chainingKey, input: nothing) { outputs in
                (Self.cipher(of: Self.output(0, of: outputs)), Self.cipher(of: Self.output(1, of: outputs)))
            }
        }
    }

    /// True when `message`, a first message of XXpsk0, was made with this pre-shared key. `self` is the state
    /// after the prologue and does not change. Symmetric work only, and no `Secret` is made, which would cost
    /// system calls: a responder tries all the keys it has on a stranger's message.
    func opens(firstMessage message: [UInt8], psk: Secret) -> Bool {
        precondition(message.count == 48 && psk.count == 32, "\(message.count) and \(psk.count) bytes")
        let ephemeral = Array(message[..<32])
        // As the tokens psk and e do, then the empty payload.
        return chainingKey.withBytes { chainingKey in
            psk.withBytes { psk in
                HKDFBlake2b.withOutputs(3, chainingKey: chainingKey, input: psk) { mixed in
                    var transcript = self
                    transcript.mixHash(raw: Self.output(1, of: mixed))
                    transcript.mixHash(ephemeral)
                    return ephemeral.withUnsafeBytes { ephemeral in
                        HKDFBlake2b.withOutputs(2, chainingKey: Self.output(0, of: mixed), input: ephemeral) {
                            keys in
                            let key = UnsafeRawBufferPointer(rebasing: Self.output(1, of: keys)[..<32])
                            return ChaCha.authenticates(message[32...], key: key, extra: transcript.hash)
                        }
                    }
                }
            }
        }
    }

    /// For what two keys agreed on.
    mutating func mixKey(raw input: UnsafeRawBufferPointer) {
        let chainingKey = chainingKey
        chainingKey.withBytes { chainingKey in
            HKDFBlake2b.withOutputs(2, chainingKey: chainingKey, input: input) { outputs in
                adopt(chainingKey: Self.output(0, of: outputs), key: Self.output(1, of: outputs))
            }
        }
    }

    private mutating func mixHash(raw bytes: UnsafeRawBufferPointer) {
        let previous = hash
        hash = withUnsafeTemporaryAllocation(byteCount: previous.count + bytes.count, alignment: 16) {
            scratch in
            scratch.copyBytes(from: previous)
            UnsafeMutableRawBufferPointer(rebasing: scratch[previous.count...]).copyMemory(from: bytes)
            defer { HKDFBlake2b.wipe(scratch) }
            return Blake2b.hash512(raw: UnsafeRawBufferPointer(scratch))
        }
    }

    private mutating func adopt(chainingKey: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
        let both = Self.secret(chainingKey, key)
        self.chainingKey = both.part(0..<HKDFBlake2b.hashBytes)
        cipher = NoiseCipherState(key: both.part(HKDFBlake2b.hashBytes..<both.count))
    }

    /// An output cut to the length of a key.
    private static func cipher(of output: UnsafeRawBufferPointer) -> NoiseCipherState {
        NoiseCipherState(key: Secret(count: 32) { _ = $0.update(fromContentsOf: output[..<32]) })
    }

    /// An output, and then one that is cut to the length of a key.
    private static func secret(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Secret {
        Secret(count: first.count + 32) { out in
            let end = out.update(fromContentsOf: first)
            _ = out[end...].update(fromContentsOf: second[..<32])
        }
    }

    private static func output(_ index: Int, of outputs: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = index * HKDFBlake2b.hashBytes
        return UnsafeRawBufferPointer(rebasing: outputs[start..<start + HKDFBlake2b.hashBytes])
    }
}

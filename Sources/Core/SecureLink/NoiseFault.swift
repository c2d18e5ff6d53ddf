// What can be wrong with a handshake message, before its meaning is looked at.

/// The other side's wrong.
enum NoiseFault: Error, Equatable, Sendable {
    /// Shorter than its tokens.
    case tooShort(Int)
    /// A ciphertext that was not sealed under our state: other key, other transcript, or damaged.
    case notAuthentic
    /// A public key of small order: nothing would be secret.
    case noAgreement
}

// Handshake patterns of the Noise protocol framework (revision 34, sections 7 and 9). Links use XXpsk0 only;
// the others are here because vectors are published for them and not for XXpsk0.

/// One step of a handshake message.
enum NoiseToken: Equatable, Sendable {
    case e, s, ee, es, se, psk
}

/// Which tokens each message carries, initiator first and then in turn.
struct NoisePattern: Equatable, Sendable {
    /// As it stands in the protocol's name.
    let name: String
    let messages: [[NoiseToken]]
    /// Then `e` is mixed into the key as well.
    let usesPSK: Bool

    private init(_ name: String, _ messages: [[NoiseToken]]) {
        self.name = name
        self.messages = messages
        usesPSK = messages.joined().contains(.psk)
    }

    static let xx = NoisePattern("XX", [[.e], [.e, .ee, .s, .es], [.s, .se]])
    static let nnPSK0 = NoisePattern("NNpsk0", [[.psk, .e], [.e, .ee]])
    static let xxPSK0 = NoisePattern("XXpsk0", [[.psk, .e], [.e, .ee, .s, .es], [.s, .se]])
    static let xxPSK3 = NoisePattern("XXpsk3", [[.e], [.e, .ee, .s, .es], [.s, .se, .psk]])
    static let xxPSK0PSK3 = NoisePattern("XXpsk0+psk3", [[.psk, .e], [.e, .ee, .s, .es], [.s, .se, .psk]])

    var protocolName: String { "Noise_\(name)_25519_ChaChaPoly_BLAKE2b" }
}

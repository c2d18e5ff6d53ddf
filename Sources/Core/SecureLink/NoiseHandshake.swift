// A Noise handshake (section 5.3) for any pattern without pre-messages. It is a value and each message is
// processed on a copy that replaces it only when all went well, so a failed message changes no state.

import Bytes
import Crypto

/// One side of a handshake.
struct NoiseHandshake: Sendable {
    let pattern: NoisePattern
    let role: LinkRole
    private(set) var symmetric: NoiseSymmetricState
    /// Messages written and read so far; even ones are the initiator's.
    private(set) var messageCount = 0
    /// The other side's static key, once it was received.
    private(set) var remoteStatic: Bytes32?
    private var remoteEphemeral: Bytes32?
    private let staticKey: AgreementKey?
    // The secret of our ephemeral key, and the key once it is used: making it is public-key work, which a
    // stranger must not cause.
    private let ephemeralSecret: Secret
    private var ephemeralKey: AgreementKey?
    // Pre-shared keys not yet mixed in, in order of use.
    private var psks: [Secret]

    /// `ephemeral` serves this handshake only; `psks` has one key per psk token.
    init(
        _ pattern: NoisePattern, role: LinkRole, prologue: [UInt8], psks: [Secret], staticKey: AgreementKey?,
        ephemeral: Secret
    ) {
        precondition(
            psks.count == pattern.messages.joined().count { $0 == .psk }, "\(psks.count) pre-shared keys")
        self.init(
            pattern, role: role, symmetric: Self.start(pattern, prologue: prologue), psks: psks,
            staticKey: staticKey,
            ephemeral: ephemeral)
    }

    /// From the state after the prologue, which a responder with several keys computes once.
    init(
        _ pattern: NoisePattern, role: LinkRole, symmetric: NoiseSymmetricState, psks: [Secret],
        staticKey: AgreementKey?, ephemeral: Secret
    ) {
        self.pattern = pattern
        self.role = role
        self.symmetric = symmetric
        self.psks = psks
        self.staticKey = staticKey
        ephemeralSecret = ephemeral
    }

    /// The state after the prologue.
    static func start(_ pattern: NoisePattern, prologue: [UInt8]) -> NoiseSymmetricState {
        var symmetric =
            pattern == .xxPSK0 ? linkStart : NoiseSymmetricState(protocolName: pattern.protocolName)
        symmetric.mixHash(prologue)
        return symmetric
    }

    /// What every link starts from.
    private static let linkStart = NoiseSymmetricState(protocolName: NoisePattern.xxPSK0.protocolName)

    var isComplete: Bool { messageCount == pattern.messages.count }

    /// The next message is ours to write.
    var isOurTurn: Bool { !isComplete && (messageCount % 2 == 0) == (role == .initiator) }

    mutating func write(_ payload: [UInt8]) throws(NoiseFault) -> [UInt8] {
        precondition(isOurTurn, "message \(messageCount) is not the \(role)'s")
        var next = self
        var message: [UInt8] = []
        for token in pattern.messages[messageCount] { try next.write(token, into: &message) }
        message += next.symmetric.encryptAndHash(payload)
        next.messageCount += 1
        self = next
        return message
    }

    mutating func read(_ message: [UInt8]) throws(NoiseFault) -> [UInt8] {
        precondition(!isComplete && !isOurTurn, "message \(messageCount) is the \(role)'s own")
        var next = self
        var rest = message[...]
        for token in pattern.messages[messageCount] { try next.read(token, from: &rest) }
        if next.symmetric.hasKey && rest.count < ChaCha.tagBytes { throw .tooShort(message.count) }
        let payload = try next.symmetric.decryptAndHash(Array(rest))
        next.messageCount += 1
        self = next
        return payload
    }

    private mutating func write(_ token: NoiseToken, into message: inout [UInt8]) throws(NoiseFault) {
        switch token {
        case .e:
            let key = AgreementKey(secret: ephemeralSecret)
            ephemeralKey = key
            message += key.publicKey.bytes
            mixEphemeral(key.publicKey)
        case .s:
            guard let staticKey else { preconditionFailure("\(pattern.name) needs a static key") }
            message += symmetric.encryptAndHash(staticKey.publicKey.bytes)
        case .ee, .es, .se, .psk:
            try mix(token)
        }
    }

    private mutating func read(_ token: NoiseToken, from rest: inout ArraySlice<UInt8>) throws(NoiseFault) {
        switch token {
        case .e:
            let key = Bytes32(try take(32, from: &rest))
            remoteEphemeral = key
            mixEphemeral(key)
        case .s:
            let sealed = try take(symmetric.hasKey ? 32 + ChaCha.tagBytes : 32, from: &rest)
            remoteStatic = Bytes32(try symmetric.decryptAndHash(Array(sealed)))
        case .ee, .es, .se, .psk:
            try mix(token)
        }
    }

    private mutating func mixEphemeral(_ key: Bytes32) {
        symmetric.mixHash(key.bytes)
        if pattern.usesPSK { symmetric.mixKey(public: key.bytes) }
    }

    /// Tokens that put nothing on the wire. In `es` and `se` the first letter is the initiator's key.
    private mutating func mix(_ token: NoiseToken) throws(NoiseFault) {
        let isInitiator = role == .initiator
        switch token {
        case .ee: try mixAgreement(ephemeralKey, remoteEphemeral)
        case .es:
            try isInitiator
                ? mixAgreement(ephemeralKey, remoteStatic) : mixAgreement(staticKey, remoteEphemeral)
        case .se:
            try isInitiator
                ? mixAgreement(staticKey, remoteEphemeral) : mixAgreement(ephemeralKey, remoteStatic)
        case .psk: symmetric.mixKeyAndHash(psks.removeFirst())
        case .e, .s: preconditionFailure("\(token) puts a key on the wire")
        }
    }

    private mutating func mixAgreement(_ own: AgreementKey?, _ remote: Bytes32?) throws(NoiseFault) {
        guard let own, let remote else {
            preconditionFailure("\(pattern.name) agrees before its keys are there")
        }
        guard own.agree(with: remote, { symmetric.mixKey(raw: $0) }) else { throw .noAgreement }
    }

    private func take(_ count: Int, from rest: inout ArraySlice<UInt8>) throws(NoiseFault) -> ArraySlice<
        UInt8
    > {
        guard rest.count >= count else { throw .tooShort(rest.count) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

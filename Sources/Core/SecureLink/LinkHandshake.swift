// From the first byte to keys on both sides (WIRE.md, "Preamble, handshake, certificate"):
//
//     initiator                                    responder
//     preamble 24, 48: psk e          --->         finds the key; refuses replays; symmetric work only
//     checks the certificate          <---   248:  e ee s es, certificate
//     216: s se, certificate          --->         checks the certificate
//
// Every throw means silence. What a stranger can cause is at most 48 bytes of hashing per key of ours.

import Bytes
import Causality
import Crypto

/// A connection whose handshake is under way.
struct LinkHandshake: Sendable {
    private enum Stage: Sendable {
        case unsent(PSKCandidate)
        case awaitingMessage2(NoiseHandshake, PSKCandidate)
        case awaitingPreamble
        case awaitingMessage1(Preamble, version: UInt8)
        case awaitingMessage3(NoiseHandshake, PSKCandidate, version: UInt8)
    }

    /// What a step came to.
    enum Step {
        case needsBytes
        case send([UInt8])
        case complete(EstablishedLink, LinkSession, sending: [UInt8])
        /// Bytes were taken in and there may be more to do.
        case again
    }

    let role: LinkRole
    private let identity: LinkIdentity
    private let candidates: [PSKCandidate]
    private let ephemeral: Secret
    private var stage: Stage
    /// Received and not yet used.
    private(set) var incoming: [UInt8] = []

    init(initiating candidate: PSKCandidate, identity: LinkIdentity, ephemeral: Secret) {
        role = .initiator
        self.identity = identity
        candidates = [candidate]
        self.ephemeral = ephemeral
        stage = .unsent(candidate)
    }

    init(responding candidates: [PSKCandidate], identity: LinkIdentity, ephemeral: Secret) {
        role = .responder
        self.identity = identity
        self.candidates = candidates
        self.ephemeral = ephemeral
        stage = .awaitingPreamble
    }

    /// The initiator's first bytes: preamble and message 1. Nothing for a responder.
    mutating func start() throws(LinkFault) -> [UInt8] {
        guard case .unsent(let candidate) = stage else { return [] }
        let preamble = candidate.preamble
        var noise = NoiseHandshake(
            .xxPSK0, role: .initiator, prologue: preamble.prologue, psks: [candidate.psk],
            staticKey: identity.staticKey, ephemeral: ephemeral)
        let message = try Self.faults(of: 1) { () throws(NoiseFault) in try noise.write([]) }
        stage = .awaitingMessage2(noise, candidate)
        return preamble.bytes + Self.framed(message)
    }

    mutating func append(_ bytes: [UInt8]) { incoming += bytes }

    /// One step along the road above.
    mutating func step(replays: inout ReplayGuard, at now: Instant) throws(LinkFault) -> Step {
        switch stage {
        case .unsent:
            preconditionFailure("bytes before `start`")
        case .awaitingPreamble:
            guard incoming.count >= Preamble.byteCount else { return .needsBytes }
            let preamble = try Preamble(decoding: take(Preamble.byteCount))
            let version = try preamble.commonVersion(with: SecureLinkLimits.versions)
            stage = .awaitingMessage1(preamble, version: version)
            return .again
        case .awaitingMessage1(let preamble, let version):
            guard let message = try takeMessage(1, bytes: Self.message1Bytes) else { return .needsBytes }
            return .send(try answer(message, preamble, version, replays: &replays, at: now))
        case .awaitingMessage2(let noise, let candidate):
            guard let message = try takeMessage(2, bytes: Self.message2Bytes) else { return .needsBytes }
            return try finish(message, noise, candidate, at: now)
        case .awaitingMessage3(let noise, let candidate, let version):
            guard let message = try takeMessage(3, bytes: Self.message3Bytes) else { return .needsBytes }
            return try accept(message, noise, candidate, version: version)
        }
    }

    /// Responder, message 1: finds the key, then refuses a replay, and only then does public-key work.
    private mutating func answer(
        _ message: [UInt8], _ preamble: Preamble, _ version: UInt8, replays: inout ReplayGuard,
        at now: Instant
    ) throws(LinkFault) -> [UInt8] {
        let start = NoiseHandshake.start(.xxPSK0, prologue: preamble.prologue)
        guard
            let candidate = candidates.first(where: {
                $0.fits(preamble) && start.opens(firstMessage: message, psk: $0.psk)
            })
        else { throw .noMatchingKey }
        guard replays.admit(Bytes32(message[..<32]), at: now) else { throw .replayed }
        var noise = NoiseHandshake(
            .xxPSK0, role: .responder, symmetric: start, psks: [candidate.psk], staticKey: identity.staticKey,
            ephemeral: ephemeral)
        _ = try Self.faults(of: 1) { () throws(NoiseFault) in try noise.read(message) }
        let payload = certificate(for: candidate, preamble.profile, version: UInt16(version), at: now)
        let reply = try Self.faults(of: 2) { () throws(NoiseFault) in try noise.write(payload) }
        stage = .awaitingMessage3(noise, candidate, version: version)
        return Self.framed(reply)
    }

    /// Initiator, message 2: the responder is who it says; tells who we are.
    private func finish(
        _ message: [UInt8], _ before: NoiseHandshake, _ candidate: PSKCandidate, at now: Instant
    ) throws(LinkFault) -> Step {
        var noise = before
        let payload = try Self.faults(of: 2) { () throws(NoiseFault) in try noise.read(message) }
        let profile = candidate.preamble.profile
        let peer = try Self.check(payload, noise, candidate, profile)
        guard let version = UInt8(exactly: peer.version), SecureLinkLimits.versions.contains(version) else {
            throw .certificateMalformed
        }
        let own = certificate(for: candidate, profile, version: peer.version, at: now)
        let reply = try Self.faults(of: 3) { () throws(NoiseFault) in try noise.write(own) }
        return complete(noise, candidate, peer, sending: Self.framed(reply))
    }

    /// Responder, message 3: the initiator is who it says.
    private func accept(
        _ message: [UInt8], _ before: NoiseHandshake, _ candidate: PSKCandidate, version: UInt8
    ) throws(LinkFault) -> Step {
        var noise = before
        let payload = try Self.faults(of: 3) { () throws(NoiseFault) in try noise.read(message) }
        let peer = try Self.check(payload, noise, candidate, candidate.preamble.profile)
        guard peer.version == UInt16(version) else { throw .certificateMalformed }
        return complete(noise, candidate, peer, sending: [])
    }

    private func complete(
        _ noise: NoiseHandshake, _ candidate: PSKCandidate, _ peer: LinkCertificate.Claim,
        sending bytes: [UInt8]
    ) -> Step {
        precondition(noise.isComplete, "keys before the last message")
        let link = EstablishedLink(
            role: role, space: candidate.space, use: candidate.use, peer: peer,
            handshakeHash: noise.symmetric.hash)
        let ciphers = noise.symmetric.split()
        let session =
            role == .initiator
            ? LinkSession(link, sending: ciphers.fromInitiator, receiving: ciphers.fromResponder)
            : LinkSession(link, sending: ciphers.fromResponder, receiving: ciphers.fromInitiator)
        return .complete(link, session, sending: bytes)
    }

    /// Our certificate for the message that we write next.
    private func certificate(
        for candidate: PSKCandidate, _ profile: LinkProfile, version: UInt16, at now: Instant
    ) -> [UInt8] {
        let claim = LinkCertificate.Claim(
            kind: profile, version: version, features: identity.features, device: identity.device,
            instance: identity.instance, wallMilliseconds: now.wall, rosterHash: candidate.rosterHash)
        let context = LinkCertificate.Context(
            space: candidate.space, role: role, staticKey: identity.staticKey.publicKey)
        return LinkCertificate(claim, in: context, by: identity.key).bytes
    }

    /// The peer's certificate, which must be for this profile, space, side and static key.
    private static func check(
        _ payload: [UInt8], _ noise: NoiseHandshake, _ candidate: PSKCandidate, _ profile: LinkProfile
    ) throws(LinkFault) -> LinkCertificate.Claim {
        guard let staticKey = noise.remoteStatic else {
            preconditionFailure("a certificate before its static key")
        }
        let certificate: LinkCertificate
        do throws(DecodeFault) {
            certificate = try LinkCertificate(decoding: payload)
        } catch {
            throw .certificateMalformed
        }
        guard certificate.claim.kind == profile else { throw .certificateMalformed }
        let context = LinkCertificate.Context(
            space: candidate.space, role: noise.role.other, staticKey: staticKey)
        guard certificate.isValid(in: context) else { throw .certificateSignature }
        return certificate.claim
    }

    // Lengths of the three messages: keys are 32 bytes, tags 16, certificates 152.
    private static let message1Bytes = 32 + 16
    private static let message2Bytes = 32 + (32 + 16) + (LinkCertificate.byteCount + 16)
    private static let message3Bytes = (32 + 16) + (LinkCertificate.byteCount + 16)

    /// u16 length ‖ message.
    private static func framed(_ message: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(reserving: 2 + message.count)
        writer.u16(UInt16(message.count))
        writer.raw(message)
        return writer.bytes
    }

    /// Message `number`, without its length, when it is all there.
    private mutating func takeMessage(_ number: Int, bytes expected: Int) throws(LinkFault) -> [UInt8]? {
        guard incoming.count >= 2 else { return nil }
        let length = Int(incoming[0]) << 8 | Int(incoming[1])
        if length != expected { throw .messageLength(number: number, bytes: length) }
        guard incoming.count >= 2 + length else { return nil }
        return Array(take(2 + length)[2...])
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { incoming.removeFirst(count) }
        return Array(incoming[..<count])
    }

    /// Runs Noise's part of message `number` and names its faults as the link's.
    private static func faults<Result>(
        of number: Int, _ body: () throws(NoiseFault) -> Result
    ) throws(LinkFault) -> Result {
        do throws(NoiseFault) {
            return try body()
        } catch {
            switch error {
            case .noAgreement: throw .noAgreement
            case .notAuthentic, .tooShort: throw .messageNotAuthentic(number: number)
            }
        }
    }
}

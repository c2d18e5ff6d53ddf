// Two ends of one connection with fixed keys, and the network between them.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

/// Keys and candidates, made from small numbers.
enum Fixture {
    static let space = SpaceID(raw: Bytes32([UInt8](repeating: 0xA3, count: 32)))
    static let otherSpace = SpaceID(raw: Bytes32([UInt8](repeating: 0xA4, count: 32)))
    static let start = Instant(monotonic: 1_000, wall: 1_700_000_000_000)

    static func secret(_ byte: UInt8) -> Secret { Secret(copying: [UInt8](repeating: byte, count: 32)) }

    static func candidate(_ byte: UInt8, space: SpaceID = Fixture.space, epoch: UInt64 = 0) -> PSKCandidate {
        PSKCandidate(
            space: space, use: .mesh(epoch: epoch), psk: LinkKeys.meshPSK(secret(byte)),
            rosterHash: Bytes32([UInt8](repeating: byte, count: 32)))
    }

    static func invitation(_ byte: UInt8) -> PSKCandidate {
        let id = LinkKeys.inviteID(secret(byte))
        return PSKCandidate(
            space: space, use: .join(invite: id), psk: LinkKeys.joinPSK(secret(byte), inviteID: id),
            rosterHash: .zero)
    }

    static func identity(_ byte: UInt8) -> LinkIdentity {
        LinkIdentity(
            key: SigningKey(seed: secret(byte)), instance: UInt64(byte),
            staticKey: AgreementKey(secret: secret(byte + 1)))
    }

    static func initiator(
        _ candidate: PSKCandidate = candidate(1), ephemeral: UInt8 = 0x30, at now: Instant = start
    ) -> SecureLink {
        SecureLink(initiating: candidate, identity: identity(0x10), ephemeral: secret(ephemeral), at: now)
    }

    static func responder(
        _ candidates: [PSKCandidate] = [candidate(1)], ephemeral: UInt8 = 0x40, at now: Instant = start
    ) -> SecureLink {
        SecureLink(responding: candidates, identity: identity(0x20), ephemeral: secret(ephemeral), at: now)
    }
}

extension [LinkOutput] {
    var sent: [UInt8] {
        flatMap { output -> [UInt8] in if case .send(let bytes) = output { bytes } else { [] } }
    }
    var frames: [LinkFrame] {
        compactMap { output in if case .frame(let frame) = output { frame } else { nil } }
    }
    var established: EstablishedLink? {
        for case .established(let link) in self { return link }
        return nil
    }
    var end: LinkEnd? {
        for case .close(let end) in self { return end }
        return nil
    }
}

/// Two links and everything that each said and learnt.
struct LinkPair {
    var initiator: SecureLink
    var responder: SecureLink
    var replays = ReplayGuard()
    var now = Fixture.start
    /// All bytes that each side wrote.
    var fromInitiator: [UInt8] = []
    var fromResponder: [UInt8] = []
    var initiatorOutputs: [LinkOutput] = []
    var responderOutputs: [LinkOutput] = []

    init(_ initiator: SecureLink = Fixture.initiator(), _ responder: SecureLink = Fixture.responder()) {
        self.initiator = initiator
        self.responder = responder
    }

    /// Carries bytes until nobody has anything more to say.
    mutating func run() {
        deliver(initiator.start(), fromInitiator: true)
    }

    mutating func deliver(_ outputs: [LinkOutput], fromInitiator isFromInitiator: Bool) {
        if isFromInitiator { initiatorOutputs += outputs } else { responderOutputs += outputs }
        let bytes = outputs.sent
        guard !bytes.isEmpty else { return }
        if isFromInitiator {
            fromInitiator += bytes
            deliver(responder.receive(bytes, replays: &replays, at: now), fromInitiator: false)
        } else {
            fromResponder += bytes
            deliver(initiator.receive(bytes, replays: &replays, at: now), fromInitiator: true)
        }
    }

    mutating func send(_ frames: [LinkFrame]) {
        deliver([.send(initiator.send(frames))], fromInitiator: true)
    }

    static func established() throws -> LinkPair {
        var pair = LinkPair()
        pair.run()
        try #require(pair.initiator.established != nil && pair.responder.established != nil)
        return pair
    }
}

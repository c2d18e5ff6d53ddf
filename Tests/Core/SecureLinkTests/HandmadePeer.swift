// A peer with the right keys that sends what it likes: records whose headers and lengths no honest sender
// makes.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

/// One record: any header, any fragment.
struct HandmadeRecord {
    var type: UInt8 = 5
    var flags: UInt8 = 0
    var channel: UInt16 = 0
    var total: UInt32
    var body: [UInt8]
}

/// The initiator's sending half, and the responder that it is connected to.
struct HandmadePeer {
    private var cipher: NoiseCipherState
    var link = Fixture.responder()

    init() throws {
        let (candidate, identity) = (Fixture.candidate(1), Fixture.identity(0x10))
        let preamble = Preamble(profile: .mesh, inviteID: .zero)
        var noise = NoiseHandshake(
            .xxPSK0, role: .initiator, prologue: preamble.prologue, psks: [candidate.psk],
            staticKey: identity.staticKey, ephemeral: Fixture.secret(0x30))
        var replays = ReplayGuard()
        let first = preamble.bytes + [0, 48] + (try noise.write([]))
        let answer = link.receive(first, replays: &replays, at: Fixture.start).sent
        _ = try noise.read(Array(answer[2...]))
        let claim = LinkCertificate.Claim(
            kind: .mesh, version: 1, features: 0, device: identity.device, instance: 1, wallMilliseconds: 0,
            rosterHash: .zero)
        let context = LinkCertificate.Context(
            space: candidate.space, role: .initiator, staticKey: identity.staticKey.publicKey)
        let last = try noise.write(LinkCertificate(claim, in: context, by: identity.key).bytes)
        cipher = noise.symmetric.split().fromInitiator
        _ = link.receive([0, 216] + last, replays: &replays, at: Fixture.start)
        try #require(link.established != nil)
    }

    mutating func seal(_ record: HandmadeRecord) -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(record.type)
        writer.u8(record.flags)
        writer.u16(record.channel)
        writer.u32(record.total)
        writer.raw(record.body)
        var sealed = writer.bytes + [UInt8](repeating: 0, count: 16)
        cipher.sealInPlace(&sealed, 0..<writer.count)
        return [UInt8(sealed.count >> 8), UInt8(sealed.count & 255)] + sealed
    }
}

// The golden vectors of links: made by another implementation, checked byte by byte in both directions.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

private struct Refused: Decodable { let bytes: HexBytes, why: String }

@Suite("Link vectors") struct LinkVectorTests {
    private struct Preambles: Decodable {
        struct Valid: Decodable {
            let bytes: HexBytes, least: UInt8, greatest: UInt8, profile: UInt8, inviteID: HexBytes
        }
        let valid: [Valid], invalid: [Refused]
    }

    @Test("preambles read and write as in the vectors, and every other form is refused")
    func preambles() throws {
        let file = try LinkVectorFile.load("preamble", as: Preambles.self)
        for vector in file.valid {
            let preamble = try Preamble(decoding: vector.bytes.bytes)
            #expect(preamble.bytes == vector.bytes.bytes)
            #expect(preamble.versions == vector.least...vector.greatest)
            #expect(preamble.profile.rawValue == vector.profile)
            #expect(preamble.inviteID.bytes == vector.inviteID.bytes)
        }
        for vector in file.invalid {
            #expect(throws: LinkFault.self, "\(vector.why)") { try Preamble(decoding: vector.bytes.bytes) }
        }
        #expect(file.valid.count >= 4 && file.invalid.count >= 8)
    }

    private struct Certificates: Decodable {
        struct Valid: Decodable {
            let bytes: HexBytes, version: UInt16, features: UInt32, device: HexBytes, instance: HexBytes
            let wall: UInt64, roster: HexBytes
        }
        let space: HexBytes, role: UInt8, kind: UInt8, staticKey: HexBytes
        let valid: [Valid], malformed: [Refused], unsigned: [Refused]
    }

    @Test("certificates hold for their space, side and static key only, and every byte counts")
    func certificates() throws {
        let file = try LinkVectorFile.load("certificate", as: Certificates.self)
        let role = try #require(LinkRole(rawValue: file.role))
        let staticKey = Bytes32(file.staticKey.bytes)
        let space = SpaceID(raw: Bytes32(file.space.bytes))
        let context = LinkCertificate.Context(space: space, role: role, staticKey: staticKey)
        for vector in file.valid {
            let certificate = try LinkCertificate(decoding: vector.bytes.bytes)
            #expect(certificate.bytes == vector.bytes.bytes)
            let claim = certificate.claim
            #expect(claim.kind.rawValue == file.kind && claim.version == vector.version)
            #expect(claim.features == vector.features && claim.wallMilliseconds == vector.wall)
            #expect(claim.device.publicKey.bytes == vector.device.bytes)
            #expect(claim.rosterHash.bytes == vector.roster.bytes)
            #expect(claim.instance == vector.instance.bytes.reduce(0) { $0 << 8 | UInt64($1) })
            #expect(certificate.isValid(in: context))
            for wrong in [
                LinkCertificate.Context(space: Fixture.otherSpace, role: role, staticKey: staticKey),
                LinkCertificate.Context(space: space, role: role.other, staticKey: staticKey),
                LinkCertificate.Context(space: space, role: role, staticKey: .zero),
            ] {
                #expect(!certificate.isValid(in: wrong))
            }
        }
        for vector in file.malformed {
            #expect(throws: DecodeFault.self, "\(vector.why)") {
                try LinkCertificate(decoding: vector.bytes.bytes)
            }
        }
        for vector in file.unsigned {
            #expect(try !LinkCertificate(decoding: vector.bytes.bytes).isValid(in: context), "\(vector.why)")
        }
        #expect(!file.valid.isEmpty && file.malformed.count >= 5 && file.unsigned.count >= 10)
    }

    private struct Headers: Decodable {
        struct Valid: Decodable {
            let bytes: HexBytes, type: UInt8, more: Bool, channel: UInt16, total: UInt32
        }
        let valid: [Valid], invalid: [Refused]
    }

    @Test("record headers read and write as in the vectors, and every other form is refused")
    func headers() throws {
        let file = try LinkVectorFile.load("record-header", as: Headers.self)
        for vector in file.valid {
            let header = try RecordHeader(decoding: [0xFF] + vector.bytes.bytes, at: 1)
            #expect(
                header
                    == RecordHeader(
                        type: vector.type, hasMore: vector.more, channel: vector.channel, total: vector.total)
            )
            var buffer: [UInt8] = []
            header.encode(into: &buffer)
            #expect(buffer == vector.bytes.bytes)
        }
        for vector in file.invalid {
            #expect(throws: LinkFault.self, "\(vector.why)") {
                try RecordHeader(decoding: vector.bytes.bytes, at: 0)
            }
        }
        #expect(file.valid.count >= 3 && file.invalid.count >= 5)
    }

    private struct Handshakes: Decodable { let handshakes: [HandshakeVector] }

    @Test("whole connections are byte for byte those of another implementation, in both profiles")
    func connections() throws {
        let vectors = try LinkVectorFile.load("handshake", as: Handshakes.self).handshakes
        for vector in vectors { try vector.check() }
        #expect(vectors.map(\.profile) == [0, 1])
    }

    @Test("the key changes after 65,536 records, as in the other implementation")
    func rekeying() throws {
        let vector = try #require(try LinkVectorFile.load("handshake", as: Handshakes.self).handshakes.first)
        try vector.checkRekeying()
    }
}

/// One connection between two sides with fixed keys.
private struct HandshakeVector: Decodable {
    struct Side: Decodable {
        let device: HexBytes, `static`: HexBytes, ephemeral: HexBytes, wall: UInt64, roster: HexBytes
        let instance: HexBytes, features: UInt32
    }
    let profile: UInt8, space: HexBytes, inviteSecret: HexBytes, accessSecret: HexBytes, inviteID: HexBytes
    let psk: HexBytes, handshakeHash: HexBytes, openTagOfInitiator: HexBytes
    let initiator: Side, responder: Side
    let preamble: HexBytes, message1: HexBytes, message2: HexBytes, message3: HexBytes
    let ping: HexBytes, pong: HexBytes, frameType: UInt8, frameChannel: UInt16, frameBody: HexBytes,
        frame: HexBytes
    let longFrameHash: HexBytes, closeCode: UInt16, closeReason: String, close: HexBytes
    let recordsBeforeRekey: Int, lastUnderFirstKey: HexBytes, firstUnderSecondKey: HexBytes

    /// The candidate of a side, from the secrets.
    private func candidate(_ side: Side) -> PSKCandidate {
        let isMesh = profile == LinkProfile.mesh.rawValue
        let invite = LinkKeys.inviteID(Secret(copying: inviteSecret.bytes))
        let psk =
            isMesh
            ? LinkKeys.meshPSK(Secret(copying: accessSecret.bytes))
            : LinkKeys.joinPSK(Secret(copying: inviteSecret.bytes), inviteID: invite)
        return PSKCandidate(
            space: SpaceID(raw: Bytes32(space.bytes)), use: isMesh ? .mesh(epoch: 3) : .join(invite: invite),
            psk: psk,
            rosterHash: Bytes32(side.roster.bytes))
    }

    private func identity(_ side: Side) -> LinkIdentity {
        LinkIdentity(
            key: SigningKey(seed: Secret(copying: side.device.bytes)),
            instance: side.instance.bytes.reduce(0) { $0 << 8 | UInt64($1) }, features: side.features,
            staticKey: AgreementKey(secret: Secret(copying: side.static.bytes)))
    }

    private func framed(_ message: HexBytes) -> [UInt8] {
        [UInt8(message.bytes.count >> 8), UInt8(message.bytes.count & 255)] + message.bytes
    }

    /// Both sides, established, checked on the way.
    private func establish() throws -> (initiator: SecureLink, responder: SecureLink) {
        #expect(candidate(initiator).psk == Secret(copying: psk.bytes))
        let (dialled, accepted) = (
            Instant(monotonic: 0, wall: initiator.wall), Instant(monotonic: 0, wall: responder.wall)
        )
        var one = SecureLink(
            initiating: candidate(initiator), identity: identity(initiator),
            ephemeral: Secret(copying: initiator.ephemeral.bytes), at: dialled)
        var two = SecureLink(
            responding: [candidate(responder)], identity: identity(responder),
            ephemeral: Secret(copying: responder.ephemeral.bytes), at: accepted)
        var replays = ReplayGuard()
        let first = one.start().sent
        #expect(first == preamble.bytes + framed(message1))
        let second = two.receive(first, replays: &replays, at: accepted).sent
        #expect(second == framed(message2))
        let last = one.receive(second, replays: &replays, at: dialled)
        #expect(last.sent == framed(message3))
        let done = two.receive(last.sent, replays: &replays, at: accepted)
        let (mine, theirs) = (try #require(last.established), try #require(done.established))
        #expect(mine.handshakeHash == handshakeHash.bytes && theirs.handshakeHash == handshakeHash.bytes)
        #expect(mine.peer.device == identity(responder).device && mine.peer.features == responder.features)
        #expect(theirs.peer.wallMilliseconds == initiator.wall && theirs.use == candidate(responder).use)
        #expect(theirs.peer.rosterHash.bytes == initiator.roster.bytes)
        let access = Secret(copying: accessSecret.bytes)
        let tag = LinkKeys.openTag(accessSecret: access, handshakeHash: mine.handshakeHash, role: .initiator)
        #expect(tag.bytes == openTagOfInitiator.bytes)
        return (one, two)
    }

    func check() throws {
        var (one, two) = try establish()
        var replays = ReplayGuard()
        let now = Instant(monotonic: 1, wall: 0)
        let body = Array("are you there".utf8)
        #expect(one.send(LinkFrame(type: LinkFrame.ping, body: body)) == ping.bytes)
        #expect(two.receive(ping.bytes, replays: &replays, at: now) == [.send(pong.bytes), .pinged(body)])
        let answer = one.receive(pong.bytes, replays: &replays, at: now)
        #expect(answer == [.frame(LinkFrame(type: LinkFrame.pong, body: body))])
        let small = LinkFrame(type: frameType, channel: frameChannel, body: frameBody.bytes)
        #expect(one.send(small) == frame.bytes)
        #expect(two.receive(frame.bytes, replays: &replays, at: now) == [.frame(small)])
        let long = LinkFrame(type: 10, body: (0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let records = one.send(long)
        #expect(Blake2b.hash256(records).bytes == longFrameHash.bytes)
        #expect(two.receive(records, replays: &replays, at: now) == [.frame(long)])
    }

    func checkRekeying() throws {
        var (one, two) = try establish()
        var replays = ReplayGuard()
        let now = Instant(monotonic: 1, wall: 0)
        let ping = LinkFrame(type: LinkFrame.ping, body: [])
        // Three records went before in the vectors: ping, frame, and the two fragments of the long frame.
        var bytes = one.send(LinkFrame(type: LinkFrame.ping, body: Array("are you there".utf8)))
        bytes += one.send(LinkFrame(type: frameType, channel: frameChannel, body: frameBody.bytes))
        bytes += one.send(LinkFrame(type: 10, body: (0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) }))
        bytes += one.send([LinkFrame](repeating: ping, count: recordsBeforeRekey - 4 - 1))
        let earlier = two.receive(bytes, replays: &replays, at: now)
        #expect(earlier.end == nil)
        let pongs = one.receive(earlier.sent, replays: &replays, at: now).frames
        #expect(pongs.count == recordsBeforeRekey - 4)
        let last = one.send(LinkFrame(type: LinkFrame.ping, body: Array("last".utf8)))
        let first = one.send(LinkFrame(type: LinkFrame.ping, body: Array("first".utf8)))
        #expect(last == lastUnderFirstKey.bytes && first == firstUnderSecondKey.bytes)
        let outputs = two.receive(last + first, replays: &replays, at: now)
        let answers = one.receive(outputs.sent, replays: &replays, at: now).frames.map(\.body)
        #expect(answers == [Array("last".utf8), Array("first".utf8)])
        let closing = one.close(CloseCode(rawValue: closeCode), reason: closeReason)
        #expect(closing == [.send(close.bytes), .close(.byUs(.replaced))])
        let ending = two.receive(close.bytes, replays: &replays, at: now)
        #expect(ending == [.close(.byPeer(.replaced, reason: closeReason))])
    }
}

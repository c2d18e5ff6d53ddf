// What a handshake accepts, and the silence about everything else.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

@Suite("Handshake") struct HandshakeTests {
    @Test("two members end with each other's certificates, one hash, and the space whose key it was")
    func established() throws {
        let pair = try LinkPair.established()
        let (ours, theirs) = (
            try #require(pair.initiator.established), try #require(pair.responder.established)
        )
        #expect(ours.role == .initiator && theirs.role == .responder)
        #expect(ours.space == Fixture.space && theirs.space == Fixture.space)
        #expect(ours.handshakeHash == theirs.handshakeHash && ours.handshakeHash.count == 64)
        #expect(ours.peer.device == Fixture.identity(0x20).device && ours.peer.instance == 0x20)
        #expect(theirs.peer.device == Fixture.identity(0x10).device && theirs.peer.instance == 0x10)
        #expect(ours.peer.wallMilliseconds == Fixture.start.wall && ours.peer.version == 1)
        #expect(pair.initiatorOutputs.end == nil && pair.responderOutputs.end == nil)
        #expect(pair.initiator.deadline == nil && pair.responder.deadline == nil)
        #expect(pair.fromInitiator.count == 24 + 2 + 48 + 2 + 216)
        #expect(pair.fromResponder.count == 2 + 248)
    }

    @Test("the responder finds the key among spaces and epochs, and says which")
    func candidates() throws {
        let older = Fixture.candidate(5, space: Fixture.otherSpace, epoch: 4)
        let all =
            (1...4).map { Fixture.candidate(UInt8($0), epoch: UInt64($0)) } + [older, Fixture.invitation(7)]
        var pair = LinkPair(
            Fixture.initiator(Fixture.candidate(5, space: Fixture.otherSpace, epoch: 9)),
            Fixture.responder(all))
        pair.run()
        let link = try #require(pair.responder.established)
        #expect(link.space == Fixture.otherSpace && link.use == .mesh(epoch: 4))
        #expect(try #require(pair.initiator.established).peer.rosterHash == older.rosterHash)
    }

    @Test("a joiner is let in by its invite's key, and a member's key does not open the join profile")
    func joining() throws {
        let invitation = Fixture.invitation(7)
        var pair = LinkPair(
            Fixture.initiator(invitation), Fixture.responder([Fixture.candidate(1), invitation]))
        pair.run()
        let link = try #require(pair.responder.established)
        #expect(link.use == .join(invite: LinkKeys.inviteID(Fixture.secret(7))))
        #expect(link.peer.kind == .join && link.peer.rosterHash == .zero)

        // The invite's key, but dialled as a member.
        let asMember = PSKCandidate(
            space: Fixture.space, use: .mesh(epoch: 0), psk: invitation.psk, rosterHash: .zero)
        var refused = LinkPair(
            Fixture.initiator(asMember), Fixture.responder([Fixture.candidate(1), invitation]))
        refused.run()
        #expect(refused.responderOutputs == [.close(.silently(.noMatchingKey))])
    }

    @Test("a key of another space gets no byte")
    func wrongKey() {
        var pair = LinkPair(
            Fixture.initiator(Fixture.candidate(2)), Fixture.responder([Fixture.candidate(1)]))
        pair.run()
        #expect(pair.responderOutputs == [.close(.silently(.noMatchingKey))])
        #expect(pair.initiator.streamEnded() == [.close(.silently(.handshakeCutOff))])
        var nobody = LinkPair(Fixture.initiator(), Fixture.responder([]))
        nobody.run()
        #expect(nobody.responderOutputs == [.close(.silently(.noMatchingKey))])
    }

    @Test("the right key for another space's certificate gets no further: the signature names the space")
    func wrongSpace() {
        // Both derive the same pre-shared key, but the initiator believes that it is the other space's.
        var pair = LinkPair(Fixture.initiator(Fixture.candidate(1, space: Fixture.otherSpace)))
        pair.run()
        #expect(pair.initiatorOutputs.end == .silently(.certificateSignature))
        #expect(pair.initiatorOutputs.established == nil)
        #expect(pair.responder.streamEnded() == [.close(.silently(.handshakeCutOff))])
    }

    @Test("a key is found to open the first message exactly when the handshake can read it under that key")
    func trial() throws {
        let preamble = Preamble(profile: .mesh, inviteID: .zero)
        let start = NoiseHandshake.start(.xxPSK0, prologue: preamble.prologue)
        func side(_ role: LinkRole, _ psk: UInt8) -> NoiseHandshake {
            NoiseHandshake(
                .xxPSK0, role: role, symmetric: start, psks: [Fixture.secret(psk)],
                staticKey: Fixture.identity(0x10).staticKey, ephemeral: Fixture.secret(psk ^ 0x80))
        }
        for own in 1...12 as ClosedRange<UInt8> {
            var initiator = side(.initiator, own)
            let message = try initiator.write([])
            for other in 1...12 as ClosedRange<UInt8> {
                var responder = side(.responder, other)
                let isOpen = start.opens(firstMessage: message, psk: Fixture.secret(other))
                #expect(isOpen == (own == other))
                if own == other {
                    #expect(throws: Never.self) { try responder.read(message) }
                } else {
                    #expect(throws: NoiseFault.notAuthentic) { try responder.read(message) }
                }
            }
            for index in message.indices {
                var damaged = message
                damaged[index] ^= 1
                #expect(!start.opens(firstMessage: damaged, psk: Fixture.secret(own)))
            }
        }
    }

    @Test("a replayed first message gets no byte, for ten minutes, on every link of the node")
    func replay() throws {
        var pair = try LinkPair.established()
        let first = Array(pair.fromInitiator[..<(24 + 50)])
        for (elapsed, isAnswered) in [(0, false), (599_999, false), (600_000, true)] as [(UInt64, Bool)] {
            let now = Instant(monotonic: Fixture.start.monotonic + elapsed, wall: 0)
            var again = Fixture.responder(ephemeral: 0x50, at: now)
            let outputs = again.receive(first, replays: &pair.replays, at: now)
            if isAnswered {
                #expect(outputs.sent.count == 250 && outputs.end == nil)
            } else {
                #expect(outputs == [.close(.silently(.replayed))])
            }
        }
    }

    @Test("a handshake that takes five seconds is closed without a byte, on both sides")
    func slow() {
        for isInitiator in [true, false] {
            var link = isInitiator ? Fixture.initiator() : Fixture.responder()
            var replays = ReplayGuard()
            _ = link.start()
            #expect(link.deadline == Fixture.start.monotonic + 5_000)
            let before = Instant(monotonic: Fixture.start.monotonic + 4_999, wall: 0)
            #expect(link.tick(at: before) == [])
            if !isInitiator { #expect(link.receive([0x52], replays: &replays, at: before) == []) }
            let late = Instant(monotonic: Fixture.start.monotonic + 5_000, wall: 0)
            var other = link
            #expect(link.tick(at: late) == [.close(.silently(.handshakeTooSlow))])
            #expect(link.tick(at: late) == [])
            #expect(link.deadline == nil)
            // Bytes that come too late change nothing about it.
            #expect(other.receive([0], replays: &replays, at: late) == [.close(.silently(.handshakeTooSlow))])
        }
    }

    @Test("garbage, another protocol and other versions get no byte")
    func garbage() {
        let cases: [([UInt8], LinkFault)] = [
            (Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), .notThisProtocol),
            ([UInt8](repeating: 0, count: 24), .notThisProtocol),
            (
                Preamble(versions: 2...9, profile: .mesh, inviteID: .zero).bytes,
                .noCommonVersion(least: 2, greatest: 9)
            ),
            (
                Preamble(profile: .mesh, inviteID: .zero).bytes + [0, 47],
                .messageLength(number: 1, bytes: 47)
            ),
            (
                Preamble(profile: .mesh, inviteID: .zero).bytes + [0xFF, 0xFF],
                .messageLength(number: 1, bytes: 65_535)
            ),
            (
                Preamble(profile: .mesh, inviteID: .zero).bytes + [0, 48] + [UInt8](repeating: 9, count: 48),
                .noMatchingKey
            ),
        ]
        for (bytes, fault) in cases {
            var link = Fixture.responder()
            var replays = ReplayGuard()
            #expect(link.receive(bytes, replays: &replays, at: Fixture.start) == [.close(.silently(fault))])
            #expect(link.ended == .silently(fault))
            #expect(link.receive(bytes, replays: &replays, at: Fixture.start) == [])
            #expect(replays.count == 0)
        }
    }

    @Test("a flipped bit anywhere in the handshake ends it in silence, and never in a link")
    func flipped() throws {
        let good = try LinkPair.established()
        for index in good.fromInitiator.indices {
            var bytes = good.fromInitiator
            bytes[index] ^= 1 << UInt8(index % 8)
            var link = Fixture.responder()
            var replays = ReplayGuard()
            var outputs = link.receive(Array(bytes[..<74]), replays: &replays, at: Fixture.start)
            // Its answer, if the damage comes later, is what the right message gets; damage earlier gets
            // none.
            #expect(outputs.sent.isEmpty == (index < 74), "byte \(index)")
            if outputs.end == nil {
                outputs = link.receive(Array(bytes[74...]), replays: &replays, at: Fixture.start)
            }
            // A greater ver_max is no damage to the preamble but one to the prologue; a greater length waits.
            let isEnded = outputs.end != nil || !link.tick(at: Instant(monotonic: 6_000, wall: 0)).isEmpty
            #expect(isEnded && outputs.established == nil, "byte \(index)")
            if index >= 74 { #expect(outputs.sent.isEmpty, "byte \(index)") }
        }
        for index in good.fromResponder.indices {
            var bytes = good.fromResponder
            bytes[index] ^= 1 << UInt8(index % 8)
            var link = Fixture.initiator()
            var replays = ReplayGuard()
            _ = link.start()
            let outputs = link.receive(bytes, replays: &replays, at: Fixture.start)
            guard case .silently = outputs.end else {
                Issue.record("byte \(index): \(outputs)")
                continue
            }
            #expect(outputs.count == 1 && link.established == nil)
        }
    }

    @Test("the stream may be cut anywhere")
    func split() throws {
        let pair = try LinkPair.established()
        var sender = pair.initiator
        let tail = sender.send([
            LinkFrame(type: LinkFrame.ping, body: [1, 2]), LinkFrame(type: 7, channel: 3, body: [4]),
            LinkFrame(type: 8, body: []),
        ])
        let stream = pair.fromInitiator + tail
        func outcome(_ parts: [ArraySlice<UInt8>]) -> (
            sent: [UInt8], frames: [LinkFrame], link: EstablishedLink?
        ) {
            var link = Fixture.responder()
            var replays = ReplayGuard()
            let outputs = parts.flatMap { link.receive(Array($0), replays: &replays, at: Fixture.start) }
            #expect(outputs.end == nil)
            return (outputs.sent, outputs.frames, outputs.established)
        }
        let whole = outcome([stream[...]])
        #expect(whole.frames == [LinkFrame(type: 7, channel: 3, body: [4]), LinkFrame(type: 8, body: [])])
        #expect(whole.link == pair.responder.established)
        #expect(whole.sent.count == 250 + 2 + 24 + 2)
        for cut in 0...stream.count {
            #expect(outcome([stream[..<cut], stream[cut...]]) == whole, "cut at \(cut)")
        }
        #expect(outcome(stream.indices.map { stream[$0..<$0 + 1] }) == whole)
        for start in 0..<7 {
            let cuts = stride(from: start, to: stream.count, by: 7).map { $0 }
            let parts = zip([0] + cuts, cuts + [stream.count]).map { stream[$0..<$1] }
            #expect(outcome(parts) == whole)
        }
    }

    @Test("a certificate of another kind, version or static key is refused although it is signed")
    func certificates() throws {
        // The initiator's side by hand, so that its certificate can say what it likes.
        struct Case { let kind: LinkProfile, version: UInt16, role: LinkRole, key: UInt8, fault: LinkFault? }
        let cases = [
            Case(kind: .mesh, version: 1, role: .initiator, key: 0x11, fault: nil),
            Case(kind: .join, version: 1, role: .initiator, key: 0x11, fault: .certificateMalformed),
            Case(kind: .mesh, version: 2, role: .initiator, key: 0x11, fault: .certificateMalformed),
            Case(kind: .mesh, version: 1, role: .responder, key: 0x11, fault: .certificateSignature),
            Case(kind: .mesh, version: 1, role: .initiator, key: 0x12, fault: .certificateSignature),
        ]
        for test in cases {
            let candidate = Fixture.candidate(1)
            let identity = Fixture.identity(0x10)
            let preamble = Preamble(profile: .mesh, inviteID: .zero)
            var noise = NoiseHandshake(
                .xxPSK0, role: .initiator, prologue: preamble.prologue, psks: [candidate.psk],
                staticKey: identity.staticKey, ephemeral: Fixture.secret(0x31))
            var link = Fixture.responder()
            var replays = ReplayGuard()
            let first = preamble.bytes + [0, 48] + (try noise.write([]))
            let answer = link.receive(first, replays: &replays, at: Fixture.start).sent
            _ = try noise.read(Array(answer[2...]))
            let claim = LinkCertificate.Claim(
                kind: test.kind, version: test.version, features: 0, device: identity.device, instance: 1,
                wallMilliseconds: 0, rosterHash: .zero)
            let context = LinkCertificate.Context(
                space: candidate.space, role: test.role,
                staticKey: AgreementKey(secret: Fixture.secret(test.key)).publicKey)
            let message = try noise.write(LinkCertificate(claim, in: context, by: identity.key).bytes)
            let outputs = link.receive([0, 216] + message, replays: &replays, at: Fixture.start)
            if let fault = test.fault {
                #expect(outputs == [.close(.silently(fault))])
            } else {
                #expect(outputs.established != nil && outputs.end == nil)
            }
        }
    }

    @Test("a stream that ends in the handshake, and one that we give up, end in silence")
    func cutOff() {
        var link = Fixture.responder()
        #expect(link.streamEnded() == [.close(.silently(.handshakeCutOff))])
        #expect(link.streamEnded() == [])
        var other = Fixture.responder()
        #expect(other.close(.done, reason: "stopping") == [.close(.byUs(.done))])
    }
}

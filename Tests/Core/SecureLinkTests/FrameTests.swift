// Records and frames of an established link: sizes, order, PING, CLOSE, and what breaks them.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

@Suite("Frames") struct FrameTests {
    @Test(
        "frames of every size arrive whole, the edges of a fragment and the greatest included",
        arguments: [0, 1, 65_510, 65_511, 65_512, 131_022, 131_023, 1_000_000, 4 << 20])
    func sizes(count: Int) throws {
        var pair = try LinkPair.established()
        let body = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            for index in 0..<count { out[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }
            filled = count
        }
        let frame = LinkFrame(type: 200, channel: 40_000, body: body)
        let records = pair.initiator.send(frame)
        let fragments = max(1, (count + 65_510) / 65_511)
        #expect(records.count == count + fragments * 26)
        // In pieces as a socket would give them.
        var outputs: [LinkOutput] = []
        for start in stride(from: 0, to: records.count, by: 100_000) {
            let part = Array(records[start..<min(start + 100_000, records.count)])
            outputs += pair.responder.receive(part, replays: &pair.replays, at: pair.now)
        }
        #expect(outputs == [.frame(frame)])
        #expect(pair.responder.heldBytes == 0)
    }

    @Test("frames keep their order in both directions at once")
    func order() throws {
        var pair = try LinkPair.established()
        let frames = (0..<500).map {
            LinkFrame(type: 9, channel: UInt16($0), body: [UInt8](repeating: 1, count: $0))
        }
        let there = pair.initiator.send(frames)
        let back = pair.responder.send(frames.reversed())
        let arrived = pair.responder.receive(there, replays: &pair.replays, at: pair.now)
        #expect(arrived.frames == frames)
        #expect(
            pair.initiator.receive(back, replays: &pair.replays, at: pair.now).frames == frames.reversed())
    }

    @Test("a PING is answered with the same body, which is handed up; so is the PONG")
    func ping() throws {
        var pair = try LinkPair.established()
        for count in [0, 8, 200_000] {
            let body = [UInt8](repeating: 7, count: count)
            let records = pair.responder.send(LinkFrame(type: LinkFrame.ping, body: body))
            let answer = pair.initiator.receive(records, replays: &pair.replays, at: pair.now)
            #expect(answer == [.send(answer.sent), .pinged(body)] && !answer.sent.isEmpty)
            let heard = pair.responder.receive(answer.sent, replays: &pair.replays, at: pair.now)
            #expect(heard == [.frame(LinkFrame(type: LinkFrame.pong, body: body))])
        }
    }

    @Test("a PING between frames of one delivery is answered in order with what the caller answers to them")
    func pingsAmongFrames() throws {
        var pair = try LinkPair.established()
        let asked = [
            LinkFrame(type: 9, body: [1]), LinkFrame(type: LinkFrame.ping, body: [2]),
            LinkFrame(type: 9, body: [3]), LinkFrame(type: LinkFrame.ping, body: [4]),
        ]
        let records = pair.initiator.send(asked)
        var wire: [UInt8] = []
        // As a node does: outputs in order, an answer to each frame at once.
        for output in pair.responder.receive(records, replays: &pair.replays, at: pair.now) {
            switch output {
            case .send(let bytes): wire += bytes
            case .frame(let frame): wire += pair.responder.send(LinkFrame(type: 10, body: frame.body))
            default: break
            }
        }
        let heard = pair.initiator.receive(wire, replays: &pair.replays, at: pair.now)
        #expect(heard.end == nil, "\(heard)")
        #expect(heard.frames.map(\.body) == [[2], [4], [1], [3]])
    }

    @Test("a PING right behind the handshake's last message is answered before what the caller says first")
    func pingBehindHandshake() {
        var (initiator, responder) = (Fixture.initiator(), Fixture.responder())
        var replays = ReplayGuard()
        let first = initiator.start().sent
        let second = responder.receive(first, replays: &replays, at: Fixture.start).sent
        var toResponder = initiator.receive(second, replays: &replays, at: Fixture.start).sent
        toResponder += initiator.send(LinkFrame(type: LinkFrame.ping, body: [7]))
        var wire: [UInt8] = []
        for output in responder.receive(toResponder, replays: &replays, at: Fixture.start) {
            switch output {
            case .send(let bytes): wire += bytes
            case .established: wire += responder.send(LinkFrame(type: 9, body: [8]))
            default: break
            }
        }
        let heard = initiator.receive(wire, replays: &replays, at: Fixture.start)
        #expect(heard.end == nil && heard.frames.map(\.body) == [[7], [8]], "\(heard)")
    }

    @Test("CLOSE arrives with code and reason; what follows it is not read, and nothing more is sent")
    func close() throws {
        var pair = try LinkPair.established()
        let frame = pair.initiator.send(LinkFrame(type: 5, body: [1]))
        let outputs = pair.initiator.close(.inviteSpent, reason: "the invite was used by another device")
        #expect(outputs.end == .byUs(.inviteSpent))
        let heard = pair.responder.receive(
            frame + outputs.sent + [0, 1, 2], replays: &pair.replays, at: pair.now)
        #expect(
            heard == [
                .frame(LinkFrame(type: 5, body: [1])),
                .close(.byPeer(.inviteSpent, reason: "the invite was used by another device")),
            ])
        #expect(pair.initiator.send(LinkFrame(type: 5, body: [1])) == [])
        #expect(pair.responder.send(LinkFrame(type: 5, body: [1])) == [])
        #expect(pair.initiator.close(.done, reason: "") == [])
        #expect(pair.initiator.streamEnded() == [])
        #expect(pair.responder.streamEnded() == [])
    }

    @Test("a reason is cut between characters, at 512 bytes")
    func longReason() throws {
        var pair = try LinkPair.established()
        let outputs = pair.initiator.close(.done, reason: "x" + String(repeating: "é", count: 400))
        let heard = pair.responder.receive(outputs.sent, replays: &pair.replays, at: pair.now)
        #expect(heard == [.close(.byPeer(.done, reason: "x" + String(repeating: "é", count: 255)))])
    }

    @Test("a stream that ends without CLOSE is a truncation, also in the middle of a frame")
    func truncated() throws {
        var pair = try LinkPair.established()
        #expect(pair.initiator.streamEnded() == [.close(.truncated)])
        let records = pair.responder.send(LinkFrame(type: 5, body: [UInt8](repeating: 1, count: 100_000)))
        var other = try LinkPair.established()
        let part = Array(records[..<80_000])
        #expect(other.initiator.receive(part, replays: &other.replays, at: other.now) == [])
        #expect(other.initiator.heldBytes == 65_511)
        #expect(other.initiator.streamEnded() == [.close(.truncated)])
    }

    @Test("a damaged, repeated, dropped or reordered record closes the link, with a CLOSE that says so")
    func damaged() throws {
        let base = try LinkPair.established()
        var sender = base.initiator
        let records = (0..<3).map { sender.send(LinkFrame(type: 5, body: [UInt8($0)])) }
        let streams: [(name: String, bytes: [UInt8], frames: Int)] = [
            ("repeated", records[0] + records[0], 1), ("dropped", records[0] + records[2], 1),
            ("reordered", records[1] + records[0], 0),
        ]
        for stream in streams { try expectFault(stream.bytes, after: stream.frames, stream.name) }
        for index in 2..<records[0].count {
            var bytes = records[0]
            bytes[index] ^= 0x80
            try expectFault(bytes, after: 0, "byte \(index)")
        }
        for length in 0..<24 { try expectFault([0, UInt8(length)], after: 0, "length \(length)") }

        func expectFault(_ bytes: [UInt8], after frames: Int, _ name: String) throws {
            var (receiver, peer) = (base.responder, base.initiator)
            var replays = ReplayGuard()
            let outputs = receiver.receive(bytes, replays: &replays, at: base.now)
            #expect(outputs.frames.count == frames, "\(name)")
            guard case .faulted = outputs.end else {
                Issue.record("\(name): \(outputs)")
                return
            }
            guard
                case .byPeer(.protocolFault, _) = peer.receive(outputs.sent, replays: &replays, at: base.now)
                    .end
            else {
                Issue.record("\(name): no CLOSE")
                return
            }
        }
    }

    /// What the responder makes of hand-made records that are sealed as they should be.
    private func outcome(_ records: [HandmadeRecord]) throws -> [LinkOutput] {
        var peer = try HandmadePeer()
        let bytes = records.flatMap { peer.seal($0) }
        var replays = ReplayGuard()
        return peer.link.receive(bytes, replays: &replays, at: Fixture.start)
    }

    @Test("records whose headers contradict each other or themselves are faults, each its own")
    func inconsistent() throws {
        let start = HandmadeRecord(flags: 1, total: 6, body: [1, 2, 3])
        let cases: [([HandmadeRecord], LinkFault)] = [
            ([HandmadeRecord(type: 0, total: 0, body: [])], .reservedType),
            ([HandmadeRecord(flags: 2, total: 0, body: [])], .reservedFlags(2)),
            ([HandmadeRecord(total: 0x0040_0001, body: [])], .frameTooLarge(bytes: 0x0040_0001)),
            ([HandmadeRecord(total: 2, body: [1])], .fragmentLength(total: 2, received: 1)),
            ([HandmadeRecord(total: 0, body: [1])], .fragmentLength(total: 0, received: 1)),
            ([HandmadeRecord(flags: 1, total: 1, body: [])], .fragmentLength(total: 1, received: 0)),
            ([HandmadeRecord(flags: 1, total: 0, body: [])], .fragmentLength(total: 0, received: 0)),
            ([HandmadeRecord(flags: 1, total: 1, body: [1])], .fragmentLength(total: 1, received: 1)),
            ([HandmadeRecord(flags: 1, total: 1, body: [1, 2])], .fragmentLength(total: 1, received: 2)),
            ([start, HandmadeRecord(flags: 1, total: 6, body: [])], .fragmentLength(total: 6, received: 3)),
            ([start, HandmadeRecord(total: 6, body: [4, 5])], .fragmentLength(total: 6, received: 5)),
            ([start, HandmadeRecord(total: 6, body: [4, 5, 6, 7])], .fragmentLength(total: 6, received: 7)),
            (
                [start, HandmadeRecord(flags: 1, total: 6, body: [4, 5, 6])],
                .fragmentLength(total: 6, received: 6)
            ),
            ([start, HandmadeRecord(total: 7, body: [4, 5, 6])], .fragmentLength(total: 7, received: 3)),
            (
                [start, HandmadeRecord(channel: 1, total: 6, body: [4, 5, 6])],
                .interleaved(type: 5, channel: 1)
            ),
            ([start, HandmadeRecord(type: 1, total: 0, body: [])], .interleaved(type: 1, channel: 0)),
            ([HandmadeRecord(type: 1, channel: 1, total: 0, body: [])], .wrongChannel(type: 1, channel: 1)),
            (
                [HandmadeRecord(type: 3, channel: 9, total: 2, body: [0, 0])],
                .wrongChannel(type: 3, channel: 9)
            ),
            ([HandmadeRecord(type: 3, total: 0, body: [])], .closeMalformed),
            ([HandmadeRecord(type: 3, total: 1, body: [0])], .closeMalformed),
            ([HandmadeRecord(type: 3, total: 4, body: [0, 0, 0xC3, 0x28])], .closeMalformed),
            (
                [HandmadeRecord(type: 3, total: 515, body: [UInt8](repeating: 65, count: 515))],
                .closeMalformed
            ),
        ]
        for (records, fault) in cases {
            let outputs = try outcome(records)
            #expect(outputs.end == .faulted(fault), "\(records)")
            #expect(outputs.frames.isEmpty && !outputs.sent.isEmpty)
        }
    }

    @Test("small fragments, unknown types and an empty CLOSE reason are all right")
    func allowed() throws {
        let frames = try outcome([
            HandmadeRecord(flags: 1, total: 3, body: [1]), HandmadeRecord(flags: 1, total: 3, body: [2]),
            HandmadeRecord(total: 3, body: [3]),
            HandmadeRecord(type: 255, channel: 65_535, total: 0, body: []),
            HandmadeRecord(type: 3, total: 2, body: [1, 2]),
        ])
        #expect(
            frames == [
                .frame(LinkFrame(type: 5, body: [1, 2, 3])),
                .frame(LinkFrame(type: 255, channel: 65_535, body: [])),
                .close(.byPeer(CloseCode(rawValue: 258), reason: "")),
            ])
    }

    @Test("a frame that is announced and never sent holds what arrived, not what was announced")
    func announced() throws {
        var peer = try HandmadePeer()
        let record = peer.seal(HandmadeRecord(type: 9, flags: 1, total: 0x0040_0000, body: [1, 2, 3]))
        var replays = ReplayGuard()
        let outputs = peer.link.receive(record, replays: &replays, at: Fixture.start)
        #expect(outputs.isEmpty && peer.link.heldBytes == 3)
    }
}

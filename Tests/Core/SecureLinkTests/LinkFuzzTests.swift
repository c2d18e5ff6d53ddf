// Streams that are mutated by chance, by seed: whatever arrives, a link neither traps nor invents a frame.

import Bytes
import Causality
import Crypto
import Testing

@testable import SecureLink

@Suite("Link fuzzing") struct LinkFuzzTests {
    /// A stream with a few mutations: flipped bits, bytes removed, inserted or repeated, cut off, or pure
    /// noise.
    private func mutated(_ stream: [UInt8], by chance: inout SeededGenerator) -> [UInt8] {
        var bytes = stream
        for _ in 0..<Int.random(in: 1...4, using: &chance) {
            guard !bytes.isEmpty else { break }
            let at = Int.random(in: 0..<bytes.count, using: &chance)
            let length = Int.random(in: 1...40, using: &chance)
            switch Int.random(in: 0..<6, using: &chance) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
            case 1: bytes.removeSubrange(at..<min(at + length, bytes.count))
            case 2:
                bytes.insert(
                    contentsOf: (0..<length).map { _ in UInt8.random(in: 0...255, using: &chance) }, at: at)
            case 3: bytes.insert(contentsOf: bytes[at..<min(at + length, bytes.count)], at: at)
            case 4: bytes.removeSubrange(at...)
            default: bytes[at] = UInt8.random(in: 0...255, using: &chance)
            }
        }
        return bytes
    }

    private func feed(_ bytes: [UInt8], to link: inout SecureLink, by chance: inout SeededGenerator)
        -> [LinkOutput]
    {
        var replays = ReplayGuard()
        var outputs: [LinkOutput] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...400, using: &chance))
            outputs += link.receive(Array(bytes[start..<end]), replays: &replays, at: Fixture.start)
            start = end
        }
        return outputs + link.streamEnded()
    }

    @Test("a mutated stream never traps, never gives a frame that was not sent, and always ends")
    func mutations() throws {
        let pair = try LinkPair.established()
        var sender = pair.initiator
        let frames = (0..<6).map {
            LinkFrame(type: 10, channel: UInt16($0), body: [UInt8](repeating: UInt8($0), count: $0 * 9))
        }
        let stream = pair.fromInitiator + sender.send(frames)
        var reached: Set<String> = []
        for seed in 0..<400 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            let bytes = mutated(stream, by: &chance)
            var link = Fixture.responder()
            let outputs = feed(bytes, to: &link, by: &chance)
            #expect(outputs.frames == Array(frames[..<outputs.frames.count]), "seed \(seed)")
            guard let end = outputs.end else {
                Issue.record("seed \(seed): no end")
                continue
            }
            if case .silently = end { #expect(outputs.established == nil, "seed \(seed)") }
            reached.insert("\(end)".prefix { $0 != "(" }.description)
        }
        #expect(reached.isSuperset(of: ["silently", "faulted", "truncated"]))
    }

    @Test("a responder to noise sends nothing, and holds no more than one message")
    func noise() {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var bytes = (0..<Int.random(in: 0...600, using: &chance)).map { _ in
                UInt8.random(in: 0...255, using: &chance)
            }
            if seed % 2 == 0 { bytes = Preamble(profile: .mesh, inviteID: .zero).bytes + [0, 48] + bytes }
            var link = Fixture.responder()
            let outputs = feed(bytes, to: &link, by: &chance)
            #expect(outputs.sent.isEmpty && outputs.count == 1, "seed \(seed)")
        }
    }

    @Test("a member's records with random headers give exactly the frames that the rules allow, then a fault")
    func hostileRecords() throws {
        let base = try HandmadePeer()
        var (faults, whole) = (0, 0)
        for seed in 0..<1_500 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var peer = base
            var stream: [UInt8] = []
            var model = FrameModel()
            for _ in 0..<12 {
                let record = model.likely(by: &chance)
                stream += peer.seal(record)
                model.add(record)
            }
            var replays = ReplayGuard()
            var outputs: [LinkOutput] = []
            let cut = Int.random(in: 0...stream.count, using: &chance)
            for part in [stream[..<cut], stream[cut...]] {
                outputs += peer.link.receive(Array(part), replays: &replays, at: Fixture.start)
            }
            #expect(outputs.frames == model.frames, "seed \(seed)")
            let isFaulted = if case .faulted = outputs.end { true } else { false }
            #expect(isFaulted == model.isFaulted, "seed \(seed)")
            if isFaulted { faults += 1 }
            whole += model.frames.count
        }
        #expect(faults > 300 && whole > 1_000)
    }

    @Test("decoders are total: every length and content gives a value or a fault")
    func decoders() {
        var chance = SeededGenerator(seed: 11)
        var (certificates, preambles) = (0, 0)
        for _ in 0..<3_000 {
            var bytes = (0..<24).map { _ in UInt8.random(in: 0...2, using: &chance) }
            bytes.replaceSubrange(0..<4, with: Array("RPLD".utf8))
            if Int.random(in: 0..<2, using: &chance) == 0 {
                bytes.replaceSubrange(8..., with: [UInt8](repeating: 0, count: 16))
            }
            do throws(LinkFault) {
                let preamble = try Preamble(decoding: bytes)
                #expect(preamble.bytes == bytes)
                preambles += 1
            } catch {
                #expect(error != .notThisProtocol)
            }
            var claim = (0..<Int.random(in: 140...160, using: &chance)).map { _ in
                UInt8.random(in: 0...255, using: &chance)
            }
            if Int.random(in: 0..<3, using: &chance) > 0 { claim = Array((claim + claim)[..<152]) }
            claim[0] = 1
            claim[1] &= 1
            do throws(DecodeFault) {
                let certificate = try LinkCertificate(decoding: claim)
                #expect(certificate.bytes == claim)
                certificates += 1
            } catch {
                #expect(claim.count != 152)
            }
        }
        #expect(certificates > 1_000 && preambles > 100)
    }
}

/// The rules of records and frames once more, written down as plainly as they are in WIRE.md.
private struct FrameModel {
    var frames: [LinkFrame] = []
    var isFaulted = false
    private var pending: [HandmadeRecord] = []

    /// A record that mostly keeps the rules.
    func likely(by chance: inout SeededGenerator) -> HandmadeRecord {
        func rarely() -> Bool { Int.random(in: 0..<25, using: &chance) == 0 }
        let first = pending.first
        let total =
            rarely()
            ? UInt32.random(in: 0...9, using: &chance)
            : first?.total ?? UInt32.random(in: 0...6, using: &chance)
        let room = max(0, Int(total) - pending.reduce(0) { $0 + $1.body.count })
        let count =
            rarely()
            ? Int.random(in: 0...9, using: &chance) : Int.random(in: min(1, room)...room, using: &chance)
        let flags: UInt8 = count < room ? 1 : 0
        return HandmadeRecord(
            type: rarely()
                ? [0, 1, 2, 4, 9].randomElement(using: &chance) ?? 0
                : first?.type ?? UInt8.random(in: 4...9, using: &chance),
            flags: rarely() ? UInt8.random(in: 0...3, using: &chance) : flags,
            channel: rarely() ? 1 : first?.channel ?? 0, total: total,
            body: (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) })
    }

    mutating func add(_ record: HandmadeRecord) {
        if isFaulted { return }
        let hasMore = record.flags == 1
        pending.append(record)
        let received = pending.reduce(0) { $0 + $1.body.count }
        let first = pending[0]
        let isAllowed =
            record.type != 0 && record.flags <= 1 && (record.type > 3 || record.channel == 0)
            && (record.type, record.channel, record.total) == (first.type, first.channel, first.total)
            && (received == Int(record.total)) != hasMore && received <= Int(record.total)
            && (pending.count == 1 && !hasMore || !record.body.isEmpty)
        guard isAllowed else {
            isFaulted = true
            return
        }
        if hasMore { return }
        let body = pending.flatMap(\.body)
        pending = []
        switch record.type {
        case LinkFrame.ping: break
        default: frames.append(LinkFrame(type: record.type, channel: record.channel, body: body))
        }
    }
}

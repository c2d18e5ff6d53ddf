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

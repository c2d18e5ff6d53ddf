// Whatever arrives, a decoder returns or throws: it never traps, and never allocates more than the bytes that
// are there allow. Valid bytes are bent by seed; what still decodes must be canonical.

import Bytes
import Causality
import Documents
import Testing
import Wire

@Suite struct MutationTests {
    /// Bends `bytes` in one to three places.
    static func bent(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: bytes.insert(.random(in: 0...255, using: &random), at: at)
            case 1: if !bytes.isEmpty { bytes.remove(at: at) }
            case 2:
                if !bytes.isEmpty {
                    bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][Int.random(in: 0...4, using: &random)]
                }
            case 3: if !bytes.isEmpty { bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            case 4: bytes.removeSubrange(at...)
            default: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], at: at)
            }
        }
        return bytes
    }

    @Test("a bent change is refused or canonical, and the coder survives", arguments: 0..<12 as Range<UInt64>)
    func changes(seed: UInt64) throws {
        var generator = ChangeGenerator(seed: seed)
        var random = SeededGenerator(seed: seed &+ 1_000_000)
        var author = LogCoder(replica: generator.replica)
        var (refused, accepted) = (0, 0)
        for _ in 0..<10 {
            let before = author
            let bytes = encoded(generator.change(), with: &author)
            for _ in 0..<30 {
                // Bend the body, and keep the length true half of the time, so that more than the length is
                // tried.
                var body = ByteReader(bytes)
                let length = try body.count(limit: bytes.count, field: "length")
                var writer = ByteWriter()
                writer.counted(Self.bent(try body.raw(length), &random))
                let input = Bool.random(using: &random) ? writer.bytes : Self.bent(bytes, &random)
                var coder = before
                var reader = ByteReader(input)
                do throws(DecodeFault) {
                    let change = try coder.decode(from: &reader)
                    var again = before
                    #expect(encoded(change, with: &again) == Array(input.prefix(reader.offset)))
                    accepted += 1
                } catch {
                    refused += 1
                    #expect(try decoded(bytes, with: &coder).first == before.next)
                }
            }
        }
        #expect(refused > 100 && accepted > 10, "refused \(refused), accepted \(accepted)")
    }

    @Test("bent frames are refused or canonical", arguments: 0..<20 as Range<UInt64>)
    func frames(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for frame in FrameSamples.all {
            for _ in 0..<100 { check(frame, Self.bent(frame.encoded(), &random)) }
        }
    }

    /// As a frame of the sample's type.
    private func check<Body: FrameBody>(_ sample: Body, _ bytes: [UInt8]) {
        if let body = try? Body(decoding: bytes) { #expect(body.encoded() == bytes) }
    }

    @Test("bent segments are refused, and bent blocks unpack to no more than they may")
    func segments() throws {
        var random = SeededGenerator(seed: 7)
        let segment = SegmentSamples.segment()
        let bytes = segment.encoded()
        for _ in 0..<400 {
            let input = Self.bent(bytes, &random)
            guard input != bytes, let other = try? Segment(of: SegmentSamples.space, decoding: input) else {
                continue
            }
            #expect(other.encoded() == input)
            #expect(throws: SegmentFault.self) { try other.open(contentKey: SegmentSamples.contentKey) }
        }
        let block = Block.pack([UInt8](repeating: 65, count: 4_000) + (0..<200).map { UInt8($0) })
        #expect(block[0] == 1)
        for _ in 0..<400 {
            if let out = try? Block.unpack(Self.bent(block, &random)) {
                #expect(out.count <= WireLimits.runBytesMax)
            }
        }
    }

    @Test("garbage of any length is refused by every decoder", arguments: 0..<6 as Range<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var coder = LogCoder(replica: ChangeGenerator(seed: 0).replica)
            _ = try? decoded(bytes, with: &coder)
            #expect(coder.next.value >= 1)
            for frame in FrameSamples.all { check(frame, bytes) }
            _ = try? Segment(of: SegmentSamples.space, decoding: bytes)
            _ = try? Block.unpack(bytes)
        }
    }
}

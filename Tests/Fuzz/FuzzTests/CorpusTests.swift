// The kept corpus and seeded mutations of it, in debug, in a few seconds: what the fuzzers once found stays
// found. The fuzzers themselves run by command (Sources/Docs/TESTING.md).

import Causality
import Foundation
import FuzzDecoders
import Testing

@Suite struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("corpus")

    private static func corpus(_ decoder: FuzzDecoder) throws -> [(name: String, bytes: [UInt8])] {
        let place = folder.appendingPathComponent(decoder.rawValue)
        return try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map {
            ($0, Array(try Data(contentsOf: place.appendingPathComponent($0))))
        }
    }

    @Test("every decoder keeps its properties on its corpus", arguments: FuzzDecoder.allCases)
    func kept(decoder: FuzzDecoder) throws {
        let corpus = try Self.corpus(decoder)
        #expect(!corpus.isEmpty)
        for (name, bytes) in corpus {
            let broken = decoder.broken(by: bytes)
            #expect(broken == nil, "\(decoder)/\(name): \(broken ?? "")")
        }
    }

    /// REPL_FUZZ_WRITE=1 writes those that are missing.
    @Test("the seeds that the encoders make are in the corpus", arguments: FuzzDecoder.allCases)
    func seeds(decoder: FuzzDecoder) throws {
        let place = Self.folder.appendingPathComponent(decoder.rawValue)
        let writes = ProcessInfo.processInfo.environment["REPL_FUZZ_WRITE"] == "1"
        if writes { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
        let corpus = Set(try Self.corpus(decoder).map(\.bytes))
        for (number, seed) in FuzzSamples.of(decoder).enumerated() where !corpus.contains(seed) {
            if writes { try Data(seed).write(to: place.appendingPathComponent("seed-\(number)")) }
            #expect(writes, "seed \(number) of \(decoder) is not kept")
        }
    }

    @Test(
        "every decoder keeps its properties on bent and spliced corpus files", arguments: FuzzDecoder.allCases
    )
    func bent(decoder: FuzzDecoder) throws {
        let corpus = try Self.corpus(decoder).map(\.bytes)
        var random = SeededGenerator(seed: 4_711)
        let deadline = ProcessInfo.processInfo.systemUptime + 1
        for round in 0..<400 where ProcessInfo.processInfo.systemUptime < deadline {
            let one = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            let other = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            let bytes = Self.bent(one, other, &random)
            let broken = decoder.broken(by: bytes)
            #expect(broken == nil, "\(decoder), round \(round): \(broken ?? ""): \(bytes)")
        }
    }

    /// One to three mutations; sometimes a piece of another file.
    private static func bent(_ bytes: [UInt8], _ other: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: bytes.insert(.random(in: 0...255, using: &random), at: at)
            case 1: if !bytes.isEmpty { bytes.remove(at: at) }
            case 2:
                if !bytes.isEmpty { bytes[at] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0 }
            case 3: if !bytes.isEmpty { bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            case 4: bytes.removeSubrange(at...)
            default:
                let start = other.isEmpty ? 0 : Int.random(in: 0..<other.count, using: &random)
                bytes.insert(contentsOf: other[start...].prefix(40), at: at)
            }
        }
        return bytes
    }
}

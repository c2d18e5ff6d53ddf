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
            let bytes = decoder.bent(one, other, countMax: 4_096, using: &random)
            let broken = decoder.broken(by: bytes)
            #expect(broken == nil, "\(decoder), round \(round): \(broken ?? ""): \(bytes)")
        }
    }
}

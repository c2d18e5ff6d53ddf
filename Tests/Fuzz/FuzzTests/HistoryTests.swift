// The fuzzer of histories in debug: a bounded count of executions, and that its mutations are worth
// executing. The ten millions run by command (Sources/Docs/TESTING.md).

import Causality
import FuzzDecoders
import Testing

@Suite("Mutated histories")
struct HistoryTests {
    /// Inputs that drift away from the seeds.
    private static func inputs(_ count: Int, seed: UInt64) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        var inputs = FuzzSamples.of(.histories)
        let seeds = inputs.count
        while inputs.count < seeds + count {
            let one = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            let other = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            inputs.append(FuzzDecoder.histories.bent(one, other, countMax: 4_096, using: &random))
        }
        return Array(inputs[seeds...])
    }

    @Test("both roads lead to the same documents", arguments: 0..<4 as Range<UInt64>)
    func roads(seed: UInt64) {
        for (round, input) in Self.inputs(300, seed: seed).enumerated() {
            guard let broken = FuzzDecoder.histories.broken(by: input) else { continue }
            let (small, text) = FuzzDecoder.histories.shrunk(input)
            Issue.record("round \(round) of seed \(seed): \(broken): \(text): \(small)")
            return
        }
    }

    @Test("mutations reach every kind of operation, valid and void, and most keep a history valid")
    func reached() {
        var counts: [HistoryMark: Int] = [:]
        let inputs = Self.inputs(3_000, seed: 9)
        for input in inputs {
            let marks = HistoryMark.all(in: input)
            #expect(!marks.isEmpty, "\(input) is no history")
            for mark in marks { counts[mark, default: 0] += 1 }
        }
        for mark in HistoryMark.allCases { #expect(counts[mark] ?? 0 >= 5, "\(mark): \(counts)") }
        #expect(counts[.valid] ?? 0 > inputs.count / 2, "\(counts)")
        #expect(counts[.severalLogs] ?? 0 > inputs.count / 2, "\(counts)")
    }

    @Test("a mutation is the same for the same seed")
    func seeded() {
        #expect(Self.inputs(50, seed: 3) == Self.inputs(50, seed: 3))
        #expect(Self.inputs(50, seed: 3) != Self.inputs(50, seed: 4))
    }
}

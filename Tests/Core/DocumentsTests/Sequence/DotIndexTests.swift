// The index from dots to leaves against a plain table.

import Causality
import Testing

@testable import Documents

@Suite("Dot index")
struct DotIndexTests {
    @Test("assignments in the middle leave the rest as it was")
    func table() {
        for seed in 0..<6 {
            var random = SeededGenerator(seed: UInt64(seed))
            var index = DotIndex()
            var table: [UInt64: Int] = [:]
            var end: UInt64 = 1
            for round in 0..<1_500 {
                // New sequences at the end, with gaps; then parts of them move to other leaves.
                let isNew = round < 40 || round % 4 == 0
                let first =
                    isNew
                    ? end + UInt64.random(in: 0...2, using: &random) : .random(in: 1..<end, using: &random)
                let range = first..<first + .random(in: 1...9, using: &random)
                let leaf = Int.random(in: 0...40, using: &random)
                index.assign(range, to: leaf)
                for sequence in range { table[sequence] = leaf }
                end = max(end, range.upperBound)
                if round % 100 == 0 { index.checkInvariants() }
            }
            index.checkInvariants()
            #expect(table.allSatisfy { index.leaf(of: $0.key).leaf == $0.value })
            for sequence in 1..<end {
                let step = index.leaf(of: sequence)
                #expect(step.end > sequence)
                // The answer holds up to its end for all that were assigned.
                let same = (sequence..<min(step.end, sequence + 20)).allSatisfy {
                    table[$0] ?? step.leaf == step.leaf
                }
                #expect(same)
            }
            #expect(index.leaf(of: end).leaf == -1)
        }
    }
}

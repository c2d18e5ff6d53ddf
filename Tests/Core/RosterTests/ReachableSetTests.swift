// The set that views are made of, against a set of integers.

import Causality
import Testing

@testable import Roster

@Suite struct ReachableSetTests {
    @Test("inserting, covering and joining are those of sets", arguments: 1...60 as ClosedRange<UInt64>)
    func likeSets(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Few numbers make long runs without a gap, many make words in between.
        let width = [40, 150, 700][Int(seed % 3)]
        func drawn() -> (ReachableSet, Set<Int>) {
            var (mine, plain) = (ReachableSet(), Set<Int>())
            for _ in 0..<Int.random(in: 0...80, using: &generator) {
                let number = Int.random(in: 0..<width, using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    mine.cover(number)
                    plain.formUnion(0..<number)
                case 1:
                    let isNew = mine.insert(mine.first)
                    #expect(isNew)
                    plain.insert((0...).first { !plain.contains($0) } ?? 0)
                default:
                    let isNew = mine.insert(number)
                    #expect(isNew == plain.insert(number).inserted)
                }
                mine.checkInvariants()
            }
            return (mine, plain)
        }
        let (left, plainLeft) = drawn()
        let (right, plainRight) = drawn()
        var both = left
        both.formUnion(right)
        both.checkInvariants()
        var other = right
        other.formUnion(left)
        let plain = plainLeft.union(plainRight)
        #expect(both == other && both.count == plain.count)
        for number in 0..<width + 70 {
            #expect(left.contains(number) == plainLeft.contains(number))
            #expect(both.contains(number) == plain.contains(number))
        }
        #expect(both.first == (0...).first { !plain.contains($0) })
        // Equal sets are equal values, however they came about.
        var again = ReachableSet()
        for number in plain.sorted().reversed() { again.insert(number) }
        #expect(again == both)
    }
}

// Replicating values beside heckj/CRDT, the other Swift library of CRDTs as values: the same edits, the same
// merges, in one process, ours and theirs in turn. `replicating-bench` beside this file builds and runs it
// with a checkout of theirs; nothing of it is part of the project.
//
// Each row is the best of several rounds. A row that only one of both has is not here: their counters keep
// the greater of two values where they merge, so two increments made apart count once.

import CRDT
import Foundation
import Replicating

let rounds = 7

/// The best time of a round, in nanoseconds for each of `count`.
func best<State>(
    _ count: Int, _ prepare: () -> State, _ run: (inout State) throws -> Void
) -> Double {
    var least = Double.infinity
    for _ in 0..<rounds {
        var state = prepare()
        let clock = ContinuousClock()
        let time = clock.measure {
            do { try run(&state) } catch { fatalError("\(error)") }
        }
        let (seconds, rest) = time.components
        least = min(least, (Double(seconds) * 1e9 + Double(rest) / 1e9) / Double(count))
        withExtendedLifetime(state) {}
    }
    return least
}

var losses: [String] = []

func row(_ title: String, ours: Double, theirs: Double, _ unit: String = "ns") {
    func text(_ value: Double) -> String {
        value >= 1_000 ? String(format: "%10.0f", value) : String(format: "%10.1f", value)
    }
    let ratio = ours / theirs
    if ratio > 1 { losses.append(title) }
    let padded = title.padding(toLength: 58, withPad: " ", startingAt: 0)
    print("\(padded)\(text(ours))\(text(theirs)) \(unit)   \(String(format: "%.3f", ratio))")
}

typealias TheirSet = ORSet<String, Int>
typealias TheirMap = ORMap<String, String, Int>
typealias TheirList = CRDT.List<String, Int>

func shuffled(_ count: Int, _ seed: UInt64) -> [Int] {
    var generator = Generator(state: seed)
    return Array(0..<count).shuffled(using: &generator)
}

struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}

print("".padding(toLength: 58, withPad: " ", startingAt: 0) + "      ours    theirs      ratio")
sets(10_000)
maps(10_000)
lists(2_000)
registers(10_000)
coding(10_000)
copies()
print(losses.isEmpty ? "ours is ahead in every row" : "theirs is ahead in: \(losses.joined(separator: "; "))")

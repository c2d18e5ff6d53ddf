// What concurrent typing must look like (Weidner and Kleppmann, "The Art of the Fugue", figures 1 to 4 and
// section on FugueMax): whole words, never letters of two authors mixed, typed forwards or backwards.

import Causality
import Testing

@testable import Documents

/// One author's text, and the steps that the others need.
private struct Typist {
    var text = TextContainer()
    var next: Dot
    var context = VersionVector()
    var steps: [TextStep] = []

    init(_ number: Int, sees base: [TextStep] = []) {
        next = dot(number, 1)
        hear(base)
    }

    mutating func hear(_ others: [TextStep]) {
        for step in others {
            text.apply(step)
            context.advance(step.stamp.dot.replica, to: step.last)
        }
    }

    mutating func type(_ string: String, at index: Int) {
        for (offset, letter) in string.unicodeScalars.enumerated() {
            steps += text.splice(index + offset, 0, String(letter), next: &next, context: context)
        }
    }

    /// Types from the last letter to the first, each before the one typed last.
    mutating func typeBackwards(_ string: String, at index: Int) {
        for letter in string.unicodeScalars.reversed() {
            steps += text.splice(index, 0, String(letter), next: &next, context: context)
        }
    }
}

/// The text after each order of the authors' steps; they must agree.
private func merged(_ base: [TextStep], _ authors: [[TextStep]]) -> String {
    var results: Set<String> = []
    for order in permutations(Array(authors.indices)) {
        var text = TextContainer()
        for step in base { text.apply(step) }
        for author in order { for step in authors[author] { text.apply(step) } }
        text.checkInvariants()
        results.insert(text.string)
    }
    #expect(results.count == 1, "\(results)")
    return results.min() ?? ""
}

func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
}

@Suite("Concurrent typing does not interleave")
struct NonInterleavingTests {
    @Test("words typed forwards at one place stand one after the other")
    func forwards() {
        var (a, b, c) = (Typist(1), Typist(2), Typist(3))
        a.type("milk", at: 0)
        b.type("eggs", at: 0)
        c.type("bread", at: 0)
        #expect(merged([], [a.steps, b.steps, c.steps]) == "milkeggsbread")
    }

    @Test("words typed backwards at one place stand one after the other")
    func backwards() {
        var base = Typist(9)
        base.type("()", at: 0)
        var (a, b, c) = (
            Typist(1, sees: base.steps), Typist(2, sees: base.steps), Typist(3, sees: base.steps)
        )
        a.typeBackwards("milk", at: 1)
        b.typeBackwards("eggs", at: 1)
        c.typeBackwards("bread", at: 1)
        #expect(merged(base.steps, [a.steps, b.steps, c.steps]) == "(milkeggsbread)")
    }

    @Test("a word typed forwards and one typed backwards at one place do not mix")
    func bothWays() {
        var base = Typist(9)
        base.type("()", at: 0)
        var (a, b) = (Typist(1, sees: base.steps), Typist(2, sees: base.steps))
        a.type("milk", at: 1)
        b.typeBackwards("eggs", at: 1)
        #expect(["(milkeggs)", "(eggsmilk)"].contains(merged(base.steps, [a.steps, b.steps])))
    }

    @Test("with several left origins, backward typing stays whole: the case that only FugueMax gets right")
    func fugueMax() {
        // The start is empty. a types A. b and c do not see it; b types B. c sees B and types X before B;
        // another, that saw A and B, goes on after A. Each right child of one left origin stands by its right
        // origin.
        var a = Typist(1)
        a.type("A", at: 0)
        var b = Typist(2)
        b.type("B", at: 0)
        // All see "AB"; one that saw A only, and one that saw both, insert after A.
        var onlyA = Typist(3, sees: a.steps)
        onlyA.type("x", at: 1)
        var both = Typist(4, sees: a.steps + b.steps)
        both.type("y", at: 1)
        var alsoOnlyA = Typist(5, sees: a.steps)
        alsoOnlyA.type("z", at: 1)
        // y was typed directly before B, x and z were typed at the end: the later right origin goes first, so
        // that nothing stands between y and B.
        let base = a.steps + b.steps
        #expect(merged(base, [onlyA.steps, both.steps, alsoOnlyA.steps]) == "AxzyB")
    }

    @Test("all deliveries of a small history of three authors agree, with every step redelivered")
    func exhaustive() {
        for seed in 0..<40 {
            let history = SequenceHistory(
                seed: UInt64(seed), authors: 3, steps: 6, sync: 30, isHostile: seed % 2 == 1)
            var model = NaiveSequence()
            // Hides and shows of one position by different authors do not commute: only hides are kept.
            let steps = history.steps.filter { step in
                if case .show(_, true) = step.action { return false }
                return true
            }
            for step in steps { model.apply(step) }
            var results: Set<[UInt8]> = []
            for order in permutations(Array(steps.indices)) where isCausal(order.map { history.steps[$0] }) {
                var sequence = SequenceOrder()
                for index in order {
                    sequence.apply(steps[index])
                    sequence.apply(steps[index])
                }
                sequence.checkInvariants()
                #expect(sequence.dots == model.order)
                results.insert(sequence.encoded)
            }
            #expect(results.count == 1, "seed \(seed)")
        }
    }

    private func isCausal(_ steps: [SequenceStep]) -> Bool {
        var seen = VersionVector()
        for step in steps {
            guard seen.covers(step.stamp.context), seen[step.stamp.dot.replica] < step.stamp.dot.sequence
            else {
                return false
            }
            seen.advance(step.stamp.dot.replica, to: step.last)
        }
        return true
    }
}

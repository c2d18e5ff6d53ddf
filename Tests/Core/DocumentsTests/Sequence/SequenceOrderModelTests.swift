// The engine against the naive model, on random histories in random causal orders.

import Bytes
import Causality
import Testing

@testable import Documents

/// Compares one delivery with the model's order; returns the bytes.
private func deliver(_ steps: [SequenceStep], _ model: NaiveSequence) -> [UInt8] {
    var order = SequenceOrder()
    for (index, step) in steps.enumerated() {
        order.apply(step)
        if index % 3 == 0 { order.apply(steps[index / 2]) }
    }
    order.checkInvariants()
    #expect(order.dots == model.order)
    #expect(order.visibleDots == model.visible)
    return order.encoded
}

@Suite("Sequence order against a naive tree")
struct SequenceOrderModelTests {
    @Test("honest histories give the model's order in every delivery", arguments: 0..<12)
    func honest(batch: Int) {
        compare(batch: batch, isHostile: false)
    }

    @Test("origins that no honest author names give the same order everywhere", arguments: 0..<12)
    func hostile(batch: Int) {
        compare(batch: batch, isHostile: true)
    }

    @Test("long histories, whose order has branches over branches, give the model's order", arguments: 0..<3)
    func long(seed: Int) {
        let history = SequenceHistory(
            seed: UInt64(seed), authors: 5, steps: 300, sync: 30, isHostile: seed % 2 == 1)
        var model = NaiveSequence()
        var order = SequenceOrder()
        var hidden: Set<Dot> = []
        for (index, step) in history.steps.enumerated() {
            order.apply(step)
            if isInsert(step) { model.apply(step) }
            if case .show(let range, let visible) = step.action, let range = step.stamp.covered(range) {
                for offset in 0..<range.count {
                    let dot = range.start.advanced(by: offset)
                    if visible { hidden.remove(dot) } else if order.contains(dot) { hidden.insert(dot) }
                }
            }
            if index % 50 == 0 { order.checkInvariants() }
        }
        order.checkInvariants()
        #expect(order.tree.leaves.count > 16)
        #expect(order.dots == model.order)
        #expect(order.visibleDots == model.order.filter { !hidden.contains($0) })
    }

    private func compare(batch: Int, isHostile: Bool) {
        for round in 0..<8 {
            let seed = UInt64(batch * 1_000 + round)
            var random = SeededGenerator(seed: seed ^ 0xABCD)
            let history = SequenceHistory(
                seed: seed, authors: 2 + batch % 4, steps: 30, sync: [0, 20, 60, 100][round % 4],
                isHostile: isHostile)
            var model = NaiveSequence()
            for step in history.steps where isInsert(step) { model.apply(step) }
            // The visible flags of concurrent shows and hides depend on the order; hides alone do not.
            let steps = history.steps.filter { !isShow($0) }
            for step in steps where !isInsert(step) { model.apply(step) }
            let first = deliver(steps, model)
            for _ in 0..<2 {
                let other = history.shuffled(using: &random).filter { !isShow($0) }
                #expect(deliver(other, model) == first, "seed \(seed)")
            }
        }
    }

    private func isInsert(_ step: SequenceStep) -> Bool {
        if case .insert = step.action { return true }
        return false
    }

    private func isShow(_ step: SequenceStep) -> Bool {
        if case .show(_, true) = step.action { return true }
        return false
    }
}

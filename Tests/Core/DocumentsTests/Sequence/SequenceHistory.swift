// Random histories of several authors who edit one sequence apart and now and then hear of each other. They
// are made from a seed, and delivered to others in any causal order.

import Bytes
import Causality

@testable import Documents

/// One operation on a sequence, as its author made it.
struct SequenceStep {
    enum Action {
        case insert(count: Int, left: Dot?, right: Dot?)
        case show(DotRange, Bool)
    }

    let stamp: OperationStamp
    let action: Action
    var last: SequenceNumber {
        if case .insert(let count, _, _) = action { return stamp.dot.sequence + (count - 1) }
        return stamp.dot.sequence
    }
}

extension SequenceOrder {
    mutating func apply(_ step: SequenceStep) {
        switch step.action {
        case .insert(let count, let left, let right):
            insert(
                first: step.stamp.dot, count: count, left: step.stamp.covered(left),
                right: step.stamp.covered(right), visible: true)
        case .show(let range, let visible):
            if let range = step.stamp.covered(range) { setVisible(range, visible) { _, _ in } }
        }
    }

    var dots: [Dot] {
        var result: [Dot] = []
        forEach { range, _ in for step in 0..<range.count { result.append(range.start.advanced(by: step)) } }
        return result
    }

    var visibleDots: [Dot] {
        visibleRanges(in: 0..<visibleCount).flatMap { range in
            (0..<range.count).map { range.start.advanced(by: $0) }
        }
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }
}

extension NaiveSequence {
    mutating func apply(_ step: SequenceStep) {
        switch step.action {
        case .insert(let count, let left, let right):
            insert(
                first: step.stamp.dot, count: count, left: step.stamp.covered(left),
                right: step.stamp.covered(right))
        case .show(let range, let visible):
            if let range = step.stamp.covered(range) { setVisible(range, visible) }
        }
    }
}

/// A replica's number in a test; greater numbers are greater replicas.
func replica(_ number: Int) -> ReplicaID { ReplicaID(raw: Bytes16(high: 7, low: UInt64(number))) }
func dot(_ number: Int, _ sequence: Int) -> Dot { Dot(replica(number), SequenceNumber(UInt64(sequence))) }

/// Makes the steps of several authors from a seed.
struct SequenceHistory {
    var steps: [SequenceStep] = []
    private var random: SeededGenerator
    private var views: [SequenceOrder]
    private var known: [VersionVector]
    private let isHostile: Bool

    /// `sync`: how often of a hundred times an author hears of another before a step. A hostile history has
    /// origins that no honest author would name, and deletes what it never saw.
    init(seed: UInt64, authors: Int, steps count: Int, sync: Int, isHostile: Bool = false) {
        random = SeededGenerator(seed: seed)
        views = Array(repeating: SequenceOrder(), count: authors)
        known = Array(repeating: VersionVector(), count: authors)
        self.isHostile = isHostile
        for _ in 0..<count {
            let author = Int.random(in: 0..<authors, using: &random)
            if Int.random(in: 0..<100, using: &random) < sync {
                hear(author, Int.random(in: 0..<authors, using: &random))
            }
            act(author)
        }
    }

    /// Takes over a causally closed part of what another one knows.
    private mutating func hear(_ author: Int, _ other: Int) {
        let limit = Int.random(in: 1...12, using: &random)
        var taken = 0
        for step in steps where taken < limit {
            guard known[other].contains(step.stamp.dot), !known[author].contains(step.stamp.dot),
                known[author].covers(step.stamp.context)
            else { continue }
            views[author].apply(step)
            known[author].advance(step.stamp.dot.replica, to: step.last)
            taken += 1
        }
    }

    private mutating func act(_ author: Int) {
        let own = known[author][replica(author)]
        let stamp = OperationStamp(
            dot: Dot(replica(author), own + 1), timestamp: .zero, context: known[author])
        let step = SequenceStep(stamp: stamp, action: action(author))
        views[author].apply(step)
        known[author].advance(replica(author), to: step.last)
        steps.append(step)
    }

    private mutating func action(_ author: Int) -> SequenceStep.Action {
        let view = views[author]
        if view.visibleCount > 0, Int.random(in: 0..<10, using: &random) < 3 {
            let start = Int.random(in: 0..<view.visibleCount, using: &random)
            let end = min(view.visibleCount, start + Int.random(in: 1...4, using: &random))
            let ranges = view.visibleRanges(in: start..<end)
            let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
            let wider = DotRange(range.replica, range.first, range.last + (isHostile ? 5 : 0))
            return .show(wider, Int.random(in: 0..<8, using: &random) == 0)
        }
        let count = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 2...4, using: &random) : 1
        if isHostile, Bool.random(using: &random) {
            return .insert(count: count, left: anyDot(), right: anyDot())
        }
        // Mostly near one place, so that many meet there.
        let near = min(view.visibleCount, 3)
        let index = Int.random(
            in: 0...(Bool.random(using: &random) ? near : view.visibleCount), using: &random)
        let origins = view.origins(forInsertionAtVisibleIndex: index)
        return .insert(count: count, left: origins.left, right: origins.right)
    }

    private mutating func anyDot() -> Dot? {
        if Int.random(in: 0..<8, using: &random) == 0 { return nil }
        return dot(Int.random(in: 0...views.count, using: &random), Int.random(in: 1...30, using: &random))
    }

    /// The steps in another causal order.
    func shuffled(using random: inout SeededGenerator) -> [SequenceStep] {
        var rest = steps
        var seen = VersionVector()
        var result: [SequenceStep] = []
        while !rest.isEmpty {
            let ready = rest.indices.filter { index in
                let stamp = rest[index].stamp
                return seen.covers(stamp.context) && seen[stamp.dot.replica] + 1 == stamp.dot.sequence
            }
            let index = ready[Int.random(in: 0..<ready.count, using: &random)]
            let step = rest.remove(at: index)
            seen.advance(step.stamp.dot.replica, to: step.last)
            result.append(step)
        }
        return result
    }
}

// Looks for the shortest history that still fails: fewer nodes, faults switched off one by one, less time,
// fewer transactions, over and over until nothing helps any more (delta debugging: Zeller and Hildebrandt
// 2002). Each attempt is a run of its own; one counts when it fails, whatever the invariant.

import Glibc

/// Reduces one failing seed.
struct Shrinker {
    let seed: UInt64
    var plan: PlanOptions
    private var attempts = 0
    private static let attemptsMax = 120

    init(seed: UInt64, plan: PlanOptions) {
        self.seed = seed
        self.plan = plan
    }

    /// The arguments of the smallest run found.
    mutating func shrink(_ failure: ResultLine) -> [String] {
        var best = failure
        var isBetter = true
        plan.nodes = best.nodes > 0 ? "\(best.nodes)" : plan.nodes
        if best.failedAt > 0 { tryMinutes(Double(best.failedAt) / 60_000 + 0.01, &best) }
        while isBetter, attempts < Self.attemptsMax {
            isBetter = false
            if fewerNodes(&best) { isBetter = true }
            if fewerFaults(&best) { isBetter = true }
            if lessTime(&best) { isBetter = true }
            if fewerTransactions(&best) { isBetter = true }
        }
        Terminal.show("")
        return plan.arguments
    }

    private mutating func attempt(_ candidate: PlanOptions, _ best: inout ResultLine) -> Bool {
        guard attempts < Self.attemptsMax else { return false }
        attempts += 1
        Terminal.show("shrinking, attempt \(attempts)")
        var campaign = Campaign(plan: candidate, first: seed, count: 1, jobs: 1, keepsGoing: false)
        let report = campaign.run(isQuiet: true)
        guard let failure = report.failures.first else { return false }
        best = failure
        plan = candidate
        return true
    }

    private mutating func fewerNodes(_ best: inout ResultLine) -> Bool {
        guard let now = Int(plan.nodes), now > 2 else { return false }
        for count in 2..<now {
            var candidate = plan
            candidate.nodes = "\(count)"
            if attempt(candidate, &best) { return true }
        }
        return false
    }

    private mutating func fewerFaults(_ best: inout ResultLine) -> Bool {
        var isBetter = false
        // Halves first, then one by one.
        var size = max(1, best.kinds.count / 2)
        while true {
            var start = 0
            let kinds = best.kinds
            while start < kinds.count {
                let off = kinds[start..<min(start + size, kinds.count)]
                var candidate = plan
                candidate.without = ((plan.without.map { [$0] } ?? []) + off).joined(separator: ",")
                if attempt(candidate, &best) { isBetter = true }
                start += size
            }
            if size == 1 { return isBetter }
            size /= 2
        }
    }

    private mutating func tryMinutes(_ minutes: Double, _ best: inout ResultLine) {
        guard minutes < plan.minutes else { return }
        var candidate = plan
        candidate.minutes = (minutes * 1_000).rounded(.up) / 1_000
        _ = attempt(candidate, &best)
    }

    private mutating func lessTime(_ best: inout ResultLine) -> Bool {
        let before = plan.minutes
        for share in [0.25, 0.5, 0.75] where plan.minutes == before { tryMinutes(before * share, &best) }
        return plan.minutes < before
    }

    private mutating func fewerTransactions(_ best: inout ResultLine) -> Bool {
        let before = plan.operations ?? best.transactions
        guard before > 0 else { return false }
        for candidateCount in [before / 4, before / 2, before * 3 / 4, before - 1]
        where candidateCount < before {
            var candidate = plan
            candidate.operations = candidateCount
            if attempt(candidate, &best) { return true }
        }
        return false
    }
}

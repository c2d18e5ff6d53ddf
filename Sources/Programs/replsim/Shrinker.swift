// Looks for the shortest history that still fails: fewer nodes, faults switched off one by one, less time,
// fewer transactions, over and over until nothing helps any more (delta debugging: Zeller and Hildebrandt
// 2002). Each attempt is a run of its own; one counts when it fails, whatever the invariant.

import Glibc
import Simulator

/// Reduces one failing seed.
struct Shrinker {
    let seed: UInt64
    /// The smallest run that was found to fail.
    private(set) var plan: PlanOptions
    /// Further arguments of each run.
    let extra: [String]
    private var attempts = 0
    private let began = Campaign.now
    private static let attemptsMax = 120
    /// No attempt is begun after this: those of a hang take as long as a seed may.
    private static let secondsMax = 1_800.0

    init(seed: UInt64, plan: PlanOptions, extra: [String]) {
        self.seed = seed
        self.plan = plan
        self.extra = extra
    }

    /// Makes `plan` smaller as long as that is found to help.
    mutating func shrink(_ failure: ResultLine) throws {
        var best = failure
        var isBetter = true
        // A process that trapped did not say what its seed had drawn.
        let drawn = FaultPlan(seed: seed, options: try plan.options())
        best.kinds = drawn.kinds.map(\.rawValue)
        if best.transactions == 0 { best.transactions = try plan.script()?.count ?? drawn.transactionsMax }
        var candidate = plan
        candidate.nodes = "\(drawn.nodeCount)"
        _ = attempt(candidate, &best)
        if best.failedAt > 0 { tryMinutes(Double(best.failedAt) / 60_000 + 0.01, &best) }
        while isBetter, attempts < Self.attemptsMax {
            isBetter = false
            if fewerNodes(&best) { isBetter = true }
            if fewerFaults(&best) { isBetter = true }
            if lessTime(&best) { isBetter = true }
            if fewerTransactions(&best) { isBetter = true }
        }
        Terminal.show("")
    }

    private mutating func attempt(_ candidate: PlanOptions, _ best: inout ResultLine) -> Bool {
        guard attempts < Self.attemptsMax, Campaign.now - began < Self.secondsMax, candidate.isAccepted
        else { return false }
        attempts += 1
        Terminal.show("shrinking, attempt \(attempts)")
        var campaign = Campaign(plan: candidate, first: seed, count: 1, jobs: 1, keepsGoing: false)
        campaign.extra = extra
        guard var failure = campaign.run().failures.first else { return false }
        if failure.kinds.isEmpty { failure.kinds = best.kinds }
        if failure.transactions == 0 {
            failure.transactions = min(best.transactions, candidate.operations ?? .max)
        }
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

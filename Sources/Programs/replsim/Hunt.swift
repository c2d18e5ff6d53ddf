// Looks for each planted bug: seeds are run with it until one fails by an invariant that the bug breaks; and
// the same seed passes without it. Only in the test build that has bugs.

#if PLANTED_BUGS
import ArgumentParser
import Bytes
import Glibc
import Simulator

/// All bugs, one after the other.
struct Hunt {
    let plan: PlanOptions
    let first: UInt64
    let seeds: UInt64
    let jobs: Int
    /// So many seeds may fail by something else before the bug counts as not found.
    private static let othersMax = 20

    func run() throws {
        var found = 0
        for bug in PlantedBugs.all {
            let (isFound, words) = look(for: bug.name.description, by: bug.by.map(\.rawValue))
            print("\(bug.name)\t\(words)")
            fflush(nil)
            if isFound { found += 1 }
        }
        print("\(found) of \(PlantedBugs.all.count) planted bugs found")
        if found < PlantedBugs.all.count { throw ExitCode(1) }
    }

    private func look(for name: String, by invariants: [String]) -> (isFound: Bool, words: String) {
        var (plan, first) = (plan, first)
        PlantedBugs.prepare(&plan, &first, for: name)
        var campaign = Campaign(plan: plan, first: first, count: seeds, jobs: jobs, keepsGoing: true)
        campaign.extra = ["--bug", name]
        campaign.isEnough = { failures in
            failures.contains { invariants.contains($0.invariant) } || failures.count >= Self.othersMax
        }
        let report = campaign.run()
        guard let failure = report.failures.first(where: { invariants.contains($0.invariant) }) else {
            let others = Dictionary(grouping: report.failures, by: \.invariant).sorted { $0.key < $1.key }
            let words = others.map { "\($0.value.count) by \($0.key): \($0.value[0].message.prefix(120))" }
            return (false, "NOT FOUND in \(report.seeds) seeds; \(words.joined(separator: "; "))")
        }
        let command = History.command(of: failure.seed, plan, extra: [])
        let without = Campaign(plan: plan, first: failure.seed, count: 1, jobs: 1, keepsGoing: false).run()
        guard without.seeds == 1, without.failures.isEmpty else {
            return (false, "NOT FOUND: without the bug fails too: \(command)")
        }
        return (true, "\(failure.invariant)\t\(failure.message.prefix(120))\t\(command)")
    }
}
#endif

// Looks for each planted bug: seeds are run with it until one fails. Only in the test build that has bugs.

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

    func run() throws {
        var missed: [String] = []
        for name in PlantedBugs.names.map(\.description) {
            var plan = plan
            PlantedBugs.prepare(&plan, for: name)
            var campaign = Campaign(plan: plan, first: first, count: seeds, jobs: jobs, keepsGoing: false)
            campaign.extra = ["--bug", name]
            let report = campaign.run()
            if let failure = report.failures.first {
                let faults = plan.profile == Profile.standard.rawValue ? "" : " --profile \(plan.profile)"
                print(
                    "\(name)\tseed \(failure.seed)\(faults)\t\(failure.invariant)\t"
                        + "\(failure.message.prefix(120))")
            } else {
                print("\(name)\tNOT FOUND in \(report.seeds) seeds")
                missed.append(name)
            }
            fflush(nil)
        }
        print("\(PlantedBugs.names.count - missed.count) of \(PlantedBugs.names.count) planted bugs found")
        if !missed.isEmpty { throw ExitCode(1) }
    }
}
#endif

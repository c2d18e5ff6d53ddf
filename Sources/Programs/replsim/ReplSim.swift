// The simulator as a program: a whole mesh in one thread under a seed, with faults and checkers. Seeds run in
// processes of their own, so that a trap in one is a failure of that seed and not the end of the run.

import ArgumentParser
import Bytes
import Glibc
import Simulator

@main
struct ReplSim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replsim",
        abstract: "Runs meshes of the real node under simulated faults, and checks what repld promises.",
        discussion: """
            Each seed is one mesh: 3 to 7 nodes join a space while networks, processes, disks, clocks \
            and outsiders fail as the seed has drawn; programs write, read and watch. Then the faults \
            stop, and all nodes must come to the same documents within 15 simulated minutes. After each \
            event it is checked that nothing acknowledged is lost, nothing is executed twice or before \
            what it was made on, no dot has two meanings, streams have no gaps; and documents are \
            compared with a small model of their own.

            The same seed and options give the same run in every process: the trace hash shows it.

              replsim --seed 7                     one mesh, with its report
              replsim --seeds 500 --jobs 2         five hundred, one after the other in two processes
              replsim --seed 7 --trace             everything that happened, as a timeline
              replsim --seed 7 --shrink            if it fails: the shortest history that still does
              replsim --workload script.ndjson     your own transactions under the faults

            A workload is one JSON object a line: {"at": SECONDS, "node": NUMBER, "operations": […]}, \
            with operations, "if" and "idempotencyKey" as in the body of a transaction of the \
            control API. Node 0 makes the space; the others join in the first third of the run; a step \
            waits for its node.

            Profiles: \(Profile.allCases.map(\.rawValue).joined(separator: ", ")).
            Faults: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).

            Exit codes: 0 all seeds passed, 1 one failed, 3 bad input.
            """)

    @OptionGroup var plan: PlanOptions

    @Option(help: "Run this seed only.")
    var seed: UInt64?
    @Option(help: "How many seeds to run.")
    var seeds: UInt64 = 1
    @Option(help: "The first of them.")
    var start: UInt64 = 1
    @Option(help: "Processes at once.")
    var jobs = 1
    @Flag(help: "Print everything that happened, as a timeline.")
    var trace = false
    @Flag(help: "When a seed fails, look for the shortest history that still fails.")
    var shrink = false
    @Flag(help: "Go on after a failed seed.")
    var keepGoing = false
    @Flag(help: "Print the report as JSON.")
    var json = false
    #if PLANTED_BUGS
    @Option(help: "The planted bug that is on.")
    var bug: String?
    @Flag(help: "Look for each planted bug in turn.")
    var hunt = false
    #endif
    @Flag(help: .hidden)
    var worker = false
    @Option(help: .hidden)
    var stride: UInt64 = 1

    func validate() throws {
        guard seeds > 0, stride > 0, (1...256).contains(jobs) else {
            throw ValidationError("--seeds is at least 1, --jobs 1 to 256")
        }
        _ = try plan.options()
        _ = try plan.script()
    }

    func run() throws {
        var extra: [String] = []
        #if PLANTED_BUGS
        if hunt { return try Hunt(plan: plan, first: start, seeds: seeds, jobs: jobs).run() }
        if let bug {
            guard PlantedBugs.choose(bug) else { throw ValidationError("no planted bug is called \(bug)") }
            extra = ["--bug", bug]
        }
        #endif
        if worker { return try runWorker() }
        let first = seed ?? start
        let count = seed == nil ? seeds : 1
        var campaign = Campaign(plan: plan, first: first, count: count, jobs: jobs, keepsGoing: keepGoing)
        campaign.extra = extra
        let report = campaign.run(showsTrace: trace && !json)
        report.write(asJSON: json)
        guard let failure = report.failures.first else { return }
        var command = plan.arguments
        if shrink {
            var shrinker = Shrinker(seed: failure.seed, plan: plan)
            command = shrinker.shrink(failure)
        }
        if !json { Campaign.showHistory(of: failure.seed, command) }
        throw ExitCode(1)
    }

    /// Runs every `stride`-th seed here, and tells the parent line by line.
    private func runWorker() throws {
        var next = start
        while next < start + seeds {
            print("begin\t\(next)")
            fflush(nil)
            var trial = Trial(FaultPlan(seed: next, options: try plan.options()))
            trial.keepsAll = trace
            trial.script = try plan.script()
            let result = trial.run()
            if trace { for line in result.timeline { print("line\t\(line)") } }
            print(ResultLine(result).text)
            fflush(nil)
            next += stride
        }
        print("end")
    }
}

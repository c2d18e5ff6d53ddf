// The simulator as a program: a whole mesh in one thread under a seed, with faults and checkers. Seeds run in
// processes of their own, so that a trap in one is a failure of that seed and not the end of the run.

import ArgumentParser
import Bytes
import Glibc
import Release
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
            control API. Node 0 makes the space; the others join in the first third of the run. All \
            write, and none is hostile unless --with names what a hostile member does; then the last \
            is. A step waits for its node, and the later steps of that node behind it; what a node \
            could not take before the faults stop it is asked when they are over. The report counts \
            steps that were acknowledged, refused (the timeline says why), and unanswered because the \
            node crashed meanwhile; those with an idempotencyKey are asked again instead. A step that \
            was never made is a failure.

            A seed whose process traps, or takes longer than --limit-seconds, has failed.

            Profiles: \(Profile.allCases.map(\.rawValue).joined(separator: ", ")).
            Faults: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).

              replsim scenario FILE...             plays scenarios: see replsim help scenario

            Exit codes: 0 all seeds passed, 1 one failed, 2 some could not be run, 3 bad input.
            """,
        version: "replsim \(Release.version)",
        subcommands: [ScenarioCommand.self])

    @OptionGroup var plan: PlanOptions

    @Option(help: "Run this seed only.")
    var seed: UInt64?
    @Option(help: "How many seeds to run. (default: 1)")
    var seeds: UInt64?
    @Option(help: "The first of them. (default: 1)")
    var start: UInt64?
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

    /// Help is an answer; everything else that the parser throws is bad input, as replctl says it too.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if error is ExitCode || exitCode(for: error).rawValue == 0 { exit(withError: error) }
            let words = Array((fullMessage(for: error) + "\n").utf8)
            _ = write(2, words, words.count)
            Glibc.exit(3)
        }
    }

    private var first: UInt64 { seed ?? start ?? 1 }
    private var count: UInt64 { seed == nil ? seeds ?? 1 : 1 }

    func validate() throws {
        guard seed == nil || (seeds == nil && start == nil) else {
            throw ValidationError("--seed runs one; --start and --seeds run many")
        }
        guard count > 0, stride > 0, (1...256).contains(jobs) else {
            throw ValidationError("--seeds is at least 1, --jobs 1 to 256")
        }
        guard !first.addingReportingOverflow(count).overflow else {
            throw ValidationError("the last seed is at most \(UInt64.max - 1)")
        }
        _ = try plan.options()
        _ = try plan.script()
        #if PLANTED_BUGS
        if let bug, !PlantedBugs.all.contains(where: { $0.name.description == bug }) {
            throw ValidationError("no planted bug is called \(bug)")
        }
        #endif
    }

    func run() throws {
        var extra: [String] = []
        #if PLANTED_BUGS
        if hunt { return try Hunt(plan: plan, first: first, seeds: count, jobs: jobs).run() }
        if let bug, PlantedBugs.choose(bug) { extra = ["--bug", bug] }
        #endif
        if worker { return try runWorker() }
        var campaign = Campaign(plan: plan, first: first, count: count, jobs: jobs, keepsGoing: keepGoing)
        campaign.extra = extra
        campaign.showsProgress = count > 1
        if trace && !json { campaign.onLine = { print($0) } }
        let report = campaign.run()
        if !json { report.writeText() }
        let history = try report.failures.first.map { try self.history(of: $0, extra) }
        if json {
            report.writeJSON(
                replay: { History.command(of: $0, plan, extra: extra) }, isShrunk: shrink, history)
        } else {
            history?.write()
        }
        let notRun = report.notRun(keepsGoing: keepGoing)
        if notRun > 0 {
            let words = Array(
                "replsim: \(notRun) of \(count) seeds were not run: no process could be started\n".utf8)
            _ = write(2, words, words.count)
        }
        if history != nil { throw ExitCode(1) }
        if notRun > 0 { throw ExitCode(2) }
    }

    /// The shortest history that still fails, if it is to be looked for.
    private func history(of failure: ResultLine, _ extra: [String]) throws -> History {
        var smallest = plan
        if shrink {
            var shrinker = Shrinker(seed: failure.seed, plan: plan, extra: extra)
            try shrinker.shrink(failure)
            smallest = shrinker.plan
        }
        return History(of: failure.seed, smallest, extra: extra)
    }

    /// Runs every `stride`-th seed here, and tells the parent line by line.
    private func runWorker() throws {
        let end = first + count
        let options = try plan.options()
        let script = try plan.script()
        var next = first
        while true {
            print("begin\t\(next)")
            fflush(nil)
            var trial = Trial(FaultPlan(seed: next, options: options))
            if trace {
                // Each at once: what is not written before a trap is lost.
                trial.onLine = { line in
                    print("line\t\(String(line.map { $0 == "\n" ? " " : $0 }))")
                    fflush(nil)
                }
            }
            trial.script = script.map { Script($0) }
            print(ResultLine(trial.run()).text)
            fflush(nil)
            guard end - next > stride else { break }
            next += stride
        }
        print("end")
    }
}

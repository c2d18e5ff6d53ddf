// What may be asked of a plan on the command line, and how the same is asked of a child process.

import ArgumentParser
import Simulator

/// The options that decide what happens in a run.
struct PlanOptions: ParsableArguments {
    @Option(help: "Nodes of a mesh: a number or a range such as 3-7.")
    var nodes = "3-7"
    @Option(help: "Simulated minutes of faults, fractions too.")
    var minutes = 10.0
    @Option(help: "Which faults a seed may draw from.")
    var profile = Profile.standard.rawValue
    @Option(help: "Faults to switch off, separated by commas.")
    var without: String?
    @Option(help: "Faults to switch on in every seed, separated by commas.")
    var with: String?
    @Option(help: "Make only so many transactions.")
    var operations: Int?
    @Option(help: "A script of transactions instead of drawn ones.")
    var workload: String?
    @Option(
        help: """
            Seconds of a processor after which a seed is ended and has failed, or ten times as many by the \
            clock. Without: 600, or 60 for each simulated minute if that is more.
            """)
    var limitSeconds: Double?

    /// How long a seed may take.
    var secondsOfASeedMax: Double { limitSeconds ?? max(600, 60 * minutes) }

    /// As a child process is told.
    var arguments: [String] {
        var list = ["--nodes", nodes, "--minutes", "\(minutes)", "--profile", profile]
        if let without, !without.isEmpty { list += ["--without", without] }
        if let with, !with.isEmpty { list += ["--with", with] }
        if let operations { list += ["--operations", "\(operations)"] }
        if let workload { list += ["--workload", workload] }
        if let limitSeconds { list += ["--limit-seconds", "\(limitSeconds)"] }
        return list
    }

    func options() throws -> FaultPlan.Options {
        var options = FaultPlan.Options()
        let ends = nodes.split(separator: "-").map { Int($0) }
        guard let low = ends.first ?? nil, let high = ends.last ?? nil, ends.count <= 2, low >= 2,
            low <= high,
            high <= 64
        else { throw ValidationError("--nodes takes 2 to 64, or a range such as 3-7") }
        options.nodes = low...high
        guard minutes > 0, minutes <= 100_000 else { throw ValidationError("--minutes is more than 0") }
        options.milliseconds = UInt64(minutes * 60_000)
        guard let profile = Profile(rawValue: profile) else {
            throw ValidationError("no profile \(profile): \(Profile.allCases.map(\.rawValue))")
        }
        options.profile = profile
        options.without = try kinds(without)
        options.with = try kinds(with)
        options.transactionsMax = operations
        options.isScripted = workload != nil
        guard operations ?? 0 >= 0 else { throw ValidationError("--operations is 0 or more") }
        guard limitSeconds ?? 1 > 0 else { throw ValidationError("--limit-seconds is more than 0") }
        return options
    }

    private func kinds(_ list: String?) throws -> Set<FaultKind> {
        var result: Set<FaultKind> = []
        for name in (list ?? "").split(separator: ",") {
            guard let kind = FaultKind(rawValue: String(name)) else {
                throw ValidationError("no fault is called \(name); replsim --help lists them")
            }
            result.insert(kind)
        }
        return result
    }

    /// False for options that contradict one another.
    var isAccepted: Bool {
        do {
            _ = try options()
            _ = try script()
            return true
        } catch {
            return false
        }
    }

    /// The script, in order of time; nothing in it that could not be run.
    func script() throws -> [ScriptStep]? {
        guard let workload else { return nil }
        let options = try options()
        // A seed may draw the fewest nodes, and the last of them may turn against the others.
        let hostile = options.with.subtracting(options.without).contains(where: \.isByMember)
        let nodes = options.nodes.lowerBound - (hostile && options.nodes.lowerBound > 2 ? 1 : 0)
        var steps: [ScriptStep] = []
        for step in try WorkloadLine.steps(of: workload) {
            let place = "\(workload), line \(step.line)"
            guard step.node < nodes else {
                throw ValidationError(
                    "\(place): there may be no node \(step.node) that writes: --nodes \(self.nodes)"
                        + (hostile ? ", and the last turns against the others" : ""))
            }
            guard step.time < options.milliseconds else {
                throw ValidationError("\(place): \"at\" is not before the end, --minutes \(minutes)")
            }
            steps.append(step)
        }
        steps.sort { ($0.time, $0.line) < ($1.time, $1.line) }
        return Array(steps.prefix(operations ?? .max))
    }
}

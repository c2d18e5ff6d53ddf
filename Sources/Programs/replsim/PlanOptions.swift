// What may be asked of a plan on the command line, and how the same is asked of a child process.

import ArgumentParser
import Bytes
import ControlAPI
import Documents
import Glibc
import Node
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

    /// As a child process is told.
    var arguments: [String] {
        var list = ["--nodes", nodes, "--minutes", "\(minutes)", "--profile", profile]
        if let without, !without.isEmpty { list += ["--without", without] }
        if let with, !with.isEmpty { list += ["--with", with] }
        if let operations { list += ["--operations", "\(operations)"] }
        if let workload { list += ["--workload", workload] }
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

    /// The script, in order of time.
    func script() throws -> [ScriptStep]? {
        guard let workload else { return nil }
        guard let file = fopen(workload, "r") else { throw ValidationError("\(workload) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        var steps: [ScriptStep] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                steps.append(try WorkloadLine.read(Array(line)))
            } catch {
                throw ValidationError("\(workload), line \(number + 1): \(error)")
            }
        }
        return steps.sorted { $0.time < $1.time }
    }
}

// How a child process tells what came of a seed: one line of fields between tabs.

import Simulator

/// The counts of one seed, and its failure if there was one.
struct ResultLine {
    var seed: UInt64 = 0
    var hash = ""
    var nodes = 0
    var simulatedMilliseconds: UInt64 = 0
    var settledMilliseconds: UInt64 = 0
    var events = 0
    var transactions = 0
    var changes = 0
    var comparisons = 0
    var faults: [String: Int] = [:]
    var marks: Set<String> = []
    /// Kinds that were switched on, whether they struck or not.
    var kinds: [String] = []
    /// What came of the steps of a workload.
    var script = ScriptCounts()
    /// Empty: it passed.
    var invariant = ""
    /// Milliseconds of simulated time; 0: not known.
    var failedAt: UInt64 = 0
    var message = ""

    var hasFailed: Bool { !invariant.isEmpty }

    init(_ result: TrialResult) {
        seed = result.plan.seed
        let digits = String(result.traceHash, radix: 16)
        hash = String(repeating: "0", count: 16 - digits.count) + digits
        nodes = result.plan.nodeCount
        simulatedMilliseconds = result.simulatedMilliseconds
        settledMilliseconds = result.settledMilliseconds
        events = result.events
        transactions = result.transactions
        changes = result.changes
        comparisons = result.comparisons
        for (kind, count) in result.faults { faults[kind.rawValue] = count }
        marks = result.marks
        kinds = result.plan.kinds.map(\.rawValue)
        script = result.script
        guard let failure = result.failure else { return }
        invariant = failure.violation.invariant.rawValue
        failedAt = failure.time
        message = failure.violation.message
    }

    /// A seed whose process ended before it said what came of it.
    init(endOf seed: UInt64, _ invariant: String, _ message: String) {
        self.seed = seed
        self.invariant = invariant
        self.message = message
    }

    var text: String {
        let numbers = [
            "\(seed)", hash, "\(nodes)", "\(simulatedMilliseconds)", "\(settledMilliseconds)", "\(events)",
            "\(transactions)", "\(changes)", "\(comparisons)", "\(script.steps)", "\(script.acknowledged)",
            "\(script.refused)", "\(script.unanswered)",
        ]
        let faults = faults.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        let rest = [
            faults, marks.sorted().joined(separator: ","), kinds.joined(separator: ","), invariant,
            "\(failedAt)", message,
        ]
        return (["result"] + numbers + rest).map { field in
            String(field.map { $0 == "\t" || $0 == "\n" ? " " : $0 })
        }.joined(separator: "\t")
    }

    /// Reads `text` back.
    init?(_ line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 20, fields[0] == "result", let seed = UInt64(fields[1]) else { return nil }
        self.seed = seed
        hash = fields[2]
        nodes = Int(fields[3]) ?? 0
        simulatedMilliseconds = UInt64(fields[4]) ?? 0
        settledMilliseconds = UInt64(fields[5]) ?? 0
        events = Int(fields[6]) ?? 0
        transactions = Int(fields[7]) ?? 0
        changes = Int(fields[8]) ?? 0
        comparisons = Int(fields[9]) ?? 0
        script.steps = Int(fields[10]) ?? 0
        script.acknowledged = Int(fields[11]) ?? 0
        script.refused = Int(fields[12]) ?? 0
        script.unanswered = Int(fields[13]) ?? 0
        for pair in fields[14].split(separator: ",") {
            let parts = pair.split(separator: "=")
            if parts.count == 2 { faults[String(parts[0])] = Int(parts[1]) }
        }
        marks = Set(fields[15].split(separator: ",").map(String.init))
        kinds = fields[16].split(separator: ",").map(String.init)
        invariant = fields[17]
        failedAt = UInt64(fields[18]) ?? 0
        message = fields[19]
    }
}

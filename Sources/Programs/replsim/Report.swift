// What came of a campaign, for people and for programs.

import Simulator

/// Sums over seeds.
struct Report {
    /// How many seeds were to be run.
    let asked: UInt64
    private(set) var seeds = 0
    private(set) var failures: [ResultLine] = []
    private var simulatedMilliseconds: UInt64 = 0
    private var settledMax: UInt64 = 0
    private var events = 0
    private var transactions = 0
    private var changes = 0
    private var comparisons = 0
    private var script = ScriptCounts()
    private var faults: [String: Int] = [:]
    private var marks: [String: Int] = [:]
    /// Of the hashes of all seeds, in order of seed.
    private var hashes: [UInt64: String] = [:]
    var seconds = 0.0

    init(asked: UInt64) { self.asked = asked }

    /// Seeds that were not run because no process could be started for them; seeds behind a failure count
    /// when `keepsGoing`.
    func notRun(keepsGoing: Bool) -> UInt64 {
        failures.isEmpty || keepsGoing ? asked - min(asked, UInt64(seeds)) : 0
    }

    mutating func add(_ result: ResultLine) {
        seeds += 1
        if result.hasFailed { failures.append(result) }
        simulatedMilliseconds += result.simulatedMilliseconds
        settledMax = max(settledMax, result.settledMilliseconds)
        events += result.events
        transactions += result.transactions
        changes += result.changes
        comparisons += result.comparisons
        script.add(result.script)
        faults.merge(result.faults, uniquingKeysWith: +)
        for mark in result.marks { marks[mark, default: 0] += 1 }
        hashes[result.seed] = result.hash
    }

    /// One hash for one seed, of all hashes for more.
    private var hash: String {
        if hashes.count == 1, let only = hashes.first { return only.value }
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for (_, hash) in hashes.sorted(by: { $0.key < $1.key }) {
            for byte in hash.utf8 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    func writeText() {
        let hours = Double(simulatedMilliseconds) / 3_600_000
        print("seeds            \(seeds), \(failures.count) failed, in \(Self.short(seconds)) s")
        print("simulated        \(Self.short(hours)) h; slowest to settle: \(settledMax / 1_000) s")
        print("events           \(events); \(transactions) transactions, \(changes) changes")
        if script.steps > 0 { print("script           \(script)") }
        print("comparisons      \(comparisons) documents with the model")
        let faultList = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("faults           \(faultList.isEmpty ? "none" : faultList.joined(separator: ", "))")
        let markList = marks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("marks            \(markList.isEmpty ? "none" : markList.joined(separator: ", "))")
        print("trace hash       \(hash)")
        for failure in failures {
            let moment = failure.failedAt > 0 ? " after \(failure.failedAt / 1_000) s" : ""
            print("FAILED seed \(failure.seed)\(moment): \(failure.invariant)")
            print("       \(failure.message.prefix(600))")
        }
    }

    /// `replay` gives the command for a seed, `history` the first failure as it was shrunk, if it was.
    func writeJSON(replay: (UInt64) -> String, isShrunk: Bool, _ history: History?) {
        var members: [String] = [
            "\"asked\":\(asked)", "\"seeds\":\(seeds)", "\"failed\":\(failures.count)",
            "\"seconds\":\(Self.short(seconds))",
            "\"simulatedMilliseconds\":\(simulatedMilliseconds)",
            "\"slowestSettleMilliseconds\":\(settledMax)",
            "\"events\":\(events)", "\"transactions\":\(transactions)", "\"changes\":\(changes)",
            "\"comparisons\":\(comparisons)", "\"traceHash\":\"\(hash)\"",
        ]
        if script.steps > 0 {
            members.append(
                "\"workload\":{\"steps\":\(script.steps),\"acknowledged\":\(script.acknowledged),"
                    + "\"refused\":\(script.refused),\"unanswered\":\(script.unanswered)}")
        }
        members.append("\"faults\":\(Self.object(faults))")
        members.append("\"marks\":\(Self.object(marks))")
        let list = failures.enumerated().map { place, failure in
            var rest = ",\"replay\":\(Self.string(replay(failure.seed)))"
            if place == 0, let history {
                if isShrunk { rest += ",\"shrunk\":\(Self.string(history.command))" }
                rest += ",\"timeline\":[\(history.lines.map(Self.string).joined(separator: ","))]"
            }
            return "{\"seed\":\(failure.seed),\"atMilliseconds\":\(failure.failedAt),"
                + "\"invariant\":\(Self.string(failure.invariant)),"
                + "\"message\":\(Self.string(failure.message))\(rest)}"
        }
        members.append("\"failures\":[\(list.joined(separator: ","))]")
        print("{\(members.joined(separator: ","))}")
    }

    private static func object(_ counts: [String: Int]) -> String {
        let members = counts.sorted { $0.key < $1.key }.map { "\(string($0.key)):\($0.value)" }
        return "{\(members.joined(separator: ","))}"
    }

    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            default:
                // Control characters tell a person nothing here.
                result.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar)
            }
        }
        return result + "\""
    }

    static func short(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

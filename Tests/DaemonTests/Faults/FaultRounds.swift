// How often the fault tests do what they do: a sample in every run, all of it by command
// (REPL_FAULTS=all, Sources/Docs/TESTING.md). And what they look at from outside: /proc, the tools.

import Foundation
import Testing

enum FaultRounds {
    /// REPL_FAULTS=all: the figures of THREATS.md; else what a run of CI has time for.
    static let isWhole = ProcessInfo.processInfo.environment["REPL_FAULTS"] == "all"

    static func count(sample: Int, whole: Int) -> Int { isWhole ? whole : sample }

    /// Each round by its number. One that fails is recorded as the test's, and the next ones run all the
    /// same, so that a figure by command says how many of all failed; after the fifth it is enough.
    static func each(sample: Int, whole: Int, _ round: (Int) throws -> Void) throws {
        var failures = 0
        for number in 0..<count(sample: sample, whole: whole) {
            do {
                try round(number)
            } catch {
                failures += 1
                Issue.record(error, "round \(number)")
                try #require(failures < 5, "5 of \(number + 1) rounds failed")
            }
        }
    }

    /// Seconds by which a write may take longer than twice its time without faults: in every run other tests
    /// and builds stand beside it.
    static let slack = isWhole ? 0.002 : 0.02

    /// Seconds that writes take, some at once and then a pause: the same way with faults and without, because
    /// on a busy machine a burst is faster than single writes.
    static func latencies(_ api: ControlClient, bursts: Int) throws -> Sample {
        var sample = Sample()
        for _ in 0..<bursts {
            for _ in 0..<5 {
                let start = secondsNow()
                try api.write("s", #"{"op":"set","document":"speed","path":["x"],"value":1}"#)
                sample.add(secondsNow() - start)
            }
            usleep(50_000)
        }
        return sample
    }

    /// Bursts that are measured alone, before the faults and once more after them.
    static let quietBursts = isWhole ? 60 : 10

    /// One line of figures on stderr, for TESTING.md.
    static func report(_ line: String) { say("figures: \(line)") }

    /// A line on stderr.
    static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    /// The path of a program; nil where it is not installed.
    static func program(_ name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skipped, by name, where a tool is not installed.
    static func needs(_ program: String) -> Self {
        .enabled(if: FaultRounds.program(program) != nil, "\(program) is not installed")
    }
}

/// Seconds or counts, to be looked at together.
struct Sample {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    /// The value that `share` of all are not above.
    func percentile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1)]
    }

    var summary: String {
        let shares: [(String, Double)] = [("p50", 0.5), ("p99", 0.99), ("max", 1)]
        return shares.map { "\($0.0) \(String(format: "%.3f", percentile($0.1)))" }.joined(separator: ", ")
    }
}

/// A process from outside.
extension Daemon {
    private func file(_ name: String) throws -> String {
        let pid = try #require(process).pid
        return try String(contentsOfFile: "/proc/\(pid)/\(name)", encoding: .utf8)
    }

    /// Resident bytes.
    func residentBytes() throws -> Int {
        let pages = try file("statm").split(separator: " ")
        return (Int(pages[1]) ?? 0) * Int(getpagesize())
    }

    /// Open descriptors.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(try #require(process).pid)/fd").count
    }

    /// Seconds of processor time since its start.
    func processorSeconds() throws -> Double {
        // After the name in parentheses: state is field 3, utime 14, stime 15.
        let fields = try file("stat").split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// The daemon's own words about itself.
extension ControlClient {
    /// Looks until the status names this alarm.
    @discardableResult
    func waitForAlarm(_ code: String, within seconds: Double) throws -> Double {
        var last: [String] = []
        return try eventually("the alarm \(code)", within: seconds, last: { "\(last)" }) {
            last = try alarms()
            return last.contains(code)
        }
    }

    /// A counter or gauge of the node's own metrics, without `repl_`.
    func metric(_ name: String) throws -> Int {
        let answer = try get("/v1/metrics")
        let line = answer.text.split(separator: "\n").first { $0.hasPrefix("repl_\(name) ") }
        return try #require(line.flatMap { Int($0.split(separator: " ")[1]) }, "no metric \(name)")
    }

    /// Increments under one key until it is acknowledged; a 503 or a broken connection is tried again.
    func incrementSurely(_ space: String, _ operations: [String], key: String, within seconds: Double = 30)
        throws
    {
        try eventually("\(key) to be acknowledged", within: seconds) {
            guard let answer = try? transact(space, operations, key: key) else { return false }
            if answer.status == 503 || answer.status == 507 { return false }
            try #require(answer.status == 200, "\(answer)")
            return true
        }
    }
}

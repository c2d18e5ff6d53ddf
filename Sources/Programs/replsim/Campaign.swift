// Many seeds in several processes, and what came of all of them.

import Glibc
import Simulator

/// Runs seeds `first` and on.
struct Campaign {
    let plan: PlanOptions
    let first: UInt64
    let count: UInt64
    let jobs: Int
    let keepsGoing: Bool
    /// Further arguments of the children.
    var extra: [String] = []

    private struct Worker {
        var child: ChildProcess
        var begun: UInt64?
        /// The next seed that it would begin.
        var next: UInt64
        var isDone = false
    }

    init(plan: PlanOptions, first: UInt64, count: UInt64, jobs: Int, keepsGoing: Bool) {
        self.plan = plan
        self.first = first
        self.count = count
        self.jobs = min(jobs, Int(min(count, 256)))
        self.keepsGoing = keepsGoing
    }

    private var end: UInt64 { first + count }

    mutating func run(showsTrace: Bool = false, isQuiet: Bool = false) -> Report {
        var report = Report()
        var workers: [Worker] = []
        for number in 0..<UInt64(jobs) {
            if let worker = start(first + number, showsTrace) { workers.append(worker) }
        }
        let showsProgress = count > 1 && !isQuiet
        let began = Self.now
        while !workers.isEmpty {
            var polls = workers.map { pollfd(fd: $0.child.output, events: Int16(POLLIN), revents: 0) }
            poll(&polls, nfds_t(polls.count), -1)
            for index in workers.indices.reversed() where polls[index].revents != 0 {
                if take(&workers[index], &report, showsTrace) { workers.remove(at: index) }
            }
            if showsProgress { progress(report, began) }
            if !report.failures.isEmpty && !keepsGoing {
                for worker in workers { _ = worker.child.finish(killing: true) }
                break
            }
        }
        if showsProgress { Terminal.show("") }
        report.seconds = Self.now - began
        return report
    }

    private func start(_ seed: UInt64, _ showsTrace: Bool) -> Worker? {
        var arguments = plan.arguments + extra
        arguments += ["--worker", "--start", "\(seed)", "--seeds", "\(end - seed)", "--stride", "\(jobs)"]
        if showsTrace { arguments.append("--trace") }
        return ChildProcess(arguments).map { Worker(child: $0, next: seed) }
    }

    /// Takes what a worker said; true when it is at its end.
    private func take(_ worker: inout Worker, _ report: inout Report, _ showsTrace: Bool) -> Bool {
        guard let lines = worker.child.lines() else {
            let words = worker.child.finish()
            if worker.isDone { return true }
            let seed = worker.begun ?? worker.next
            report.add(ResultLine(trapOf: seed, words))
            // The others go on where it stopped.
            guard seed + UInt64(jobs) < end, keepsGoing, let again = start(seed + UInt64(jobs), showsTrace)
            else {
                return true
            }
            worker = again
            return false
        }
        for line in lines {
            if line == "end" {
                worker.isDone = true
            } else if line.hasPrefix("begin\t") {
                worker.begun = UInt64(line.dropFirst(6))
            } else if line.hasPrefix("line\t") {
                if showsTrace { print(line.dropFirst(5)) }
            } else if let result = ResultLine(line) {
                report.add(result)
                worker.begun = nil
                worker.next = result.seed + UInt64(jobs)
            }
        }
        return false
    }

    private func progress(_ report: Report, _ began: Double) {
        let done = report.seeds
        let left = done > 0 ? Int((Self.now - began) / Double(done) * Double(Int(count) - done)) : 0
        Terminal.show("\(done) of \(count) seeds, \(report.failures.count) failed, about \(left) s left")
    }

    /// Seconds of a clock that does not jump.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Prints the end of a failed run's timeline, and how to see it again.
    static func showHistory(of seed: UInt64, _ arguments: [String]) {
        print("\nreplsim --seed \(seed) \(quoted(arguments))")
        guard
            var child = ChildProcess(
                arguments + ["--worker", "--start", "\(seed)", "--seeds", "1", "--trace"])
        else { return }
        var timeline: [String] = []
        while let lines = child.lines() {
            timeline += lines.filter { $0.hasPrefix("line\t") }.map { String($0.dropFirst(5)) }
        }
        _ = child.finish()
        for line in timeline.suffix(60) { print("  \(line.prefix(400))") }
    }

    private static func quoted(_ arguments: [String]) -> String {
        arguments.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    }
}

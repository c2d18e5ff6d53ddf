// Many seeds in several processes, and what came of all of them. A seed has failed too when its process ends
// before it said what came of it (a trap), and when it takes longer than the limit (a hang).

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
    /// Gets the timelines, line by line as things happen; nil: they are not asked for.
    var onLine: ((String) -> Void)?
    /// True of the failures after which no further seed is run, although it keeps going.
    var isEnough: (([ResultLine]) -> Bool)?
    /// Says on standard error how far it is.
    var showsProgress = false

    private struct Worker {
        var child: ChildProcess
        var begun: UInt64?
        /// The next seed that it would begin.
        var next: UInt64
        /// When that seed, or the last one, was begun: by the clock, and in seconds of its processor.
        var since: (time: Double, work: Double)
        var isDone = false

        init(_ child: ChildProcess, next: UInt64) {
            self.child = child
            self.next = next
            since = (Campaign.now, 0)
        }

        /// How much of a limit is left of it. Time of the processor counts, so that a busy machine fails no
        /// seed; and a tenth of the time that goes by, should it wait for something.
        func secondsLeft(of limit: Double) -> Double {
            let work = (child.processorSeconds ?? 0) - since.work
            return limit - max(work, (Campaign.now - since.time) / 10)
        }
    }

    /// `first + count` is a number that there is.
    init(plan: PlanOptions, first: UInt64, count: UInt64, jobs: Int, keepsGoing: Bool) {
        self.plan = plan
        self.first = first
        self.count = count
        self.jobs = min(jobs, Int(min(count, 256)))
        self.keepsGoing = keepsGoing
    }

    private var end: UInt64 { first + count }
    /// The next seed of the same worker; nil: that was its last.
    private func seed(after seed: UInt64) -> UInt64? {
        end - seed > UInt64(jobs) ? seed + UInt64(jobs) : nil
    }

    /// All seeds, or those up to the first failure; fewer when no process could be started for them.
    func run() -> Report {
        var report = Report(asked: count)
        var workers = (0..<UInt64(jobs)).compactMap { start(first + $0) }
        let began = Self.now
        while !workers.isEmpty {
            wait(for: &workers, &report)
            if showsProgress { progress(report, began) }
            if keepsGoing ? isEnough?(report.failures) == true : !report.failures.isEmpty {
                for worker in workers { _ = worker.child.finish(killing: true) }
                break
            }
        }
        if showsProgress { Terminal.show("") }
        report.seconds = Self.now - began
        return report
    }

    private func start(_ seed: UInt64) -> Worker? {
        var arguments = plan.arguments + extra
        arguments += ["--worker", "--start", "\(seed)", "--seeds", "\(end - seed)", "--stride", "\(jobs)"]
        if onLine != nil { arguments.append("--trace") }
        return ChildProcess(arguments).map { Worker($0, next: seed) }
    }

    /// Takes what the workers say until one of them says something, ends or is late.
    private func wait(for workers: inout [Worker], _ report: inout Report) {
        var polls = workers.map { pollfd(fd: $0.child.output, events: Int16(POLLIN), revents: 0) }
        let left = max(0, workers.map { $0.secondsLeft(of: plan.secondsOfASeedMax) }.min() ?? 0)
        poll(&polls, nfds_t(polls.count), Int32(min(left * 1_000 + 1, 60_000)))
        for index in workers.indices.reversed() {
            var isRunning = true
            if polls[index].revents != 0 { isRunning = take(&workers[index], &report) }
            if isRunning, workers[index].secondsLeft(of: plan.secondsOfASeedMax) < 0 {
                isRunning = endLate(&workers[index], &report)
            }
            if !isRunning { workers.remove(at: index) }
        }
    }

    /// Takes what a worker said; false when it is at its end.
    private func take(_ worker: inout Worker, _ report: inout Report) -> Bool {
        guard let lines = worker.child.lines() else {
            let ending = worker.child.finish()
            if worker.isDone { return false }
            let seed = worker.begun ?? worker.next
            report.add(ResultLine(endOf: seed, Invariant.trap.rawValue, ending))
            return goOn(behind: seed, &worker)
        }
        for line in lines {
            if line == "end" {
                worker.isDone = true
            } else if line.hasPrefix("begin\t") {
                worker.begun = UInt64(line.dropFirst(6))
                worker.since = (Self.now, worker.child.processorSeconds ?? 0)
            } else if line.hasPrefix("line\t") {
                onLine?(String(line.dropFirst(5)))
            } else if let result = ResultLine(line) {
                report.add(result)
                worker.begun = nil
                worker.next = seed(after: result.seed) ?? end
            }
        }
        return true
    }

    /// Ends a worker whose seed takes too long: that seed has failed.
    private func endLate(_ worker: inout Worker, _ report: inout Report) -> Bool {
        let ending = worker.child.finish(killing: true)
        if worker.isDone { return false }
        let seed = worker.begun ?? worker.next
        let seconds = Report.short(plan.secondsOfASeedMax)
        report.add(
            ResultLine(
                endOf: seed, Invariant.hang.rawValue, "not after \(seconds) s of a processor; \(ending)"))
        return goOn(behind: seed, &worker)
    }

    /// The seeds behind a failed one are run by a process of their own; false: there are none, or it cannot
    /// be started, and then they are missing in the report.
    private func goOn(behind seed: UInt64, _ worker: inout Worker) -> Bool {
        guard keepsGoing, let next = self.seed(after: seed), let again = start(next) else { return false }
        worker = again
        return true
    }

    private func progress(_ report: Report, _ began: Double) {
        let done = report.seeds
        let left = done > 0 ? Int((Self.now - began) / Double(done) * Double(Int(count) - done)) : 0
        Terminal.show("\(done) of \(count) seeds, \(report.failures.count) failed, about \(left) s left")
    }

    /// Seconds of a clock that does not jump.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

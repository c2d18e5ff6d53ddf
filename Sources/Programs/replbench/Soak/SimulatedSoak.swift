// The simulated part of a soak: weeks of four node values in this process, over disks in memory. What is
// measured of time is real: how long a node value needs to open its disk.

import ControlAPI
import Glibc
import Node
import Simulator

struct SimulatedSoak {
    static let nodes = 4
    /// Those from here on are restarted; the others run through.
    static let restarted = 2
    private static let hour: UInt64 = 3_600_000
    private static let day = 24 * hour
    /// Between two looks, and two restarts.
    private static let lookMilliseconds = 12 * hour
    /// Between two transactions of each node.
    private static let pauseMilliseconds: UInt64 = 240_000
    private static let checkpointSeconds: UInt64 = 6 * 3_600
    private static let checkpointLogBytes: UInt64 = 256 << 10

    private var trial: SoakTrial
    private(set) var record = SoakRecord(part: "simulated", unit: "days")
    private let days: Int
    private var standing = ""
    private var restarts = 0
    private var tell: (String) -> Void

    init(days: Int, documents: Int, tell: @escaping (String) -> Void) throws {
        guard
            let trial = SoakTrial(
                nodes: Self.nodes, seed: 1, checkpointSeconds: Self.checkpointSeconds,
                checkpointLogBytes: Self.checkpointLogBytes)
        else { throw BenchFailure("the roster of the simulated members is refused") }
        (self.trial, self.days, self.tell) = (trial, days, tell)
        for text in SoakChurn.state(documents: documents) { try write(text, at: 0) }
        guard self.trial.converge(within: 600_000) else {
            throw BenchFailure("the simulated members do not come to the same state")
        }
    }

    mutating func run() throws {
        let (start, end) = (trial.time, trial.time + UInt64(days) * Self.day)
        var (round, look) = (0, trial.time)
        while trial.time < end {
            for node in 0..<Self.nodes {
                try write(SoakChurn.transaction(round: round, node: node), at: node)
            }
            round += 1
            noteStanding()
            if trial.time >= look {
                look += Self.lookMilliseconds
                try sample(at: Double(trial.time - start) / Double(Self.day))
            }
            let next = start + UInt64(round) * Self.pauseMilliseconds
            if next > trial.time { trial.run(milliseconds: next - trial.time) }
        }
        guard trial.converge(within: 600_000) else {
            throw BenchFailure("the simulated nodes do not hold the same at the end")
        }
        for node in 0..<Self.nodes {
            let alarms = trial.alarms(of: node).filter { !SoakRecord.expectedAlarms.contains($0) }
            guard alarms.isEmpty else { throw BenchFailure("simulated node \(node) raises \(alarms)") }
        }
    }

    /// A node that was just started may be busy for a while.
    private mutating func write(_ text: String, at node: Int) throws {
        let transaction = try TransactionReader.read(body: Array(text.utf8), idempotencyKey: nil)
        for _ in 0..<60 {
            if trial.write(transaction, at: node) { return }
            trial.run(milliseconds: 1_000)
        }
        throw BenchFailure("simulated node \(node) took no write for a minute")
    }

    private mutating func noteStanding() {
        guard let now = trial.standingName(at: 0), now != standing else { return }
        standing = now
        record.checkpoints += 1
    }

    private mutating func sample(at days: Double) throws {
        restarts += 1
        let node = Self.restarted + restarts % (Self.nodes - Self.restarted)
        let begin = microseconds()
        trial.restart(node, asCopy: restarts % 4 == 0)
        record.add(.opening, node: node, at: days, (microseconds() - begin) / 1_000)
        trial.run(milliseconds: 60_000)
        for node in 0..<Self.nodes {
            guard let figures = trial.figures(of: node) else { throw BenchFailure("node \(node) is down") }
            record.add(.disk, node: node, at: days, Double(figures.diskBytes))
            record.add(.log, node: node, at: days, Double(figures.logBytes))
            record.add(.vector, node: node, at: days, Double(figures.vectorCount))
        }
        // All of them with their disks stand in this process.
        let resident = Double(ProcessorClock.residentBytes() / Self.nodes)
        record.add(.memory, node: 0, at: days, resident)
        guard let export = trial.export(of: 0) else { throw BenchFailure("node 0 exports nothing") }
        record.addState(at: days, export.count)
        trial.forgetTold()
        tell("simulated day \((days * 10).rounded() / 10): \(record.checkpoints) checkpoints")
    }
}

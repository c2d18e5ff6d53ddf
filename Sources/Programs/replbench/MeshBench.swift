// The measurements of `replbench mesh`, in their order. Each line is a metric and its value; per node and per
// simulated minute where it says so.

import Causality
import Simulator

/// A mesh, and what was found so far.
struct MeshBench {
    private var trial: MeshTrial
    private let isJSON: Bool
    private let start: Usage
    private var dice = SeededGenerator(seed: 99)
    /// A change that takes longer has not reached all.
    private static let spreadMillisecondsMax: UInt64 = 300_000
    /// False when something did not reach all.
    private(set) var isRight = true

    init(trial: MeshTrial, isJSON: Bool, start: Usage) {
        self.trial = trial
        self.isJSON = isJSON
        self.start = start
    }

    // MARK: Steps

    /// What nodes cost before they are linked.
    func begin() {
        emit("nodes", trial.alive.count)
        emit("start-cpu-ms-per-node", perNode((Usage.now.cpuSeconds - start.cpuSeconds) * 1_000))
        emit("start-kib-per-node", perNode(Double(Usage.now.residentBytes - start.residentBytes) / 1_024))
    }

    /// Until everybody is reached, and then until the links have settled.
    mutating func settle() {
        let before = Usage.now
        let count = trial.alive.count
        var milliseconds: UInt64 = 0
        while trial.reachable() < count, milliseconds < 120_000 {
            trial.run(milliseconds: 500)
            milliseconds += 500
        }
        emit("connected-ms", Int(milliseconds))
        if trial.reachable() < count { isRight = false }
        trial.run(milliseconds: 60_000)
        emit("connections-made-per-node", perNode(Double(trial.connectionCount)))
        emit("linking-cpu-ms-per-node", perNode((Usage.now.cpuSeconds - before.cpuSeconds) * 1_000))
        emitLinks("links")
    }

    /// A minute in which nobody writes.
    mutating func idle() {
        let (before, received) = (Usage.now, trial.received)
        trial.run(milliseconds: 60_000)
        emit("idle-cpu-ms-per-node-minute", perNode((Usage.now.cpuSeconds - before.cpuSeconds) * 1_000))
        emit("idle-bytes-per-node-minute", perNode(Double(trial.received - received)))
    }

    mutating func writeSteadily(
        writers: Int, bytes: Int, every period: UInt64, minutes: Int, breaksOneIn: UInt64
    ) {
        let nodes = Array(trial.alive.shuffled(using: &dice).prefix(writers))
        let first = trial.write(nodes, bytes: bytes, every: period, for: 2 * period)
        emit("first-changes-received-ratio", first.ratio)
        let before = Usage.now
        trial.world.weather.breaksOneIn = breaksOneIn
        let connections = trial.connectionCount
        let traffic = trial.write(nodes, bytes: bytes, every: period, for: UInt64(minutes) * 60_000)
        trial.world.weather.breaksOneIn = 0
        let seconds = Usage.now.cpuSeconds - before.cpuSeconds
        emit("steady-received-ratio", traffic.ratio)
        emit("steady-received-to-canonical-ratio", Double(traffic.received) / Double(max(1, traffic.lacked)))
        emit("steady-duplicate-share", Double(traffic.duplicate) / Double(max(1, traffic.received)))
        emit("steady-have-share", Double(traffic.have) / Double(max(1, traffic.received)))
        emit("steady-bytes-per-node-minute", perNode(Double(traffic.received)) / Double(minutes))
        emit("steady-cpu-ms-per-node-minute", perNode(seconds * 1_000) / Double(minutes))
        emit("steady-connections-made", Int(trial.connectionCount - connections))
        emit("steady-grafts", Int(traffic.grafts))
        emit("resident-kib-per-node", perNode(Double(Usage.now.residentBytes) / 1_024))
        let kept = trial.remembered()
        emit("contacts-kept-max", kept.max)
    }

    /// Single changes of several nodes: the first of each, then one over the tree that it left.
    mutating func spread(_ name: String) {
        var (first, later): ([MeshTrial.Spread], [MeshTrial.Spread]) = ([], [])
        for origin in trial.alive.shuffled(using: &dice).prefix(10) {
            guard let one = trial.spread(from: origin, within: Self.spreadMillisecondsMax),
                let two = trial.spread(from: origin, within: Self.spreadMillisecondsMax)
            else {
                isRight = false
                return emit("\(name)-reached-all", 0)
            }
            first.append(one)
            later.append(two)
        }
        for (kind, all) in [("first", first), ("later", later)] {
            emit("\(name)-\(kind)-hops-max", all.map(\.hopsMax).max() ?? 0)
            emit("\(name)-\(kind)-hops-mean", all.map(\.hopsMean).reduce(0, +) / Double(max(1, all.count)))
            emit("\(name)-\(kind)-ms-max", Int(all.map(\.milliseconds).max() ?? 0))
            let sum = all.map { Double($0.milliseconds) }.reduce(0, +)
            emit("\(name)-\(kind)-ms-mean", sum / Double(max(1, all.count)))
        }
    }

    mutating func lose(percent: Int) {
        _ = trial.lose(percent: percent)
        let count = trial.alive.count
        emit("survivors", count)
        emit("reached-at-once", trial.reachable())
        var milliseconds: UInt64 = 0
        while trial.reachable() < count, milliseconds < 120_000 {
            trial.run(milliseconds: 500)
            milliseconds += 500
        }
        emit("healed-ms", Int(milliseconds))
        if trial.reachable() < count { isRight = false }
        trial.run(milliseconds: 60_000)
        emitLinks("links-after-loss")
    }

    /// All that run hold the same in the end.
    mutating func converge() {
        guard let milliseconds = trial.converge(within: 120_000) else {
            isRight = false
            return emit("equal", 0)
        }
        emit("equal-ms", Int(milliseconds))
    }

    // MARK: Lines

    private func perNode(_ value: Double) -> Double { value / Double(max(1, trial.alive.count)) }

    private func emitLinks(_ name: String) {
        let counts = trial.neighbours().values.map(\.count)
        emit("\(name)-min", counts.min() ?? 0)
        emit("\(name)-mean", Double(counts.reduce(0, +)) / Double(max(1, counts.count)))
        emit("\(name)-max", counts.max() ?? 0)
    }

    private func emit(_ metric: String, _ value: Int) { line(metric, "\(value)") }

    private func emit(_ metric: String, _ value: Double) {
        line(metric, "\((value * 1_000).rounded() / 1_000)")
    }

    private func line(_ metric: String, _ value: String) {
        let padding = String(repeating: " ", count: max(1, 40 - metric.count))
        print(isJSON ? "{\"metric\":\"\(metric)\",\"value\":\(value)}" : metric + padding + value)
    }
}

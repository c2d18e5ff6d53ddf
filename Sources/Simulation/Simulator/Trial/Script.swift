// A script of transactions in place of the drawn ones: users' own tests. Each node has its own line of steps,
// so that one that is down keeps nobody else waiting; each step is made, and what came of it is counted.

import Causality
public import Node

/// One line of a script.
public struct ScriptStep: Sendable {
    /// Its line in the file.
    public let line: Int
    /// Milliseconds since the start; it waits until its node is in the space.
    public let time: UInt64
    public let node: Int
    public let transaction: Transaction

    public init(line: Int, time: UInt64, node: Int, transaction: Transaction) {
        self.line = line
        self.time = time
        self.node = node
        self.transaction = transaction
    }
}

/// What came of the steps of a script.
public struct ScriptCounts: Hashable, Sendable, CustomStringConvertible {
    public var steps = 0
    public var acknowledged = 0
    public var refused = 0
    /// The node crashed before it answered, and nothing says whether it was done.
    public var unanswered = 0

    public init() {}

    /// Steps that were not asked, or wait for their answer.
    public var left: Int { steps - acknowledged - refused - unanswered }

    public mutating func add(_ other: ScriptCounts) {
        steps += other.steps
        acknowledged += other.acknowledged
        refused += other.refused
        unanswered += other.unanswered
    }

    public var description: String {
        "\(steps) steps: \(acknowledged) acknowledged, \(refused) refused, \(unanswered) unanswered, "
            + "\(left) not made"
    }
}

/// The steps that are left.
public struct Script: Sendable {
    private struct Queue {
        var steps: [ScriptStep] = []
        var next = 0
        /// Steps to be asked once more; they come first.
        var again: [ScriptStep] = []
        var nextAgain = 0
        /// The node could not take the next one when it was due.
        var notBefore: UInt64 = 0

        var first: ScriptStep? {
            if nextAgain < again.count { return again[nextAgain] }
            return next < steps.count ? steps[next] : nil
        }
        var moment: UInt64? { first.map { max($0.time, notBefore) } }
    }

    private var queues: [Int: Queue] = [:]
    var counts = ScriptCounts()

    /// Steps in order of time.
    public init(_ steps: [ScriptStep]) {
        for step in steps { queues[step.node, default: Queue()].steps.append(step) }
        counts.steps = steps.count
    }

    /// When the next step is due; nil: all were handed in.
    var moment: UInt64? { queues.values.compactMap(\.moment).min() }
    var nodes: [Int] { queues.keys.sorted() }
    /// The next step of each node that has one left.
    var waiting: [ScriptStep] {
        nodes.compactMap { queues[$0]?.first }
    }

    func isDue(_ node: Int, at time: UInt64) -> Bool { queues[node]?.moment ?? .max <= time }

    mutating func take(_ node: Int) -> ScriptStep? {
        guard let queue = queues[node], let step = queue.first else { return nil }
        if queue.nextAgain < queue.again.count {
            queues[node]?.nextAgain += 1
        } else {
            queues[node]?.next += 1
            queues[node]?.again = []
            queues[node]?.nextAgain = 0
        }
        return step
    }

    mutating func putOff(_ node: Int, until time: UInt64) { queues[node]?.notBefore = time }

    /// To be asked again, before all others of its node.
    mutating func putBack(_ step: ScriptStep) { queues[step.node]?.again.append(step) }
}

extension Trial {
    /// Hands in what is due.
    mutating func runScript() {
        for node in script?.nodes ?? [] {
            while script?.isDue(node, at: world.time) == true {
                guard running(where: { $0 == node }).first != nil else {
                    script?.putOff(node, until: world.time + 500)
                    break
                }
                guard let step = script?.take(node) else { break }
                written += 1
                let request = NodeRequest.transact(SpaceReference(Self.spaceName), step.transaction)
                self.request(node, request, for: .step(step))
            }
        }
    }

    /// Faults are over: what is left is asked now, and must be answered.
    mutating func finishScript() throws(Violation) {
        let end = world.time + FaultPlan.settleMilliseconds
        while let counts = script?.counts, counts.left > 0 {
            guard world.time < end else {
                let first = script?.waiting.map { "line \($0.line) for node \($0.node)" } ?? []
                throw Violation(
                    .everyStep, "\(counts): \(first.isEmpty ? "no answer" : first.joined(separator: ", "))")
            }
            join()
            try look()
            runScript()
            try look()
            try runEvents(until: world.time + 500)
        }
    }

    mutating func refused(_ step: ScriptStep, _ error: some Error) {
        script?.counts.refused += 1
        tell("node \(step.node) refused line \(step.line) of the script: \(error)")
    }

    /// Its node crashed before it answered. With a key it is asked again. Not inlined: into `crashed` the
    /// compiler (6.3.1, release) makes code of it that fails its own verifier.
    @inline(never)
    mutating func unanswered(_ step: ScriptStep, canRepeat: Bool) {
        if canRepeat, step.transaction.idempotency != nil {
            script?.putBack(step)
        } else {
            script?.counts.unanswered += 1
            tell("node \(step.node) crashed before it answered line \(step.line) of the script")
        }
    }
}

// One seed, from an empty world to its verdict. Faults strike while programs write and nodes join; then all
// faults stop, and every honest node must come to the same state in time. Checkers look on after each event.
//
//     0 ………………………………… plan.milliseconds ………………… at most settleMilliseconds
//     joins, writes, faults              | nothing but what was promised | all equal: checked whole

import Bytes
import Causality
import Node
import Wire

/// A run of a plan.
public struct Trial {
    public let plan: FaultPlan
    var world: World
    var checker: Checker
    var workload: Workload
    var result: TrialResult
    var members: [Member]
    /// When each kind of fault strikes next, and its dice.
    var strikes: [FaultKind: Strike] = [:]
    /// What is to be undone: walls that fall, nodes that start again.
    var undoings: [Undoing] = []
    var traitor: Traitor?
    /// What nodes held of the traitor's roster operations when that began to count, by node.
    var rosterShares: [Int: RosterShare] = [:]
    /// Members that the traitor let in, while they are linked to everybody.
    var hoarders: Hoarders?
    var backups: [Int: Backup] = [:]
    var nextWrite: UInt64 = 0
    var written = 0
    /// What programs read, and which transactions are conditional.
    var readDice: SeededGenerator
    /// Faults are over.
    var isSettling = false
    /// All were equal once, and nobody joins any more.
    var isServing = false
    /// Gets each line of the timeline as it is told: all of them, also of a run that ends in a trap.
    public var onLine: ((String) -> Void)?
    /// A script instead of the drawn transactions.
    public var script: Script?

    static let spaceName = "notes"

    public init(_ plan: FaultPlan) {
        self.plan = plan
        world = World(seed: plan.seed)
        workload = Workload(
            seed: plan.seed, documents: plan.documents, fillsSections: plan.checkpoints != nil)
        result = TrialResult(plan: plan)
        readDice = SeededGenerator(seed: plan.seed ^ 0x4EAD)
        members = zip(plan.roles, plan.joinTimes).map { Member(role: $0, joinAt: $1) }
        checker = Checker(nodes: plan.nodeCount, roles: [:])
    }

    /// Runs it to its end.
    public mutating func run() -> TrialResult {
        do throws(Violation) {
            try begin()
            try suffer()
            try settle()
        } catch {
            result.failure = TrialResult.Failure(violation: error, time: world.time)
            tell("FAILED \(error.invariant.rawValue): \(error.message)")
            for line in checker.roster?.story(of: world.nodes.map(\.device)) ?? [] { tell(line) }
        }
        result.traceHash = world.traceHash
        result.simulatedMilliseconds = world.time
        result.changes = checker.universe.changes.count
        result.comparisons = checker.comparisons
        result.reads = checker.reads
        for (kind, count) in world.faultCounts { result.faults[kind, default: 0] += count }
        result.marks.formUnion(checker.marks)
        result.script = script?.counts ?? ScriptCounts()
        return result
    }

    // MARK: The two phases

    private mutating func begin() throws(Violation) {
        world.isObserved = true
        world.secret = Array(Workload.secret.utf8)
        world.batchMilliseconds = plan.batchMilliseconds
        world.checkpoints = plan.checkpoints
        for index in 0..<plan.nodeCount {
            world.addNode()
            setClock(of: index)
        }
        checker = Checker(
            nodes: plan.nodeCount,
            roles: Dictionary(
                uniqueKeysWithValues: plan.roles.enumerated().map { (world.nodes[$0].device, $1) }),
            countsRosters: plan.isAboutMembers)
        setWeather()
        planStrikes()
        request(0, .createSpace(name: Self.spaceName), for: .create)
        try look()
    }

    private mutating func suffer() throws(Violation) {
        while world.time < plan.milliseconds {
            let next = min(nextMoment, plan.milliseconds)
            try runEvents(until: next)
            guard world.time < plan.milliseconds else { break }
            try act()
        }
    }

    /// The earliest moment at which the trial itself does something.
    private var nextMoment: UInt64 {
        var moment = max(nextWrite, world.time)
        if let script { moment = script.moment ?? .max }
        for strike in strikes.values { moment = min(moment, strike.next) }
        for undoing in undoings { moment = min(moment, undoing.time) }
        for member in members {
            if !member.isJoined { moment = min(moment, member.joinAt) }
            if let watchAt = member.watchAt { moment = min(moment, watchAt) }
        }
        return max(moment, world.time)
    }

    private mutating func act() throws(Violation) {
        try undo()
        for kind in strikes.keys.sorted() where strikes[kind]?.next ?? .max <= world.time {
            try strike(kind)
            try look()
        }
        join()
        watchAgain()
        try look()
        if script != nil {
            runScript()
        } else if nextWrite <= world.time {
            write()
            try look()
            read()
        }
        try look()
    }

    /// Lets the world run, looking after each event.
    mutating func runEvents(until end: UInt64) throws(Violation) {
        while let moment = hoarders?.nextMoment, moment < end {
            try runWorld(until: max(moment, world.time))
            actAsHoarders()
            try look()
        }
        try runWorld(until: end)
    }

    private mutating func runWorld(until end: UInt64) throws(Violation) {
        while world.step(until: end) {
            result.events += 1
            if !world.happenings.isEmpty { try look() }
            if result.events % 256 == 0 { try checkSome() }
        }
        world.time = max(world.time, end)
    }

    private mutating func checkSome() throws(Violation) {
        let index = result.events / 256 % members.count
        try checker.checkDocuments(index, limit: 3, world)
        try checkCaps(index)
        try checkAnswers(index)
    }

    // MARK: What happened

    /// Takes the world's happenings to the checkers, and those that come of it. Called before anything else
    /// is done to the world: checkers compare what was told with what is on the disks now.
    mutating func look() throws(Violation) {
        while !world.happenings.isEmpty { try look(at: world.takeHappenings()) }
    }

    private mutating func look(at happenings: [Happening]) throws(Violation) {
        for happening in happenings {
            switch happening {
            case .started(let index):
                let restored = members[index].restored
                members[index].restored = nil
                if restored != nil { members[index].seen = [:] }
                try checker.takeStarted(index, world, restored: restored)
                recordStanding(of: index)
                started(index)
            case .crashed(let index): crashed(index)
            case .committed(let index):
                try checker.takeCommitted(index, world)
                recordStanding(of: index)
            case .answered(let index, let id, let answer): try answered(index, id, answer)
            case .logged(let index, let level, let code, let message):
                if level >= .notice { checker.marks.insert(code) }
                tell("node \(index) \(code): \(message)")
                try checkLog(index, code, message)
                if code == "checkpoint-proposed" { proposed(index) }
                if code == "commit-failed" || code == "writes-moved" { checker.recordLostBatch(index) }
            case .leaked(let index):
                throw Violation(.noPlaintext, "node \(index) sent text of a document in clear")
            }
        }
    }

    /// A line of the timeline.
    mutating func tell(_ line: @autoclosure () -> String) {
        let seconds = world.time / 1_000
        let text = "\(seconds).\(String(1_000 + world.time % 1_000).dropFirst()) s  \(line())"
        result.timeline.append(text)
        onLine?(text)
        if result.timeline.count > 400 { result.timeline.removeFirst(200) }
    }
}

// What programs may count on while faults strike, and what they must get when these are over: every request
// is answered in its time, a stream that ended is opened again, and a mesh that came to rest still takes
// writes, tells them and passes them on. A mesh that agrees and does nothing any more would be equal for
// ever.

import Bytes
import Causality
import Documents
import Node
import Wire

extension Purpose {
    /// Within so many milliseconds the final answer is there; of a stream, that it stands. A commit of the
    /// slowest disk takes 3 s, a wait or a read of a version 30 s, and each address of an invite a minute.
    var answerMilliseconds: UInt64 {
        switch self {
        case .join: 600_000
        case .wait, .read: 90_000
        // In slices, when there is time for them.
        case .propose, .collect: 300_000
        case .create, .invite, .write, .conditional, .full, .step, .mark, .watch, .report, .restrict, .leave,
            .adopt, .members, .refused:
            60_000
        }
    }
}

extension Trial {
    // MARK: Answers

    /// After a pause, what waited comes at once.
    private static let afterPauseMilliseconds: UInt64 = 10_000

    /// No request of a node that runs has waited too long.
    func checkAnswers(_ index: Int) throws(Violation) {
        guard world.nodes[index].node != nil, !members[index].isTraitor,
            world.nodes[index].pausedUntil + Self.afterPauseMilliseconds <= world.time
        else { return }
        let late = members[index].pending.filter { id, pending in
            if case .watch = pending.purpose, checker.views[index].watch.request == id { return false }
            // What was asked while it stood still it hears of behind that.
            let asked = max(pending.asked, world.nodes[index].pausedUntil)
            return asked + pending.purpose.answerMilliseconds < world.time
        }
        guard let (_, pending) = late.min(by: { $0.key < $1.key }) else { return }
        let node = world.nodes[index].node
        let progress = checker.space.flatMap { node?.inspectProgress(in: $0) } ?? ""
        let purpose = String(describing: pending.purpose)
        throw Violation(
            .serves, "node \(index) has not answered since \(pending.asked) ms: \(purpose) (\(progress))")
    }

    // MARK: Streams

    /// A node that runs ended or refused a stream: it is asked again soon, and has to serve it then.
    mutating func streamEnded(_ index: Int, _ answer: NodeAnswer) throws(Violation) {
        tell("node \(index) ends its stream: \(answer)")
        checker.endWatching(index)
        // Who left has no stream.
        if plan.isAboutMembers, !isInSpace(index) { return }
        // Alone with a base of which it does not know yet that it stands.
        if case .failed(.seeding) = answer, checker.isHiding(index, world) {
            members[index].watchAt = world.time + 1_000
            return
        }
        members[index].watchFailures += 1
        guard members[index].watchFailures < 3 else {
            throw Violation(.serves, "node \(index) ended three streams in a row, the last with \(answer)")
        }
        members[index].watchAt = world.time + 1_000
    }

    mutating func watchAgain() {
        for index in members.indices where members[index].watchAt ?? .max <= world.time { watch(index) }
    }

    // MARK: After the faults

    /// An acknowledgement, once nothing is wrong any more.
    static let acknowledgedMilliseconds: UInt64 = 5_000
    /// Until all hold a write and all streams told it, among nodes that are linked; with copies, that the
    /// log which two of them wrote is proved and issued again.
    static let heldMilliseconds: UInt64 = 60_000
    static let reissuedMilliseconds: UInt64 = 300_000

    /// Two rounds of writes, one by each writer. The first finds links again that nobody missed while there
    /// was nothing to say, which takes until `end` at most; the second one has them.
    mutating func serve(until end: UInt64) throws(Violation) {
        let linked = plan.hasForks ? Self.reissuedMilliseconds : Self.heldMilliseconds
        let share = max(linked, visitedMilliseconds)
        try writeAndWait(round: 1, until: max(end, world.time + share))
        let begin = world.time
        try writeAndWait(round: 2, until: world.time + share)
        let taken = world.time - begin
        tell("what was written is held and told after \(taken) ms")
    }

    private mutating func writeAndWait(round: Int, until end: UInt64) throws(Violation) {
        let holders = holders
        let writers = running { members[$0].role >= .writer && holders.contains($0) }
        for index in writers {
            members[index].marks = []
            let operation = OperationRequest(
                document: Key("after/\(index)"), path: [.key("round")],
                verb: .set(.scalar(.integer(Int64(round)))))
            var transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
            if plan.hasForks { transaction = transaction.counted(as: UInt64(written)) }
            write(transaction, at: index, for: .mark(transaction))
            try look()
        }
        let acknowledged = world.time + Self.acknowledgedMilliseconds
        while let index = writers.first(where: { members[$0].marks.isEmpty }) {
            guard world.time < acknowledged else {
                throw Violation(.serves, "node \(index) does not answer a write after the faults")
            }
            try runEvents(until: world.time + 100)
        }
        while true {
            let isHeld = try isSettled()
            if isHeld, areStreamsLevel { break }
            guard world.time < end else {
                throw Violation(
                    isHeld ? .watchesWithoutGaps : reachInvariant,
                    "a write of round \(round) after the faults is not \(isHeld ? "told" : "held") by all: "
                        + whyNot())
            }
            watchAgain()
            try look()
            try runEvents(until: world.time + 100)
        }
    }

    /// Each holder has an open stream that told everything.
    private var areStreamsLevel: Bool {
        holders.allSatisfy { index in
            checker.views[index].watch.request != nil && checker.isToldAll(index)
        }
    }
}

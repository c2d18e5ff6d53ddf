// The second phase: faults are over, everything that was broken is repaired, and nothing is written. Every
// honest node must come to the same documents within the stated time. Then each of them has to take a write,
// and all are checked whole.

import Bytes
import Causality
import Documents
import Node
import Wire

extension Trial {
    mutating func settle() throws(Violation) {
        tell("the faults are over")
        try repair()
        try finishScript()
        let begin = world.time
        while true {
            setUnheardAside()
            let isOver = try isSettled()
            if isOver || world.time >= begin + FaultPlan.settleMilliseconds, isApart {
                result.marks.insert("fell-apart")
                return tell("boxes are left that do not know each other")
            }
            if isOver { break }
            guard world.time < begin + FaultPlan.settleMilliseconds else {
                throw Violation(
                    reachInvariant, "not equal after \(FaultPlan.settleMilliseconds / 1_000) s: \(whyNot())")
            }
            join()
            watchAgain()
            try look()
            try runEvents(until: world.time + 1_000)
        }
        result.settledMilliseconds = world.time - begin
        tell("all are equal")
        isServing = true
        try letHoard()
        try serve(until: begin + FaultPlan.settleMilliseconds)
        // Digests are told a second after vectors are equal; streams are read to their ends.
        for _ in 0..<15 {
            for index in running() { if let id = checker.views[index].watch.request { credit(index, id) } }
            try runEvents(until: world.time + 1_000)
        }
        try checkAll()
        let (bytes, connections) = (result.earlyBytesMax, result.connectionsMax)
        tell("at most \(bytes) bytes of early changes and \(connections) connections were seen at a node")
    }

    private mutating func repair() throws(Violation) {
        isSettling = true
        strikes = [:]
        for undoing in undoings {
            switch undoing.kind {
            case .hangUp(let stranger), .endSilence(let stranger, _, _): world.endStranger(stranger)
            default: break
            }
        }
        undoings = []
        hoardAgain()
        world.weather = Weather()
        world.weathers = [:]
        world.walls = []
        world.clogs = [:]
        for index in members.indices {
            members[index].hasDeadDisk = false
            world.setDiskFault(index, nil)
            world.nodes[index].crashPoint = nil
            world.nodes[index].batchMilliseconds = nil
            world.nodes[index].clock = WorldClock()
            if world.nodes[index].node == nil, !members[index].isTraitor { world.start(index) }
            if index > 0, !members[index].isOut {
                members[index].joinAt = min(members[index].joinAt, world.time)
            }
        }
        try look()
        // Half of the worlds hear that their network changed; the others find out by themselves.
        if plan.seed % 2 == 0 {
            for index in members.indices { world.changeNetwork(index) }
        }
    }

    /// Honest nodes that hold documents.
    var holders: [Int] {
        if plan.isAboutMembers { return activeHolders }
        return members.indices.filter { !members[$0].isTraitor && members[$0].role >= .reader }
    }

    func isSettled() throws(Violation) -> Bool {
        let holders = holders
        for index in members.indices where !members[index].isTraitor {
            // A node that was stopped goes on only when its pause is over, with what only it knows.
            guard world.nodes[index].pausedUntil <= world.time else { return false }
            guard members[index].isJoined || plan.isAboutMembers else { return false }
        }
        if plan.isAboutMembers {
            if try whyMembersDiffer() != nil { return false }
            // All that are left are in wrong hands.
            if holders.isEmpty { return true }
        }
        guard let first = holders.first, checker.space != nil else { return false }
        let (vector, closed) = (checker.counted(at: first), checker.closed(at: first))
        let base = checker.views[first].base
        for index in holders {
            // A base takes the place of another a slice at a time, and shows in digests.
            guard checker.views[index].chains.count < 2, checker.views[index].base == base else {
                return false
            }
            guard checker.counted(at: index) == vector, checker.closed(at: index) == closed,
                let node = world.nodes[index].node
            else {
                return false
            }
            if let space = checker.space, node.isSeeding(in: space) { return false }
            // Who turned away may have taken with it what these were made on.
            let mayWait = plan.isAboutMembers && members.contains(where: \.isTraitor)
            if !plan.isOn(.missingContexts), !mayWait, node.earlyChanges.count > 0 { return false }
        }
        for entry in vector.entries {
            let dot = Dot(entry.replica, entry.last)
            let numbers = Set(holders.map { checker.lastNumber(of: dot, at: $0) })
            // Somebody is on another branch, and it was not proved yet.
            if numbers.count > 1 { return false }
        }
        // Branches are issued again in their own time.
        return ledgerFault(at: first) == nil
    }

    func whyNot() -> String {
        let honest = members.indices.filter { !members[$0].isTraitor }
        var words = honest.map { state(of: $0) }.joined(separator: "; ")
        if let fault = holders.first.flatMap({ ledgerFault(at: $0) }) { words += fault }
        if plan.isAboutMembers, let fault = (try? whyMembersDiffer()) ?? nil { words += "; \(fault)" }
        return words
    }

    /// For a message: what a node holds.
    private func state(of index: Int) -> String {
        let view = checker.views[index]
        let early = world.nodes[index].node?.earlyChanges.count ?? 0
        let ends = view.vector.entries.map { "\($0.replica.description.prefix(4)):\($0.last)" }
        let closed = view.closed.sorted { $0.key < $1.key }
            .map { "\($0.key.description.prefix(4)):\($0.value)" }
        var words = "node \(index)"
        if !members[index].isJoined { words += " not joined" }
        if view.base != nil, let space = checker.space, let node = world.nodes[index].node {
            words += " (\(node.inspectProgress(in: space)))"
        }
        words += " holds \(ends.joined(separator: " ")), \(early) early"
        if !closed.isEmpty { words += ", closed \(closed.joined(separator: " "))" }
        return words
    }

    private mutating func checkAll() throws(Violation) {
        let holders = holders
        for index in holders { try endBatch(of: index) }
        if holders.isEmpty, plan.isAboutMembers { return try checkEverybody() }
        // A leave that is told only now goes from one to the other, and so do a checkpoint and its
        // acknowledgements. A box that was removed comes once in a while, and brings keys of what it wrote.
        let end = world.time + (plan.isAboutMembers ? FaultPlan.settleMilliseconds : 60_000)
        while world.time < end, try !isSettled() { try runEvents(until: world.time + 1_000) }
        guard let first = holders.first, try isSettled() else {
            throw Violation(.converged, "nodes that were equal are not any more: \(whyNot())")
        }
        var settled = checker.settled(at: first)
        try checkEverybody()
        for index in holders {
            for number in checker.views[index].acknowledged where !isStranded(number, holders) {
                let change = checker.universe[number].change
                for other in holders
                where !checker.holds(number, at: other) && !checker.isForked(number, at: other)
                    && !checker.isFinal(number, by: checker.views[other].chains.last)
                    && !checker.views[other].isBehindEnd(change)
                {
                    throw Violation(
                        .acknowledgedStays,
                        "node \(other) has not \(change.id), which node \(index) acknowledged"
                            + checker.heldBy(number))
                }
            }
            if !plan.isAboutMembers { try checker.checkStatuses(index, world) }
            try checker.checkAllDocuments(index, &settled, world)
            try checkCaps(index)
            try checkAnswers(index)
            try checkAlarms(index)
            try checkRoster(index)
            try checker.checkWatch(index, settled)
            if let fault = ledgerFault(at: index) { throw Violation(.acknowledgedStays, fault) }
            try checker.checkOnce(index)
        }
        for index in running() where members[index].role == .relay {
            try checker.checkRelay(index, world)
        }
        checker.settled = settled
        for index in holders {
            for view in [DocumentView.plain, .typed] { export(view, at: index) }
            try look()
            try endBatch(of: index)
        }
        guard checker.exports == 2 * holders.count else {
            throw Violation(.serves, "\(checker.exports) of \(2 * holders.count) exports were given")
        }
    }

    private mutating func endBatch(of index: Int) throws(Violation) {
        while world.nodes[index].isInBatch { try runEvents(until: world.time + 1) }
    }
}

extension Checker {
    /// Transactions that were repeated with their key happened once.
    func checkOnce(_ index: Int) throws(Violation) {
        for (key, numbers) in universe.touching where key.starts(with: Array("once/".utf8)) {
            let count = numbers.count { number in
                counts(number, at: index, on: views[index].chains.last) != .void
                    && !universe[number].isAdopting
            }
            guard count <= 1 else {
                throw Violation(
                    .exactlyOnce, "\(String(decoding: key, as: UTF8.self)) was written \(count) times")
            }
        }
    }
}

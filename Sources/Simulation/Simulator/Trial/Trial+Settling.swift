// The second phase: faults are over, everything that was broken is repaired, and nothing is written. Every
// honest node must come to the same documents within the stated time; then all of them are checked whole.

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
            if try isSettled() { break }
            guard world.time < begin + FaultPlan.settleMilliseconds else {
                throw Violation(
                    .converged, "not equal after \(FaultPlan.settleMilliseconds / 1_000) s: \(whyNot())")
            }
            join()
            try look()
            try runEvents(until: world.time + 1_000)
        }
        result.settledMilliseconds = world.time - begin
        tell("all are equal")
        // Digests are told a second after vectors are equal; streams are read to their ends.
        for _ in 0..<15 {
            for index in running() { if let id = checker.views[index].watch.request { credit(index, id) } }
            try runEvents(until: world.time + 1_000)
        }
        try checkAll()
    }

    private mutating func repair() throws(Violation) {
        isSettling = true
        strikes = [:]
        undoings = []
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
            if index > 0 { members[index].joinAt = min(members[index].joinAt, world.time) }
        }
        try look()
        // Half of the worlds hear that their network changed; the others find out by themselves.
        if plan.seed % 2 == 0 {
            for index in members.indices { world.changeNetwork(index) }
        }
    }

    /// Honest nodes that hold documents.
    private var holders: [Int] {
        members.indices.filter { !members[$0].isTraitor && members[$0].role >= .reader }
    }

    private func isSettled() throws(Violation) -> Bool {
        let holders = holders
        guard let first = holders.first, checker.space != nil else { return false }
        for index in members.indices where !members[index].isTraitor && !members[index].isJoined {
            return false
        }
        let (vector, closed) = (checker.views[first].counted, checker.views[first].closed)
        for index in holders {
            guard checker.views[index].counted == vector, checker.views[index].closed == closed,
                let node = world.nodes[index].node
            else {
                return false
            }
            if !plan.isOn(.missingContexts), node.earlyChanges.count > 0 { return false }
        }
        for entry in vector.entries {
            let dot = Dot(entry.replica, entry.last)
            let numbers = Set(holders.map { checker.lastNumber(of: dot, at: $0) })
            // Somebody is on another branch, and it was not proved yet.
            if numbers.count > 1 { return false }
        }
        // Branches are issued again in their own time.
        return checker.ledgerFault(at: first) == nil
    }

    private func whyNot() -> String {
        members.indices.filter { !members[$0].isTraitor }.map { index in
            let view = checker.views[index]
            let early = world.nodes[index].node?.earlyChanges.count ?? 0
            let state = members[index].isJoined ? "" : " not joined"
            let ends = view.vector.entries.map { "\($0.replica.description.prefix(4)):\($0.last)" }
            let closed = view.closed.sorted { $0.key < $1.key }.map {
                "\($0.key.description.prefix(4)):\($0.value)"
            }
            return "node \(index)\(state) holds \(ends.joined(separator: " ")), \(early) early"
                + (closed.isEmpty ? "" : ", closed \(closed.joined(separator: " "))")
        }.joined(separator: "; ") + (holders.first.flatMap { checker.ledgerFault(at: $0) } ?? "")
    }

    private mutating func checkAll() throws(Violation) {
        let holders = holders
        for index in holders {
            while world.nodes[index].isInBatch { try runEvents(until: world.time + 1) }
            for number in checker.views[index].acknowledged {
                let change = checker.universe[number].change
                for other in holders
                where !checker.holds(number, at: other) && !checker.views[other].isClosed(change) {
                    throw Violation(
                        .acknowledgedStays,
                        "node \(other) has not \(change.id), which node \(index) acknowledged")
                }
            }
            try checker.checkStatuses(index, world)
            checker.views[index].noteAllChanged(checker.universe)
            try checker.checkDocuments(index, limit: .max, world)
            try checkCaps(index)
            try checker.checkWatch(index)
            if let fault = checker.ledgerFault(at: index) { throw Violation(.acknowledgedStays, fault) }
            try checker.checkOnce(index)
        }
        for index in holders {
            while world.nodes[index].isInBatch { try runEvents(until: world.time + 1) }
        }
        try checker.checkEqual(holders, world)
    }
}

extension NodeView {
    /// Every document is to be compared again.
    mutating func noteAllChanged(_ universe: Universe) {
        unchecked = universe.touching.keys.sorted { $0.lexicographicallyPrecedes($1) }.map {
            Key(String(decoding: $0, as: UTF8.self))
        }
    }
}

extension Checker {
    /// Transactions that were repeated with their key happened once.
    func checkOnce(_ index: Int) throws(Violation) {
        for (key, numbers) in universe.touching where key.starts(with: Array("once/".utf8)) {
            let count = numbers.count { number in
                holds(number, at: index) && !views[index].isClosed(universe[number].change)
            }
            guard count <= 1 else {
                throw Violation(
                    .exactlyOnce, "\(String(decoding: key, as: UTF8.self)) was written \(count) times")
            }
        }
    }
}

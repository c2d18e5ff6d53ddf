// Wires the machine of adoptions: begins them, takes their steps, and answers who asked.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func adopt(
        _ id: RequestID, _ choice: AdoptionChoice, in index: SpaceHandle, at now: Instant
    ) throws(NodeError) {
        try need(.writer, in: index)
        guard adoptions.count < Adoptions.countMax else {
            throw .tooMany(what: "adoptions", limit: Adoptions.countMax)
        }
        let space = spaces[index].id
        var adoption = Adoptions.Adoption(
            request: id, space: space, rest: .changes([]), logs: LogReader(space: space))
        switch choice {
        case .member(let reference):
            let author = try member(reference, in: index, isActive: false).device
            adoption.rest = .author(author, after: .start)
        case .changes(let changes):
            let held = try stored { node throws(StoreFailure) in
                try node.spaces[index].writeRun(to: &node.transaction)
                return try node.held(changes, &adoption)
            }
            adoption.rest = .changes(held[...])
        }
        adoptions.begin(adoption, at: now.monotonic)
    }

    /// In commit order; the others are skipped.
    private func held(_ changes: [Dot], _ adoption: inout Adoptions.Adoption) throws(StoreFailure) -> [Dot] {
        var held: [(change: Dot, position: CommitPosition)] = []
        for change in changes {
            if let record = try store.status(of: change, in: adoption.space, with: &adoption.logs) {
                held.append((change, record.position))
            } else {
                adoption.report.skip(change, .notHeld)
            }
        }
        return held.sorted { $0.position < $1.position }.map(\.change)
    }

    mutating func tickAdoptions(at now: Instant) {
        guard transaction.failure == nil else { return }
        for index in spaces.indices where spaces[index].checkpoints.hasOwnLate {
            beginOwnLate(in: index, at: now)
        }
        guard var adoption = adoptions.takeDue(at: now.monotonic) else { return }
        do throws(NodeError) {
            guard let index = spaces.handle(of: adoption.space) else {
                throw .noSuchSpace(adoption.space.description)
            }
            // It may have lost the right since.
            try need(.writer, in: index)
            if isDiskLow { throw .storeFull(.floor(freeBytes: diskFree, floorBytes: diskFloorBytes)) }
            guard try advance(&adoption, in: index, at: now) else {
                return adoptions.goOn(adoption, at: now.monotonic)
            }
            if let request = adoption.request {
                batch.answer(request, .adopted(adoption.report))
            } else {
                try endOwnLate(adoption.report, in: index)
            }
        } catch {
            // The node adopts the rest of its own late changes when it looks at them again.
            if let request = adoption.request { refuse(request, error, at: now) }
        }
    }

    // MARK: Own late changes

    /// This node makes its late changes again: a checkpoint did not wait for it, and nothing that it wrote
    /// meanwhile is lost (LIFECYCLE 2).
    private mutating func beginOwnLate(in index: SpaceHandle, at now: Instant) {
        guard spaces[index].checkpoints.ownLateCheck <= now.monotonic else { return }
        let space = spaces[index].id
        guard spaces[index].mayAdoptOwnLate, !isDiskLow, !adoptions.holdsOwnLate(of: space),
            adoptions.count < Adoptions.countMax
        else {
            // A right that is lacking comes back rarely; all else settles soon.
            let mayWrite = spaces[index].roster.role(of: device) ?? .relay >= .writer
            let rest = mayWrite ? NodeLimits.ownLateRestMilliseconds : NodeLimits.ownLateAgainMilliseconds
            spaces[index].checkpoints.ownLateCheck = now.monotonic + rest
            return
        }
        spaces[index].checkpoints.ownLateCheck = now.monotonic + NodeLimits.ownLateAgainMilliseconds
        adoptions.begin(
            Adoptions.Adoption(
                request: nil, space: space, rest: .author(device, after: .start),
                logs: LogReader(space: space)), at: now.monotonic)
    }

    private mutating func endOwnLate(_ report: AdoptionReport, in index: SpaceHandle) throws(NodeError) {
        // More of them may turn out to be late.
        if spaces[index].mayAdoptOwnLate {
            try stored { node throws(StoreFailure) in
                try node.spaces[index].setOwnLate(false, in: &node.transaction)
            }
        }
        let left = report.skipped.count { $0.why != .adopted }
        if report.adopted == 0, left == 0 { return }
        let name = spaces[index].name
        batch.log(
            .notice, "late-adopted",
            "a checkpoint of space \(name) did not wait for this node: "
                + "\(counted(report.adopted, "change")) of it came late and was made again"
                + (left == 0 ? "" : "; of \(left) not all could be, see `replctl void \(name)`"))
    }

    /// The next step; true: it was the last.
    private mutating func advance(
        _ adoption: inout Adoptions.Adoption, in index: SpaceHandle, at now: Instant
    ) throws(NodeError) -> Bool {
        switch adoption.rest {
        case .changes(var changes):
            let step = changes.prefix(NodeLimits.adoptedStepMax)
            changes.removeFirst(step.count)
            for change in step { try adopt(change, &adoption, in: index, at: now) }
            adoption.rest = .changes(changes)
            return changes.isEmpty
        case .author(let author, var after):
            let logs = Set(spaces[index].logs.written(by: author))
            let page = try stored { node throws(StoreFailure) in
                try node.spaces[index].writeRun(to: &node.transaction)
                return try node.store.commits(
                    adoption.space, after: after, limit: NodeLimits.adoptionLooksMax)
            }
            var count = 0
            for record in page where count < NodeLimits.adoptedStepMax {
                after = record.position
                guard record.status == .void, logs.contains(record.replica) else { continue }
                if adoption.request == nil, try !isVoidForLateness(record, &adoption, in: index) { continue }
                count += 1
                try adopt(Dot(record.replica, record.last), &adoption, in: index, at: now)
            }
            adoption.rest = .author(author, after: after)
            return count < NodeLimits.adoptedStepMax && page.count < NodeLimits.adoptionLooksMax
        }
    }

    /// Also of what a later checkpoint holds, where it is void for ever.
    private mutating func isVoidForLateness(
        _ record: CommitRecord, _ adoption: inout Adoptions.Adoption, in index: SpaceHandle
    ) throws(NodeError) -> Bool {
        var judge = spaces[index].voidJudge
        let author = device
        return try stored { node throws(StoreFailure) in
            let change = try adoption.logs.change(record, from: node.store)
            let verdict = try judge.verdict(on: change, by: author, reading: &adoption.logs, from: node.store)
            return verdict?.reason == .late
        }
    }

    private mutating func adopt(
        _ change: Dot, _ adoption: inout Adoptions.Adoption, in index: SpaceHandle, at now: Instant
    ) throws(NodeError) {
        if spaces[index].forks.isVoid(change) {
            let reissue = try stored { node throws(StoreFailure) in
                try node.reissue(of: change.replica, in: index)
            }
            if let reissue, spaces[index].logs[reissue.replica] != nil {
                return adoption.report.skip(change, .reissued)
            }
        }
        let outcome = try spaces[index].adopt(
            change, by: device, &entropy, at: now, cursors: epochs.current, with: &adoption.logs,
            in: &transaction)
        if case .adopted = outcome { counters.transactions += 1 }
        adoption.report.add(outcome, of: change)
    }
}

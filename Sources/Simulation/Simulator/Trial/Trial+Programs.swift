// The programs of a trial: they make and join the space, write, watch and wait, and hand what they are told
// to the checkers.

import Bytes
import Causality
import Documents
import Node
import Wire

extension Trial {
    mutating func request(_ index: Int, _ request: NodeRequest, for purpose: Purpose) {
        guard world.nodes[index].node != nil else { return }
        // Known before it is asked: the answer may come at once.
        members[index].pending[world.nextRequestID(of: index)] = PendingRequest(
            purpose: purpose, asked: world.time)
        world.request(index, request)
    }

    var reference: SpaceReference { SpaceReference(Self.spaceName) }

    /// Nodes that run, are in the space, and are honest.
    func running(where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
        members.indices.filter { index in
            members[index].isJoined && !members[index].isTraitor && !members[index].isOut
                && world.nodes[index].node != nil && isWanted(index)
        }
    }

    // MARK: Joining

    /// Whoever is due asks an admin for an invite.
    mutating func join() {
        for index in members.indices
        where !members[index].isJoined && members[index].joinAt <= world.time {
            members[index].joinAt = world.time + 30_000
            guard world.nodes[index].node != nil, !members[index].isJoining, !members[index].isTraitor,
                let admin = inviter(for: index)
            else { continue }
            members[index].isJoining = true
            members[index].joinAt = world.time + 90_000
            let tokens = members[index].tokens
            if usesOldToken(index) {
                join(index, with: tokens[members[index].tries % tokens.count])
                continue
            }
            request(
                admin, .invite(reference, role: members[index].role, expiresSeconds: 86_400),
                for: .invite(for: index))
        }
        for index in members.indices where members[index].joinAt <= world.time {
            members[index].isJoining = false
        }
    }

    /// Who lets it in: where members go, now one, now another.
    private mutating func inviter(for index: Int) -> Int? {
        let admins = running { members[$0].role == .admin && $0 != index }
        return plan.isAboutMembers ? admins.randomElement(using: &world.dice) : admins.first
    }

    /// A token that it has is tried once more. Where admins go, it may be worth nothing.
    private func usesOldToken(_ index: Int) -> Bool {
        let (count, tries) = (members[index].tokens.count, members[index].tries)
        if plan.isAboutMembers { return count > 0 && tries % 2 != 0 }
        return count > 4 || (count > 0 && tries % 3 != 0)
    }

    private mutating func join(_ index: Int, with token: String) {
        members[index].tries += 1
        request(index, .join(token: token, name: Self.spaceName), for: .join)
    }

    private mutating func joined(_ index: Int) throws(Violation) {
        members[index].isJoined = true
        members[index].isJoining = false
        tell("node \(index) is in the space")
        checker.departed.remove(world.nodes[index].device)
        watchRoster(index)
        try checker.takeCommitted(index, world)
        recordStanding(of: index)
        if !hasStream(index) { watch(index) }
    }

    /// A box that was removed and let in again has the stream of before.
    private func hasStream(_ index: Int) -> Bool {
        members[index].pending.values.contains { if case .watch = $0.purpose { true } else { false } }
    }

    mutating func watch(_ index: Int) {
        members[index].watchAt = nil
        guard members[index].role >= .reader, !members[index].isTraitor else { return }
        let cursor = checker.views[index].watch.cursor
        let isFromBeginning = cursor == nil || workload.isChosen(oneIn: 4)
        let start: WatchStart = isFromBeginning ? .begin : .cursor(cursor ?? "")
        request(
            index, .watch(reference, start: start, prefix: "", follow: true),
            for: .watch(isFromBeginning: isFromBeginning))
    }

    // MARK: Writing

    mutating func write() {
        nextWrite = world.time + UInt64.random(in: 1...2 * plan.pace, using: &world.dice)
        guard written < plan.transactionsMax else {
            nextWrite = .max
            return
        }
        let writers = running { members[$0].role >= .writer }
        guard !writers.isEmpty, let space = checker.space else { return }
        let index = workload.writer(of: writers)
        if let transaction = members[index].unanswered.popLast() { return write(transaction, at: index) }
        let node = world.nodes[index].node
        var transaction = workload.transaction { node?.glance($0, in: space) }
        if plan.hasForks { transaction = transaction.counted(as: UInt64(written)) }
        let purpose = conditional(transaction, at: index)
        if case .conditional(let conditional, _) = purpose { transaction = conditional }
        write(transaction, at: index, for: purpose)
    }

    mutating func write(_ transaction: Transaction, at index: Int, for purpose: Purpose? = nil) {
        written += 1
        if let serial = transaction.serial, checker.ledger[serial] == nil {
            checker.ledger[serial] = .some(nil)
        }
        request(index, .transact(reference, transaction), for: purpose ?? .write(transaction))
    }

    // MARK: Answers

    mutating func answered(_ index: Int, _ id: RequestID, _ answer: NodeAnswer) throws(Violation) {
        guard let purpose = members[index].pending[id]?.purpose else { return }
        if answer.isFinal { members[index].pending[id] = nil }
        switch (purpose, answer) {
        case (.create, .space(let report)):
            checker.space = report.id
            try joined(index)
        case (.invite(let joiner), .invite(_, let token)):
            members[joiner].tokens.append(token)
            join(joiner, with: token)
        case (.invite(let joiner), .failed): members[joiner].isJoining = false
        case (.join, .joined): try joined(index)
        case (.join, .failed(let error)):
            tell("node \(index) did not join: \(error)")
            members[index].isJoining = false
        case (.write(let transaction), .transaction(let change, let version, let cursor)):
            _ = try checker.shown(by: cursor, at: index)
            members[index].lastVersion = version
            try acknowledged(transaction, change, at: index)
        case (.conditional(let transaction, let seen), _):
            try answered(transaction, on: seen, answer, at: index)
        case (.read(let reading, let atLeast), _):
            try answeredRead(reading, atLeast: atLeast, answer, at: index)
        case (.full(let transaction), _): try answeredOnFullDisk(index, transaction, answer)
        case (.step(let step), .transaction(let change, _, _)):
            script?.counts.acknowledged += 1
            try acknowledged(step.transaction, change, at: index)
        case (.step(let step), .failed(let error)): refused(step, error)
        case (.write, .failed(let error)): recordRefused(error)
        case (.watch(let isFromBeginning), .watching):
            checker.beginWatching(index, id, isFromBeginning: isFromBeginning)
        case (.watch, .watchLine(let line)): try told(line, at: index, id)
        case (.watch, .ended), (.watch, .failed): try streamEnded(index, answer)
        case (.mark(let transaction), .transaction(let change, _, _)):
            result.transactions -= 1
            try acknowledged(transaction, change, at: index)
            if let change { members[index].marks.append(change) }
        case (.mark, .failed(let error)):
            throw Violation(.serves, "node \(index) refuses a write after the faults: \(error)")
        case (.report, _): try checkNumbers(index, answer)
        case (.propose, .failed(let error)), (.collect, .failed(let error)): recordRefused(error)
        case (.propose, .checkpointProposed): result.marks.insert("proposed-by-hand")
        case (.collect, .collected(let report)):
            if report.changes > 0 { result.marks.insert("collected-by-hand") }
        case (.restrict, _), (.leave, _), (.adopt, _), (.members, _), (.refused, _):
            try answeredMember(purpose, answer, at: index)
        case (.wait, .waited(let change, let holders, _)):
            for holder in holders where holder.held {
                guard let other = members.indices.first(where: { world.nodes[$0].device == holder.device }),
                    !members[other].wasRestored
                else { continue }
                try checker.takeHeld(change, by: other, holder.device, toldBy: index)
            }
        default: break
        }
    }

    /// Keys are kept for a day of the node's clock, which must not jump over it.
    private var isKeyRemembered: Bool {
        !plan.isOn(.clockJumps) && !plan.isOn(.epochClocks)
    }

    mutating func recordRefused(_ error: NodeError) {
        result.marks.insert("refused-\(String(describing: error).word)")
    }

    mutating func acknowledged(_ transaction: Transaction, _ change: Dot?, at index: Int)
        throws(Violation)
    {
        result.transactions += 1
        guard let change else { return }
        tell("node \(index) acknowledged \(change): \(transaction.summary)")
        // A program that is not sure asks again, with the same key.
        if transaction.idempotency != nil, isKeyRemembered, workload.isChosen(oneIn: 2) {
            members[index].unanswered.append(transaction)
        }
        let number = try checker.takeAcknowledged(change, at: index)
        if let serial = transaction.serial, let number { checker.ledger[serial] = .some(number) }
        if workload.isChosen(oneIn: 10) {
            request(
                index, .wait(reference, change: change, on: nil, timeoutSeconds: 30), for: .wait)
        }
    }

    private mutating func told(_ line: WatchLine, at index: Int, _ id: RequestID) throws(Violation) {
        try checker.takeLine(line, at: index)
        members[index].watchFailures = 0
        let waiting = checker.views[index].watch.uncredited
        let patience = isSettling ? 1 : Int(plan.intensities[.slowWatchers] ?? 1)
        guard waiting >= patience else {
            result.faults[.slowWatchers, default: 0] += 1
            return
        }
        credit(index, id)
    }

    /// The program took the lines that it was given.
    mutating func credit(_ index: Int, _ id: RequestID) {
        let waiting = checker.views[index].watch.uncredited
        checker.views[index].watch.uncredited = 0
        if waiting > 0 { world.plan(.watchCredit(id, lines: waiting), for: index, at: world.time + 1) }
    }

    // MARK: Restarts

    mutating func crashed(_ index: Int) {
        tell("node \(index) is gone")
        for (_, pending) in members[index].pending.sorted(by: { $0.key < $1.key }) {
            switch pending.purpose {
            case .write(let transaction) where transaction.idempotency != nil && isKeyRemembered:
                members[index].unanswered.append(transaction)
            case .step(let step): unanswered(step, canRepeat: isKeyRemembered)
            case .invite(let joiner): members[joiner].isJoining = false
            case .leave where !isInSpace(index): left(index)
            default: break
            }
        }
        members[index].crash()
        checker.endWatching(index)
        if !members[index].hasDeadDisk { world.setDiskFault(index, nil) }
        let isPlanned = undoings.contains {
            if case .start(index) = $0.kind { true } else { false }
        }
        if !isPlanned, !members[index].isTraitor {
            let pause = UInt64.random(in: 10...20_000, using: &world.dice)
            undoings.append(Undoing(time: world.time + pause, kind: .start(index)))
        }
    }

    mutating func started(_ index: Int) {
        tell("node \(index) runs")
        guard let space = checker.space else {
            if index == 0 { request(0, .createSpace(name: Self.spaceName), for: .create) }
            return
        }
        if world.nodes[index].node?.spaceIDs.contains(space) == true {
            members[index].isJoined = members[index].isJoined || !members[index].isOut
            watch(index)
        }
    }
}

extension String {
    /// Up to the first character that is no letter.
    fileprivate var word: Substring { prefix { $0.isLetter } }
}

extension Transaction {
    /// For the timeline.
    var summary: String {
        operations.map { operation in
            let verb = String(String(describing: operation.verb).prefix(60))
            return "\(operation.document) \(verb)"
        }.joined(separator: "; ")
    }
}

extension Transaction {
    /// The same, counting itself in the ledger.
    func counted(as serial: UInt64) -> Transaction {
        let count = OperationRequest(
            document: Ledger.document(serial), path: [.key(Ledger.key(serial))], verb: .increment(by: 1))
        return Transaction(
            operations: operations + [count], conditions: conditions, idempotency: idempotency)
    }

    /// Its number in the ledger.
    var serial: UInt64? {
        guard let last = operations.last, last.document.hasPrefix("ledger/"),
            case .key(let key)? = last.path.first
        else { return nil }
        return UInt64(key.string.dropFirst())
    }
}

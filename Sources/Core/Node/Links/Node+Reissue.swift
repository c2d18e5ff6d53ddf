// The owner's half of a fork: what a device wrote on a branch of its own closed log is issued again, by
// whoever of its copies holds it or can fetch it (decision 0063).

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

/// Where the re-issue of one branch stands: its log at the end of what was read of it.
struct BranchWalk: Sendable {
    var log: LogState
    /// The logs that its stretches go into, ascending. Mostly one: a further one begins where the last holds
    /// another branch from there on, or where the branch was re-issued already when it was closed later.
    var parts: [Reissue] = []
    /// Nothing more of it can be written.
    var isOver = false
    /// Reads what the new logs hold already.
    var reader: LogReader

    init(log: LogState) {
        self.log = log
        reader = LogReader(space: log.space)
    }
}

/// A branch that is held here and not yet re-issued to its end.
struct PendingReissue: Sendable {
    /// Monotonic milliseconds of the next step.
    var due: UInt64
    /// Where it stands; nil: to be begun again, which finds by itself what is written already.
    var walk: BranchWalk?
}

extension Space {
    /// True for a closed log whose branches this device issues again. What was issued again from one that a
    /// checkpoint holds has no branch.
    func isReissuedHere(_ replica: ReplicaID, by device: DeviceID) -> Bool {
        forks.authors[replica] == device && forks.proven[replica] != nil
    }
}

extension Node {
    /// A log of this device was closed.
    mutating func ownLogClosed(_ replica: ReplicaID, in index: SpaceHandle, at now: Instant)
        throws(StoreFailure)
    {
        if isPlanted("branch-never-reissued") { return }
        spaces[index].findings.reissues.schedule(replica, at: now.monotonic)
        try reissueDue(at: now)
        askForBranch(replica, in: index)
    }

    /// Asks every linked member for what it holds of a closed log of this device.
    private mutating func askForBranch(_ replica: ReplicaID, in index: SpaceHandle) {
        for channel in links.channels(of: spaces[index].id) {
            guard links[channel].isFull else { continue }
            links[channel].forks.branches[replica] = nil
            let ask = askForBranch(replica, on: links[channel].number, in: index)
            send(ask.map { [$0] } ?? [], on: links[channel].link)
        }
    }

    /// After a start or a lost batch: whatever was not through is gone on with, from monotonic milliseconds
    /// on.
    mutating func resumeReissues(from due: UInt64) {
        if isPlanted("branch-never-reissued") { return }
        for index in spaces.indices {
            for replica in spaces[index].forks.proven.replicas
            where spaces[index].isReissuedHere(replica, by: device) {
                spaces[index].findings.reissues.schedule(replica, at: due)
            }
        }
    }

    mutating func tickForks(at now: Instant) {
        guard transaction.failure == nil else { return }
        do throws(StoreFailure) {
            try reissueDue(at: now)
        } catch {
            transaction.fail(error)
        }
    }

    /// Re-issues the branches that are held here, as far as their turn has come.
    mutating func reissueDue(at now: Instant) throws(StoreFailure) {
        for index in spaces.indices {
            for replica in spaces[index].findings.reissues.due(at: now.monotonic) {
                let walk = spaces[index].findings.reissues.walk(of: replica)
                switch try reissueHeld(replica, walk, in: index) {
                case .through:
                    if spaces[index].findings.reissues.finish(replica) { askForBranch(replica, in: index) }
                case .more(let walk):
                    spaces[index].findings.reissues.schedule(replica, at: now.monotonic, walk)
                case .waits:
                    let due = now.monotonic + ReplicationLimits.reissueMilliseconds
                    spaces[index].findings.reissues.schedule(replica, at: due)
                }
            }
        }
    }

    private enum Progress {
        case through
        case more(BranchWalk)
        case waits
    }

    /// Some sections of the branch that is held here.
    private mutating func reissueHeld(_ replica: ReplicaID, _ known: BranchWalk?, in index: SpaceHandle)
        throws(StoreFailure) -> Progress
    {
        guard let closing = spaces[index].forks.branch(of: replica), spaces[index].logs[replica] != nil else {
            return .through
        }
        try spaces[index].writeRun(to: &transaction)
        var walk: BranchWalk
        if let known {
            walk = known
        } else {
            walk = try branchWalk(of: replica, before: closing.first, in: index)
        }
        // What was re-issued before a restart is read again: the new log itself says how far it goes.
        var written = 0
        while written < ReplicationLimits.reissueSectionsPerStep {
            guard let next = try sealedRun(of: replica, after: walk.log.last, in: index) else {
                return .through
            }
            let before = spaces[index].position
            guard try reissue(next.run, &walk, closing, in: index) else { return .waits }
            if walk.isOver { return .through }
            if !walk.log.isAtBoundary { return .through }
            if spaces[index].position > before { written += 1 }
        }
        return .more(walk)
    }

    /// At the last boundary before a closed log's fork.
    func branchWalk(of replica: ReplicaID, before first: SequenceNumber, in index: SpaceHandle)
        throws(StoreFailure) -> BranchWalk
    {
        let space = spaces[index].id
        guard let declaration = spaces[index].logs[replica]?.declaration else {
            preconditionFailure("a branch of \(replica), of which nothing is held")
        }
        guard let stored = try store.boundary(space, replica, before: first) else {
            return BranchWalk(log: LogState(space: space, declaration: declaration))
        }
        let boundary = try store.decoded(stored, of: replica)
        do throws(LogFault) {
            return BranchWalk(log: try LogState(recovering: replica, in: space, from: boundary, []))
        } catch {
            throw .unreadable(.log(replica), error)
        }
    }

    /// Reads one section of a branch and writes what is not written yet. False: something that it was made
    /// on is not held yet; the walk is spent then.
    private mutating func reissue(
        _ run: SealedRun, _ walk: inout BranchWalk, _ closing: Closing, in index: SpaceHandle
    ) throws(StoreFailure) -> Bool {
        try reissue(candidates(of: run, &walk), &walk, closing, in: index)
    }

    /// The changes of the next section of a branch, as they stand there.
    func candidates(of run: SealedRun, _ walk: inout BranchWalk) throws(StoreFailure) -> [Candidate] {
        let heads = walk.log.rosterHeads
        do throws(LogFault) {
            return Candidate.of(try walk.log.verify(run), by: device, after: heads)
        } catch {
            throw .unreadable(.branch(run.replica, after: run.run.first), error)
        }
    }

    /// `closing`: where the branch begins.
    mutating func reissue(
        _ candidates: [Candidate], _ walk: inout BranchWalk, _ closing: Closing, in index: SpaceHandle
    ) throws(StoreFailure) -> Bool {
        for candidate in candidates where candidate.change.first >= closing.first && !walk.isOver {
            let here = Reissue(of: candidate.verified, by: device, in: spaces[index].id)
            if walk.parts.isEmpty || spaces[index].logs[here.replica] != nil, walk.parts.last != here {
                walk.parts.append(here)
            }
            var written = try write(candidate, &walk, closing, in: index)
            while written == .differs, walk.parts.count < ReplicationLimits.reissuePartsMax,
                let further = try part(of: candidate, after: walk.parts, closing, in: index)
            {
                walk.parts.append(further)
                written = try write(candidate, &walk, closing, in: index)
            }
            switch written {
            case .held: break
            case .waits: return false
            case .never, .differs:
                walk.isOver = true
                return true
            }
        }
        return true
    }

    private enum Written {
        /// It is in the new log, now or before.
        case held
        /// Something that it was made on is not held yet.
        case waits
        /// The new log goes on in another way there.
        case differs
        /// It cannot be, and so nothing behind it.
        case never
    }

    /// The log in which a branch goes on from here because the last one, `parts.last`, holds another branch
    /// from here on. It is named as the re-issue of that log would name it for whoever wrote this branch
    /// there: so it is one log, whether the copies that share the beginning of a branch meet before or after
    /// they issue it again.
    private mutating func part(
        of candidate: Candidate, after parts: [Reissue], _ closing: Closing, in index: SpaceHandle
    ) throws(StoreFailure) -> Reissue? {
        guard let last = parts.last else { return nil }
        let (space, change) = (spaces[index].id, candidate.change)
        let place = last.renamed(Dot(change.replica, change.first)).sequence
        try spaces[index].writeRun(to: &transaction)
        let stored = try store.boundary(space, last.replica, before: place)
        let held = try store.stretch(
            of: LogID(space, last.replica), from: (stored?.last ?? .none) + 1, through: place.previous)
        let end = held.bytes.isEmpty ? stored?.last ?? .none : held.last
        guard end == place.previous else { return nil }
        do {
            let boundary = try stored.map { try LogBoundary(decoding: $0.state) }
            // A log that a branch went into which a checkpoint holds may be closed from its first change on.
            var log =
                end == .none
                ? LogState(space: space, declaration: last.declaration)
                : try LogState(recovering: last.replica, in: space, from: boundary, [held.bytes])
            let there = try author(candidate, last, after: Array(parts.dropLast()), closing, on: &log)
            let other = Reissue(of: there.verified, by: device, in: space)
            return Reissue(of: change.replica, from: change.first, into: other)
        } catch is ChangeTooLarge {
            return nil
        } catch {
            throw .unreadable(.log(last.replica), error)
        }
    }

    /// A change of a branch as it stands in one of its new logs.
    private func author(
        _ candidate: Candidate, _ reissue: Reissue, after before: [Reissue], _ closing: Closing,
        on log: inout LogState
    ) throws(ChangeTooLarge) -> AuthoredChange {
        var context = reissue.context(of: candidate.change, closed: closing.first, after: before)
        // The branch may have been closed earlier since: then less of it counts than what stands in this log.
        context.join(log.context)
        return try log.author(
            timestamp: candidate.change.timestamp, context: context, rosterHeads: candidate.heads,
            operations: reissue.operations(of: candidate.change, after: before))
    }

    /// Writes one change of a branch into the last of its new logs, once.
    private mutating func write(
        _ candidate: Candidate, _ walk: inout BranchWalk, _ closing: Closing, in index: SpaceHandle
    ) throws(StoreFailure) -> Written {
        guard let reissue = walk.parts.last else { return .never }
        let before = Array(walk.parts.dropLast())
        let change = candidate.change
        let first = reissue.renamed(Dot(change.replica, change.first)).sequence
        let id = LogID(spaces[index].id, reissue.replica)
        var log =
            spaces[index].logs[reissue.replica]
            ?? LogState(space: spaces[index].id, declaration: reissue.declaration)
        // Closed itself: what stands there in either way goes on in a log that is named after it.
        let closed = spaces[index].forks.closed[reissue.replica]
        if let closed, first >= closed.first { return .differs }
        if log.next > first { return try compare(change, at: first, &walk, in: index) }
        if closed != nil || log.next < first || links.buffer.isWaiting(id) { return .waits }
        let authored: AuthoredChange
        do throws(ChangeTooLarge) {
            authored = try author(candidate, reissue, after: before, closing, on: &log)
        } catch {
            batch.log(
                .error, "reissue-too-large",
                "change \(change.id) of a closed log does not fit into its new log \(reissue.replica): "
                    + "\(FaultWords(error)); it and what follows stay readable in the log")
            return .never
        }
        let again = Candidate.reissued(authored, by: device, heads: candidate.heads)
        switch spaces[index].admit(again) {
        case .ready(let ready):
            spaces[index].logs.advanceReissue(log)
            try execute(ready, in: index)
            return .held
        case .duplicate: return .held
        case .refused: return .never
        case .early: return .waits
        }
    }

    /// Whether what a new log holds at a place is this change, or that of another branch.
    private mutating func compare(
        _ change: Change, at first: SequenceNumber, _ walk: inout BranchWalk, in index: SpaceHandle
    ) throws(StoreFailure) -> Written {
        guard let reissue = walk.parts.last else { return .never }
        try spaces[index].writeRun(to: &transaction)
        let found = try walk.reader.find(Dot(reissue.replica, first), from: store)
        guard let held = found?.change else {
            // Let go with its log: what it was is not known any more.
            return spaces[index].held[reissue.replica] >= first ? .differs : .waits
        }
        guard held.first == first, held.timestamp == change.timestamp else { return .differs }
        // Written when the log was closed later, it names what was the trunk then by the old names.
        let isSame =
            held.operations == reissue.operations(of: change, after: Array(walk.parts.dropLast()))
            || held.operations == reissue.operations(of: change)
        return isSame ? .held : .differs
    }
}

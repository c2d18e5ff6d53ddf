// Branches of closed logs, between their owner and whoever holds them: the owner asks for what it needs to
// issue them again, others answer, and what comes is checked and given on (decision 0063).

import Bytes
import Causality
import Identity
import Replication
import SecureLink
import Wire

extension Node {
    /// A device asks for a stretch of what is held here of its own closed log.
    mutating func forkAskArrived(_ frame: ForkAskFrame, _ place: ChannelPlace) {
        let (index, replica) = (place.space, frame.replica)
        // A device that is not at the checkpoint yet which moved the closing asks as the proof says, or one
        // before that moved it less far. It may have acknowledged that in what it asks for, and cannot come
        // to it without.
        let forks = spaces[index].forks
        guard spaces[index].author(of: replica) == links[place.link].device,
            let closed = forks.closed[replica]?.first, frame.first <= closed,
            frame.first >= min(closed, forks.proven[replica]?.first ?? closed),
            frame.from >= frame.first, !forks.others.contains(replica)
        else { return }
        guard links[links[place.link].connection].pour.isOpen else {
            return links[place.channel].forks.postpone(frame)
        }
        do throws(StoreFailure) {
            try spaces[index].writeRun(to: &transaction)
            if frame.from == frame.first, try isReissued(replica, from: frame.first, in: index) { return }
            let space = spaces[index].id
            let base = try store.boundary(space, replica, before: frame.from)?.last ?? .none
            guard let run = try sealedRun(of: replica, after: base, in: index), run.run.run.last >= frame.from
            else { return }
            sendRun(run, .branch, place)
        } catch {
            transaction.fail(error)
        }
    }

    /// True when all that is held of a branch is held under its new logs too. O(branch).
    func isReissued(_ replica: ReplicaID, from first: SequenceNumber, in index: SpaceHandle)
        throws(StoreFailure)
        -> Bool
    {
        guard let author = spaces[index].author(of: replica) else { return true }
        var walk = try branchWalk(of: replica, before: first, in: index)
        var last: (log: Reissue, change: Change)?
        while let next = try sealedRun(of: replica, after: walk.log.last, in: index) {
            let changes: [VerifiedChange]
            do throws(LogFault) {
                changes = try walk.log.verify(next.run).changes
            } catch {
                throw .unreadable(.branch(replica, after: next.run.run.first), error)
            }
            for change in changes where change.change.first >= first {
                let here = Reissue(of: change, by: author, in: spaces[index].id)
                let isKnown = last == nil || spaces[index].logs[here.replica] != nil
                last = (isKnown ? here : last?.log ?? here, change.change)
            }
            if !walk.log.isAtBoundary { break }
        }
        guard let last else { return true }
        return spaces[index].held[last.log.replica] >= last.log.renamed(last.change.id).sequence
    }

    /// The log that the branch held here goes into; nil when none of it is held.
    func reissue(of replica: ReplicaID, in index: SpaceHandle) throws(StoreFailure) -> Reissue? {
        guard let closing = spaces[index].forks.branch(of: replica), let log = spaces[index].logs[replica],
            log.last >= closing.first
        else { return nil }
        let part = try store.stretch(
            of: LogID(spaces[index].id, replica), from: closing.first, through: closing.first)
        guard !part.bytes.isEmpty, part.first == closing.first else { return nil }
        return Reissue(
            of: replica, from: closing.first, part.bytes, by: log.declaration.device, in: spaces[index].id)
    }

    /// A stretch of a branch that was asked for.
    mutating func branchArrived(
        _ run: SealedRun, after base: ForkProof.Base, isShared: Bool, _ place: ChannelPlace, at now: Instant
    ) throws {
        let (index, replica) = (place.space, run.replica)
        guard let closing = spaces[index].forks.closed[replica], run.declaration.device == device else {
            return
        }
        var walk: BranchWalk
        if base.last < closing.first {
            // The first stretch: both branches share what is before it, once it is here; or it passes what a
            // checkpoint holds, of which only another branch is here.
            guard try isShared || passesFinal(run, after: base, closing, in: index) else {
                if spaces[index].held[replica] < base.last { askAgain(replica, in: index, at: now) }
                return
            }
            walk = BranchWalk(log: try LogState(of: run.declaration, in: spaces[index].id, after: base))
        } else {
            let known = links[place.channel].forks.branches[replica]
            // It goes on where the last one ended; what it holds is checked against that.
            guard let known, known.log.last == base.last else { return }
            walk = known
        }
        let heads = walk.log.rosterHeads
        let verified = try walk.log.verify(run)
        let isWritten = try reissue(
            Candidate.of(verified, by: device, after: heads), &walk, closing, in: index)
        guard isWritten, !walk.isOver else {
            links[place.channel].forks.branches[replica] = nil
            guard !isWritten else { return }
            return askAgain(replica, in: index, at: now)
        }
        links[place.channel].forks.branches[replica] = walk
        guard walk.log.isAtBoundary else { return }
        let ask = ForkAskFrame(replica: replica, first: closing.first, from: run.run.last + 1)
        send([LinkFrame(ask, on: place.number)], on: place.link)
    }

    /// True when a run goes on behind the end of what a checkpoint holds of a log that is held otherwise.
    private func passesFinal(
        _ run: SealedRun, after base: ForkProof.Base, _ closing: Closing, in index: SpaceHandle
    ) throws -> Bool {
        guard spaces[index].forks.others.contains(run.replica) else { return false }
        var log = try LogState(of: run.declaration, in: spaces[index].id, after: base)
        let changes = try log.verify(run).changes
        return ForkProof.passes(closing.trunkHash, at: closing.trunkLast, changes, after: base)
    }

    /// What a branch was made on is under way: it is asked for again in a moment.
    private mutating func askAgain(_ replica: ReplicaID, in index: SpaceHandle, at now: Instant) {
        let due = now.monotonic + ReplicationLimits.reissueMilliseconds
        spaces[index].findings.reissues.scheduleUnheard(replica, at: due)
    }

    mutating func forkRunArrived(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) {
        do {
            let frame = try ForkRunFrame(of: spaces[place.space].id, decoding: body)
            guard let theirs = try openShown(frame.segment, place, at: now) else { return }
            let base = ForkProof.Base(last: theirs.run.first.previous, chainHash: frame.baseHash)
            // Of its own log a device wants branches before it has the trunk.
            guard frame.purpose == .branch || spaces[place.space].logs[theirs.replica] != nil else { return }
            try spaces[place.space].writeRun(to: &transaction)
            let isShared =
                try store.boundaryHash(of: LogID(spaces[place.space].id, theirs.replica), at: base.last)
                == base.chainHash
            if frame.purpose == .branch {
                return try branchArrived(theirs, after: base, isShared: isShared, place, at: now)
            }
            guard isShared, let mine = try sealedRun(of: theirs.replica, after: base.last, in: place.space)
            else {
                return
            }
            try learn(
                try ForkProof(base: base, mine.run, theirs, in: spaces[place.space].id), in: place.space,
                from: nil, at: now)
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch ForkProofFault.noDifference {
            // One of us has just more than the other: anti-entropy takes care of it.
        } catch {
            fault(place.link, "a run after a common boundary: \(FaultWords(error))", at: now)
        }
    }
}

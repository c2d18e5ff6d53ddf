// Branches of closed logs, between their owner and whoever holds them: the owner asks for what it needs to
// issue them again, others answer, and what comes is checked and given on (decision 0063).

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

extension Node {
    /// One question for each closed log of this device.
    func asksForBranches(on number: UInt16, in index: SpaceHandle) -> [LinkFrame] {
        spaces[index].forks.closed.replicas.compactMap { askForBranch($0, on: number, in: index) }
    }

    /// The question for a closed log of this device; nil: it is not one. Whoever does not know that the log
    /// is closed there drops it.
    func askForBranch(_ replica: ReplicaID, on number: UInt16, in index: SpaceHandle) -> LinkFrame? {
        let forks = spaces[index].forks
        guard let closing = forks.closed[replica], forks.authors[replica] == device else { return nil }
        let ask = ForkAskFrame(replica: replica, first: closing.first, from: closing.first)
        return LinkFrame(ask, on: number)
    }

    /// A device asks for a stretch of what is held here of its own closed log.
    mutating func forkAskArrived(_ frame: ForkAskFrame, _ place: ChannelPlace) {
        let (index, replica) = (place.space, frame.replica)
        guard spaces[index].author(of: replica) == links[place.link].device,
            spaces[index].forks.closed[replica]?.first == frame.first, frame.from >= frame.first
        else { return }
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
        guard let closing = spaces[index].forks.closed[replica], let log = spaces[index].logs[replica],
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
            // The first stretch: both branches share what is before it, once it is here.
            guard isShared else {
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
        let isWritten = try reissue(Candidate.of(verified, by: device, after: heads), &walk, in: index)
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

    /// What a branch was made on is under way: it is asked for again in a moment.
    private mutating func askAgain(_ replica: ReplicaID, in index: SpaceHandle, at now: Instant) {
        let due = now.monotonic + ReplicationLimits.reissueMilliseconds
        spaces[index].findings.reissues.scheduleUnheard(replica, at: due)
    }
}

// Waiting requests are looked at after each commit (vectors may have moved) and at their deadlines.

import Causality
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func wait(
        _ id: RequestID, in index: SpaceHandle, change: Dot, on devices: [DeviceID]?, timeoutSeconds: UInt64,
        at now: Instant
    ) throws(NodeError) {
        let space = spaces[index]
        for device in devices ?? [] where space.roster.role(of: device) == nil {
            throw .noSuchMember(device.text)
        }
        guard waitingReads.count + waitingHolds.count < NodeLimits.waitsMax else {
            throw .tooMany(what: "waits", limit: NodeLimits.waitsMax)
        }
        // Relays are not waited for unless they are named: this version sends them no changes to hold.
        let all = space.roster.members().filter { $0.state == .active && $0.role > .relay }.map(\.device)
        waitingHolds.append(
            WaitingHold(
                request: id, space: space.id, change: change, devices: (devices ?? all).sorted(),
                deadline: now.monotonic + timeoutSeconds * 1_000))
    }

    /// Answers what is fulfilled now. Called after a commit: `durable` and the peers' vectors are what they
    /// say.
    mutating func answerWaiting(at now: Instant) {
        if !waitingHolds.isEmpty {
            let waiting = waitingHolds
            waitingHolds = []
            for hold in waiting where !answer(hold, isLate: now.monotonic >= hold.deadline) {
                waitingHolds.append(hold)
            }
        }
        if !waitingReads.isEmpty {
            let waiting = waitingReads
            waitingReads = []
            for read in waiting where !answer(read, at: now) {
                waitingReads.append(read)
            }
        }
    }

    /// Answers late requests and sweeps; then other deadlines of the node.
    mutating func expire(at now: Instant) {
        // `commit` answers what waits, late or not: the batch that this tick is in ends with one.
        guard now.monotonic >= nextSweep else { return }
        nextSweep = now.monotonic + 3_600_000
        expireLeaving(at: now)
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.expireIdempotency(before: now.wall, moved: wallJump(since: swept, to: now))
            // There was no room for it at the start.
            try reconsiderSkipped(at: now)
        } catch {
            return transaction.fail(error)
        }
        swept = now
    }

    /// By how much the wall clock was put on (or back) beside the other one: a box without a clock of its own
    /// learns the time after its start, and what it has kept for a day is not a day older then. Small
    /// differences are the clock being steered.
    private func wallJump(since before: Instant, to now: Instant) -> Int64 {
        let passed = now.monotonic - before.monotonic
        let jump = Int64(clamping: now.wall) - Int64(clamping: before.wall) - Int64(clamping: passed)
        return jump.magnitude < NodeLimits.wallJumpMilliseconds ? 0 : jump
    }

    private mutating func answer(_ hold: WaitingHold, isLate: Bool) -> Bool {
        guard let index = spaces.handle(of: hold.space) else {
            batch.refuse(hold.request, .noSuchSpace(hold.space.description))
            return true
        }
        let change = standIn(for: hold.change, in: index)
        var held: [HeldBy] = []
        for device in hold.devices {
            held.append(HeldBy(device: device, held: holds(device, change, in: index)))
        }
        let complete = held.allSatisfy(\.held)
        if complete || isLate {
            batch.answer(hold.request, .waited(change: hold.change, on: held, complete: complete))
        }
        return complete || isLate
    }

    /// The change itself, or what it was re-issued as when it is void.
    private mutating func standIn(for change: Dot, in index: SpaceHandle) -> Dot {
        guard spaces[index].forks.closed.isClosed(change) else { return change }
        do throws(StoreFailure) {
            return try reissue(of: change.replica, in: index)?.renamed(change) ?? change
        } catch {
            // Asked again after the next commit.
            return change
        }
    }

    private func holds(_ device: DeviceID, _ change: Dot, in index: SpaceHandle) -> Bool {
        if device == self.device { return spaces[index].durable.contains(change) }
        return spaces[index].peerVectors[device]?.contains(change) ?? false
    }

    private mutating func answer(_ waiting: WaitingRead, at now: Instant) -> Bool {
        let isLate = now.monotonic >= waiting.deadline
        guard let index = spaces.handle(of: waiting.space) else {
            batch.refuse(waiting.request, .noSuchSpace(waiting.space.description))
            return true
        }
        guard waiting.token.isHeld(in: spaces[index].durable, closed: spaces[index].forks.closed) else {
            if isLate { batch.refuse(waiting.request, .timedOut) }
            return isLate
        }
        do throws(NodeError) {
            try answerRead(waiting.request, waiting.read, in: index)
        } catch {
            refuse(waiting.request, error, at: now)
        }
        return true
    }
}

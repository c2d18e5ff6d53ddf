// From candidates to changes that are executed: admission, the buffer of what came early, and its bounds.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func askAgain(_ place: ChannelPlace, at now: Instant) {
        links[place.channel].supply.isAhead = true
        links[place.channel].sync.askAgain(at: now.monotonic)
    }

    /// What a log's verifier passed is not held: its head goes back to what is.
    mutating func reopen(_ log: LogID, in index: SpaceHandle) throws(StoreFailure) {
        _ = links.buffer.drop(log)
        try spaces[index].logs.reopen(log.replica, in: &transaction)
    }

    /// Executes a change that was admitted.
    mutating func execute(_ ready: ReadyChange, in index: SpaceHandle) throws(StoreFailure) {
        let status = try spaces[index].execute(ready, cursors: epochs.current, in: &transaction)
        counters.changesCommitted += 1
        if status == .void { counters.changesVoid += 1 }
        if status == .skipped { counters.changesSkipped += 1 }
        links.buffer.advance(LogID(spaces[index].id, ready.change.replica), to: ready.change.last)
    }

    /// Executes what became ready in the buffer. What is refused there goes, with everything behind it in its
    /// log.
    mutating func drain() {
        do throws(StoreFailure) {
            while let next = nextReady() {
                guard let place = spaces.handle(of: next.log.space) else { continue }
                let space = next.log.space
                if crashGuard.holds([next.candidate], isWhole: false, of: space, in: &transaction) {
                    continue
                }
                switch spaces[place].admit(next.candidate) {
                case .ready(let ready) where ready.status == .void && isPlanted("void-thrown-away"): break
                case .ready(let ready): try execute(ready, in: place)
                case .duplicate: break
                case .early, .refused:
                    _ = links.buffer.drop(next.log)
                    try reopen(next.log, in: place)
                }
            }
        } catch {
            transaction.fail(error)
        }
    }

    /// Copies of vectors and rosters live in here only, so that executing does not copy what they share.
    private mutating func nextReady() -> (log: LogID, candidate: Candidate)? {
        if links.buffer.isEmpty { return nil }
        let spaces = self.spaces
        let next = links.buffer.next { log, candidate in
            guard let space = spaces.first(where: { $0.id == log.space }) else { return nil }
            return Admission.lack(
                of: candidate, held: space.held, closed: space.closings, roster: space.roster)
        }
        return next.map { ($0.log, $0.item) }
    }

    /// Keeps the buffer in its bounds; what was dropped is asked for again from whoever sent it.
    private mutating func enforceBuffer(at now: Instant) {
        for dropped in links.buffer.enforceBounds() {
            guard let index = spaces.handle(of: dropped.log.space) else { continue }
            do throws(StoreFailure) {
                try reopen(dropped.log, in: index)
            } catch {
                return transaction.fail(error)
            }
            for channel in links.channels(of: dropped.log.space) {
                guard dropped.peers.contains(links.peer(of: channel)) else { continue }
                askAgain(links.place(channel, in: index), at: now)
            }
            batch.log(
                .notice, "buffer-full",
                "\(dropped.changes) early changes of \(dropped.log.replica) were dropped "
                    + "(\(dropped.bytes) bytes); they are fetched again")
        }
    }

    mutating func admit(
        _ candidates: [Candidate], from peer: DeviceID, in index: SpaceHandle, at now: Instant
    ) throws {
        let space = spaces[index].id
        if crashGuard.holds(candidates, isWhole: true, of: space, in: &transaction) { return }
        var refused: Admission.Refusal?
        for candidate in candidates where refused == nil {
            let log = LogID(spaces[index].id, candidate.change.replica)
            if links.buffer.isWaiting(log) {
                let held = candidate.heldBytes(after: links.buffer.lastItem(of: log))
                links.buffer.add(candidate, of: log, byteCount: held, from: peer, lack: .rosterHead(.zero))
                links.counters.early += 1
                continue
            }
            switch spaces[index].admit(candidate) {
            case .duplicate: break
            case .ready(let ready): try execute(ready, in: index)
            case .early where isPlanted("buffer-forgets"): break
            case .early(let lack):
                let held = candidate.heldBytes(after: nil)
                links.buffer.add(candidate, of: log, byteCount: held, from: peer, lack: lack)
                links.counters.early += 1
            case .refused(let refusal):
                try reopen(log, in: index)
                refused = refusal
            }
        }
        // Also before a refusal: what was executed in front of it may be what others wait for.
        drain()
        enforceBuffer(at: now)
        if let refused { throw refused }
    }

    /// A device with very many logs in a space: all of them are taken in, and somebody should look.
    mutating func recordCrowd(of author: DeviceID, in index: SpaceHandle, at now: Instant) {
        let count = spaces[index].logs.census.count(of: author)
        guard count > ReplicationLimits.logsOfDeviceMany else { return }
        raise(
            Alarm(
                code: "many-logs",
                message:
                    "device \(named(author)) has begun more than \(ReplicationLimits.logsOfDeviceMany) logs "
                    + "in space \(spaces[index].name)",
                hint: "one log, and one more for each restored backup, is usual: each costs all members "
                    + "memory and time, so ask who runs that device and stop it",
                since: now.wall, space: spaces[index].id, device: author))
    }
}

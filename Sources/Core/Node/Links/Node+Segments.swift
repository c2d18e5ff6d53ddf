// The remote road: bytes -> segment -> verified run -> candidates -> ready changes -> append and apply. Each
// arrow is the function of its floor; here is what a node does between them, cheap checks first (THREATS.md).

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    mutating func segmentArrived(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) {
        if defers(body, place, at: now) { return }
        links.counters.segmentsReceived += 1
        links.counters.segmentBytesReceived += UInt64(body.count)
        do {
            try links[place.channel].sync.recordReceived(bytes: body.count)
            if links.pause.isOn(at: now.monotonic) { return askAgain(place, at: now) }
            var reader = ByteReader(body)
            let segment = try Segment(of: spaces[place.space].id, from: &reader)
            try reader.finish()
            try receive(segment, of: body.count, place, at: now)
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            fault(place.link, "segment: \(error)", at: now)
        }
    }

    /// Throws `StoreFailure`, or what is the sender's fault.
    private mutating func receive(
        _ segment: Segment, of byteCount: Int, _ place: ChannelPlace, at now: Instant
    ) throws {
        let header = segment.header
        let index = place.space
        let replica = header.replica
        let closing = spaces[index].forks.closed[replica]
        // Of a log that nobody here knows, only what is verified counts: anybody can make up its name.
        if spaces[index].logs[replica] != nil { showed(replica, to: header.last, place) }
        if let closing, spaces[index].held[replica] >= closing.trunkLast {
            links.counters.duplicates += 1
            return
        }
        // 1. Known already, or not the next of its log.
        let next = spaces[index].logs[replica]?.next ?? SequenceNumber(1)
        if header.last < next {
            links.counters.duplicates += 1
            links.counters.duplicateBytes += UInt64(byteCount)
            recordDuplicate(replica, of: header.declaration.device, place, at: now)
            return try compare(header, place, at: now)
        }
        if header.first > next {
            links.counters.gaps += 1
            return askAgain(place, at: now)
        }
        // 2. Decrypt, with the epoch's key that it names.
        let key = spaces[index].keys.epochs.reversed().compactMap(\.content).first {
            ContentKeyID(of: $0) == header.keyID
        }
        guard let key else {
            links.counters.unknownKeys += 1
            return
        }
        let sealed = try segment.open(contentKey: key)
        // 3. Chain and seal.
        var log =
            spaces[index].logs[replica] ?? LogState(space: spaces[index].id, declaration: header.declaration)
        let known = header.first < next ? try knownBytes(of: replica, from: header.first, in: index) : []
        let heads = log.rosterHeads
        let run: VerifiedRun
        do throws(LogFault) {
            spaces[index].logs[replica] = nil
            run = try log.verify(sealed, known: known)
            spaces[index].logs[replica] = log
        } catch {
            if log.last > .none { spaces[index].logs[replica] = log }
            return try judge(error, sealed, place, at: now)
        }
        showed(replica, to: header.last, place)
        recordNew(replica, bytes: byteCount, place, at: now)
        try recordOwnLog(replica, to: header.last, header.declaration, place, at: now)
        // 4. Admit and execute.
        let peer = links[place.link].device
        try admit(Candidate.of(run, by: header.declaration.device, after: heads), from: peer, place, at: now)
        recordCrowd(of: header.declaration.device, in: index, at: now)
    }

    /// A device with very many logs in a space: all of them are taken in, and somebody should look.
    mutating func recordCrowd(of author: DeviceID, in index: SpaceHandle, at now: Instant) {
        let count = spaces[index].logs.census.count(of: author)
        guard count > ReplicationLimits.logsOfDeviceMany else { return }
        raise(
            Alarm(
                code: "many-logs",
                message:
                    "device \(author.text) has begun more than \(ReplicationLimits.logsOfDeviceMany) logs "
                    + "in space \(spaces[index].name)",
                hint: "one log, and one more for each restored backup, is usual: each costs all members "
                    + "memory and time, so ask who runs that device and stop it",
                since: now.wall, space: spaces[index].id, device: author))
    }

    /// The peer sent it, so it holds it.
    private mutating func showed(_ replica: ReplicaID, to last: SequenceNumber, _ place: ChannelPlace) {
        let trunkLast = spaces[place.space].forks.closed[replica]?.trunkLast
        links[place.channel].sync.peerShowed(replica, to: min(last, trunkLast ?? last))
    }

    private mutating func admit(
        _ candidates: [Candidate], from peer: DeviceID, _ place: ChannelPlace, at now: Instant
    ) throws {
        let index = place.space
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
                of: candidate, held: space.held, closed: space.forks.closed, roster: space.roster)
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

    /// What a log's verifier passed is not held: its head goes back to what is.
    mutating func reopen(_ log: LogID, in index: SpaceHandle) throws(StoreFailure) {
        _ = links.buffer.drop(log)
        try spaces[index].logs.reopen(log.replica, in: &transaction)
    }

    mutating func askAgain(_ place: ChannelPlace, at now: Instant) {
        links[place.channel].supply.isAhead = true
        links[place.channel].sync.askAgain(at: now.monotonic)
    }

    /// Canonical bytes of a log's changes from `first` to its verified head: held ones, then those that wait.
    private mutating func knownBytes(
        of replica: ReplicaID, from first: SequenceNumber, in index: SpaceHandle
    ) throws(StoreFailure) -> [UInt8] {
        try spaces[index].writeRun(to: &transaction)
        var bytes = try store.stretch(of: LogID(spaces[index].id, replica), from: first, through: .max).bytes
        for waiting in links.buffer.items(of: LogID(spaces[index].id, replica))
        where waiting.change.last >= first {
            bytes += waiting.verified.bytes
        }
        return bytes
    }

    /// A run that does not verify: a fork, or somebody's fault.
    private mutating func judge(
        _ fault: LogFault, _ sealed: SealedRun, _ place: ChannelPlace, at now: Instant
    ) throws {
        switch fault {
        case .gap: askAgain(place, at: now)
        case .differentBytes, .wrongChainHash, .malformed, .wrongEnd, .sealInsideChange, .boundaryNotSealed:
            // The author's seal over other bytes than ours is a suspicion; a seal it never made is the
            // sender's fault. What goes on from another branch is mostly no change at all behind ours: it
            // names what stands in that branch's dictionary. Where nothing is held there is no other branch.
            let author = sealed.declaration.device
            guard spaces[place.space].logs[sealed.replica] != nil, !isPlanted("other-branch-blamed") else {
                throw fault
            }
            guard sealed.seals.allSatisfy({ $0.isSigned(by: author, in: spaces[place.space].id) }) else {
                throw fault
            }
            try suspect(sealed.replica, place, at: now)
        default: throw fault
        }
    }

    /// A segment that is known whole: its last seal must be over what is held.
    private mutating func compare(_ header: SegmentHeader, _ place: ChannelPlace, at now: Instant) throws {
        guard let seal = header.seals.last,
            let held = try chainHash(of: header.replica, at: seal.last, in: place.space),
            held != seal.chainHash
        else { return }
        let author = header.declaration.device
        guard seal.isSigned(by: author, in: spaces[place.space].id) else {
            throw LogFault.wrongSignature(at: seal.last)
        }
        try suspect(header.replica, place, at: now)
    }
}

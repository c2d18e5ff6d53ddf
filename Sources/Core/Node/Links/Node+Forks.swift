// Proofs of forks on links: what a side knows is compared by a hash when a channel begins, what is new goes
// to everybody at once, and each receiver checks it before anything follows from it (decision 0062).

import Bytes
import Causality
import Identity
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    // MARK: Closing

    /// A checked proof: the log is closed, here and then wherever this node is linked. At once, unless logs
    /// were closed a moment ago: then with all others that come until that time (`ForkQueue`).
    mutating func learn(
        _ proof: ForkProof, in index: SpaceHandle, from source: ConnectionID?, at now: Instant
    ) throws(StoreFailure) {
        guard try spaces[index].isNews(proof, in: store) else { return }
        // What this device itself writes into must not go on.
        if proof.declaration.device == device {
            return try close([ForkQueue.Waiting(proof: proof, source: source)], in: index, at: now)
        }
        spaces[index].findings.proofs.add(proof, from: source)
        try closeDue(in: index, at: now)
    }

    /// Closes the logs whose turn has come.
    mutating func tickProofs(at now: Instant) {
        guard transaction.failure == nil else { return }
        do throws(StoreFailure) {
            for index in spaces.indices { try closeDue(in: index, at: now) }
        } catch {
            transaction.fail(error)
        }
    }

    private mutating func closeDue(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        guard spaces[index].findings.proofs.isDue(at: now.monotonic) else { return }
        let before = spaces[index].documents.replayed
        let due = spaces[index].findings.proofs.take()
        try close(due, in: index, at: now)
        let replayed = spaces[index].documents.replayed - before
        spaces[index].findings.proofs.pause(after: replayed, changesOf: due.count, at: now.monotonic)
    }

    private mutating func close(
        _ waiting: [ForkQueue.Waiting], in index: SpaceHandle, at now: Instant
    ) throws(StoreFailure) {
        let room = WireLimits.forksMax - spaces[index].forks.closed.count
        var new: [ForkQueue.Waiting] = []
        for entry in waiting where new.count < room {
            if try spaces[index].isNews(entry.proof, in: store) { new.append(entry) }
        }
        guard !new.isEmpty else { return }
        let known = spaces[index].exceptions
        let space = spaces[index].id
        for proof in new.map(\.proof) {
            // It shows what whoever spoke of our log meant.
            if proof.declaration.device == device { spaces[index].findings.claims = [] }
            if proof.replica == spaces[index].ownReplica {
                try leaveOwnLog(
                    of: index, "this node's log \(proof.replica) was written twice, here and by a copy",
                    at: now)
            }
            // 1. What waits of it was verified behind changes that are void now: it is fetched again, to its
            // trunk. The buffer also holds what waits for it.
            let log = LogID(space, proof.replica)
            if links.buffer.isWaiting(log) { try reopen(log, in: index) }
        }
        try spaces[index].close(new.map(\.proof), at: now, cursors: epochs.current, in: &transaction)
        try closingsMoved(in: index, at: now)
        for entry in new {
            if !known.knows(entry.proof) { reportFork(entry.proof, in: index, at: now) }
            // 2. Whoever is linked hears of it.
            try tell(of: entry.proof.replica, in: index, but: entry.source)
        }
        drain()
        for proof in new.map(\.proof) where proof.declaration.device == device {
            try ownLogClosed(proof.replica, in: index, at: now)
        }
    }

    /// The proof that a log is closed by goes to all links but the one that it came by.
    private mutating func tell(of replica: ReplicaID, in index: SpaceHandle, but source: ConnectionID?)
        throws(StoreFailure)
    {
        for channel in links.channels(of: spaces[index].id) where links[channel].isFull {
            guard links.connectionID(of: links[channel].link) != source else { continue }
            links[channel].forks.send(replica)
            try pourProofs(links.place(channel, in: index), asks: false)
        }
    }

    /// Which branch of a log a checkpoint holds is told to whoever is linked, by who holds it, and asked of
    /// them, by who does not.
    private mutating func settleBranches(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        for replica in spaces[index].exceptions.takeLengthened() {
            try tell(of: replica, in: index, but: nil)
        }
        guard spaces[index].exceptions.takeUntold() else { return }
        for channel in links.channels(of: spaces[index].id) where links[channel].isFull {
            beginAgain(links.place(channel, in: index), at: now)
        }
    }

    /// Logs are closed otherwise than before, here and then on links.
    mutating func closingsMoved(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        let moved = spaces[index].exceptions.takeMoved()
        if moved.isEmpty { return }
        let space = spaces[index].id
        spaces[index].replication.logClosed()
        for replica in moved {
            guard let last = spaces[index].closings.counted(replica) else { continue }
            let log = LogID(space, replica)
            if links.buffer.isWaiting(log) { try reopen(log, in: index) }
            // 1. What was told and heard of it counts to the trunk only, and to there.
            for channel in links.channels(of: space) {
                let have = links[channel].move(replica, to: last)
                if last == .none { links[channel].sync.peerNamesGone(replica, spaces[index].exceptions.gone) }
                let vector = VersionVector(have == .none ? [] : [.init(replica, have)])
                if !vector.isEmpty {
                    spaces[index].recordVector(vector, of: links.peer(of: channel), isFull: false)
                }
            }
            // 2. Whoever waited for something of it looks again.
            links.buffer.advance(log, to: .max)
        }
    }

    /// A base moved closings: what this device wrote there is issued again from where they are now.
    mutating func finalMoved(in index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        let moved = spaces[index].forks.moved
        try closingsMoved(in: index, at: now)
        try settleBranches(in: index, at: now)
        if moved.isEmpty { return }
        drain()
        for replica in moved where spaces[index].isReissuedHere(replica, by: device) {
            try ownLogClosed(replica, in: index, at: now)
        }
    }

    private mutating func reportFork(_ proof: ForkProof, in index: SpaceHandle, at now: Instant) {
        let author = proof.declaration.device
        for member in spaces[index].findings.settle(proof.replica) {
            spaces[index].findings.alarms.resolve("fork-suspicion", of: member)
        }
        let name = spaces[index].nameOf(author)
        let first = spaces[index].forks.closed[proof.replica]?.first ?? proof.first
        raise(Self.fork(proof.replica, first, by: author, name, in: spaces[index], since: now.wall))
        batch.log(
            .warning, "log-closed",
            "log \(proof.replica) of \(named(author)) is closed at \(first) in space "
                + "\(spaces[index].name): it was proved that it goes on in two ways")
    }

    static func fork(
        _ replica: ReplicaID, _ first: SequenceNumber, by author: DeviceID, _ name: String,
        in space: Space, since: UInt64
    ) -> Alarm {
        Alarm(
            code: "fork",
            message: "device \(NamedDevice(author, name)) wrote log \(replica) of space "
                + "\(space.name) in two ways from \(first) on; neither counts",
            hint: "its state was copied or put back: stop the copy; what it wrote is kept and issued again "
                + "by the box itself. If it is nobody's mistake the device is not to be trusted",
            since: since, space: space.id, device: author)
    }

    /// Forks that were learned lately are shown again after a start.
    mutating func recallForks(at now: Instant) {
        for space in spaces {
            for replica in space.forks.proven.replicas {
                guard let closing = space.forks.closed[replica], let since = space.forks.since[replica],
                    max(now.wall, since) - min(now.wall, since) < NodeLimits.continuityShownMilliseconds
                else { continue }
                let author = space.forks.authors[replica] ?? DeviceID(publicKey: .zero)
                raise(
                    Self.fork(
                        replica, closing.first, by: author, space.nameOf(author), in: space, since: since))
            }
        }
    }

    // MARK: Frames

    mutating func forksArrived(_ frame: ForksFrame, _ place: ChannelPlace, at now: Instant) {
        let closed = spaces[place.space].forks.closed
        guard frame.hash != closed.hash else { return }
        guard let theirs = frame.entries else { return sendForks(place) }
        guard links[place.channel].forks.says(.answer) else { return }
        let known = Dictionary(theirs.map { ($0.replica, $0) }) { first, _ in first }
        do throws(StoreFailure) {
            for replica in closed.replicas {
                guard let mine = closed[replica] else { continue }
                // One of us may have come to a checkpoint that moves it, and the other not yet.
                let proven = spaces[place.space].forks.proven[replica] ?? mine
                if let entry = known[replica] {
                    let theirs = Closing(first: entry.first, trunkHash: entry.trunkHash)
                    if entry.first < proven.first || theirs == proven || theirs == mine { continue }
                }
                links[place.channel].forks.send(replica)
            }
            try pourProofs(place)
        } catch {
            return transaction.fail(error)
        }
        // They know more: they get the list once, and answer with what I lack.
        let proven = spaces[place.space].forks.proven
        let lacking = theirs.contains { entry in
            (proven[entry.replica] ?? closed[entry.replica]).map { $0.first > entry.first } ?? true
        }
        if lacking { sendForks(place) }
    }

    mutating func forkProofArrived(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) {
        do {
            let frame = try ForkProofFrame(of: spaces[place.space].id, decoding: body)
            switch try take(frame, in: place.space, from: place.connection, at: now) {
            case .taken: return
            case .unreadable(let header):
                // All that is said once a channel has to be said again when the key came.
                links[place.channel].forks.isUnread = true
                lacksKey(of: header, place, at: now)
            case .partsEarlier(let replica): compareBoundaries(replica, place, at: now)
            }
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            fault(place.link, "proof of a fork: \(FaultWords(error))", at: now)
        }
    }

    /// What became of a proof that somebody showed.
    enum ProofIntake {
        /// It is known now, or was before, or is of a log of strangers.
        case taken
        /// One of its runs is under a key that lacks here.
        case unreadable(SegmentHeader)
        /// With the one that is known it shows that the log parts before both.
        case partsEarlier(ReplicaID)
    }

    /// Checks a proof, and closes the log. Throws `StoreFailure`, or what is wrong with it.
    mutating func take(
        _ frame: ForkProofFrame, in index: SpaceHandle, from source: ConnectionID?, at now: Instant
    ) throws -> ProofIntake {
        let space = spaces[index].id
        guard let a = try open(frame.first, in: index) else { return .unreadable(frame.first.header) }
        guard let b = try open(frame.second, in: index) else { return .unreadable(frame.second.header) }
        guard a.run.first == b.run.first else { throw ForkProofFault.otherRuns }
        let base = ForkProof.Base(last: a.run.first.previous, chainHash: frame.baseHash)
        let proof = try ForkProof(base: base, a, b, in: space)
        // Logs of strangers are on nobody's disk.
        guard spaces[index].roster.member(proof.declaration.device) != nil else { return .taken }
        if let known = spaces[index].forks.proven[proof.replica], known.first == proof.first,
            known.trunkHash != proof.trunkHash
        {
            return try join(proof, in: index, at: now)
        }
        try learn(proof, in: index, from: source, at: now)
        return .taken
    }

    /// Two proofs with one sequence and different trunks: their logs part earlier.
    private mutating func join(_ proof: ForkProof, in index: SpaceHandle, at now: Instant)
        throws(StoreFailure) -> ProofIntake
    {
        let space = spaces[index].id
        let record = try store.fork(space, proof.replica)
        guard let mine = record.flatMap({ self.proof($0, in: index) }), mine.replica == proof.replica
        else { return .taken }
        let earlier: ForkProof
        do throws(ForkProofFault) {
            guard mine.base == proof.base else { throw .otherRuns }
            earlier = try ForkProof(base: proof.base, mine.runs[0], proof.runs[0], in: space)
        } catch {
            return .partsEarlier(proof.replica)
        }
        try learn(earlier, in: index, from: nil, at: now)
        return .taken
    }
}

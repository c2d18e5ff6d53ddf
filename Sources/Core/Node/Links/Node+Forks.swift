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

    /// A checked proof: the log is closed, here and then wherever this node is linked.
    mutating func learn(
        _ proof: ForkProof, in index: SpaceHandle, from source: ConnectionID?, at now: Instant
    ) throws(StoreFailure) {
        guard !spaces[index].exceptions.knows(proof) else { return }
        guard spaces[index].forks.closed.count < WireLimits.forksMax else { return }
        let (space, replica) = (spaces[index].id, proof.replica)
        // It shows what whoever spoke of our log meant.
        if proof.declaration.device == device { spaces[index].findings.claims = [] }
        if replica == spaces[index].ownReplica {
            try leaveOwnLog(
                of: index, "this node's log \(replica) was written twice, here and by a copy", at: now)
        }
        // 1. What waits of it was verified behind changes that are void now: it is fetched again, to its
        // trunk. The buffer also holds what waits for it.
        let log = LogID(space, replica)
        if links.buffer.isWaiting(log) { try reopen(log, in: index) }
        try spaces[index].close(proof, at: now, cursors: epochs.current, in: &transaction)
        reportFork(proof, in: index, at: now)
        // 2. What was told and heard of it counts to the trunk only.
        let trunkLast = proof.first.previous
        spaces[index].replication.logClosed()
        for channel in links.channels(of: space) {
            links[channel].lower(replica, to: trunkLast)
            let link = links[channel].link
            guard links.connectionID(of: link) != source, links[channel].isFull else { continue }
            if let frame = proofFrame(proof, in: index, on: links[channel].number) { send([frame], on: link) }
        }
        // 3. Whoever waited for something of it looks again.
        links.buffer.advance(log, to: .max)
        drain()
        if proof.declaration.device == device { try ownLogClosed(replica, in: index, at: now) }
    }

    private mutating func reportFork(_ proof: ForkProof, in index: SpaceHandle, at now: Instant) {
        let author = proof.declaration.device
        spaces[index].findings.alarms.resolveAll("fork-suspicion")
        let name = spaces[index].nameOf(author)
        raise(Self.fork(proof.replica, proof.first, by: author, name, in: spaces[index], since: now.wall))
        batch.log(
            .warning, "log-closed",
            "log \(proof.replica) of \(named(author)) is closed at \(proof.first) in space "
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
            for replica in space.forks.closed.replicas {
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
            for record in try store.forks(spaces[place.space].id) {
                guard let mine = closed[record.replica] else { continue }
                if let entry = known[record.replica],
                    entry.first < mine.first
                        || entry.first == mine.first && entry.trunkHash == mine.trunkHash
                {
                    continue
                }
                guard let proof = proof(record, in: place.space),
                    let frame = proofFrame(proof, in: place.space, on: place.number)
                else { continue }
                // They dropped what was asked about a log that they did not know as closed.
                let ask = askForBranch(record.replica, on: place.number, in: place.space)
                send([frame] + (ask.map { [$0] } ?? []), on: place.link)
            }
        } catch {
            return transaction.fail(error)
        }
        // They know more: they get the list once, and answer with what I lack.
        let lacking = theirs.contains { entry in closed[entry.replica].map { $0.first > entry.first } ?? true
        }
        if lacking { sendForks(place) }
    }

    mutating func forkProofArrived(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) {
        do {
            let space = spaces[place.space].id
            let frame = try ForkProofFrame(of: space, decoding: body)
            guard let a = try open(frame.first, in: place.space),
                let b = try open(frame.second, in: place.space)
            else { return }
            guard a.run.first == b.run.first else { throw ForkProofFault.otherRuns }
            let base = ForkProof.Base(last: a.run.first.previous, chainHash: frame.baseHash)
            let proof = try ForkProof(base: base, a, b, in: space)
            // Logs of strangers are on nobody's disk.
            guard spaces[place.space].roster.member(proof.declaration.device) != nil else { return }
            if let known = spaces[place.space].forks.closed[proof.replica], known.first == proof.first,
                known.trunkHash != proof.trunkHash
            {
                return try join(proof, place, at: now)
            }
            try learn(proof, in: place.space, from: place.connection, at: now)
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            fault(place.link, "proof of a fork: \(FaultWords(error))", at: now)
        }
    }

    /// Two proofs with one sequence and different trunks: their logs part earlier.
    private mutating func join(_ proof: ForkProof, _ place: ChannelPlace, at now: Instant)
        throws(StoreFailure)
    {
        let space = spaces[place.space].id
        let record = try store.forks(space).first { $0.replica == proof.replica }
        guard let mine = record.flatMap({ self.proof($0, in: place.space) }) else { return }
        let earlier: ForkProof
        do throws(ForkProofFault) {
            guard mine.base == proof.base else { throw .otherRuns }
            earlier = try ForkProof(base: proof.base, mine.runs[0], proof.runs[0], in: space)
        } catch {
            return compareBoundaries(proof.replica, place, at: now)
        }
        try learn(earlier, in: place.space, from: nil, at: now)
    }
}

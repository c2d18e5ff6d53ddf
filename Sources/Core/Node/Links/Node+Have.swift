// HAVE: what each side holds durably, with a hash of the chain there. Need follows from it, and it shows what
// must never be: a log that goes on differently elsewhere, or our own log longer at a peer than here.

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
    mutating func haveArrived(_ frame: HaveFrame, _ place: ChannelPlace, at now: Instant) {
        let (peer, handshakeHash) = (links[place.link].device, links[place.link].handshakeHash)
        var vector = spaces[place.space].forks.closed.clamped(
            VersionVector(frame.entries.map { VersionVector.Entry($0.replica, $0.last) }))
        if isPlanted("need-remembered"), let known = spaces[place.space].peerVectors[peer] {
            vector.join(known)
        }
        do throws(SpaceSync.Fault) {
            // Where more is held than one HAVE names, as a crowd of logs is (decision 0108), peers name it
            // too.
            let logsMax = spaces[place.space].held.count + ReplicationLimits.haveLogsMax
            try links[place.channel].sync.peerHolds(
                vector, isFull: frame.extent == .full, logsMax: logsMax)
        } catch {
            return fault(place.link, "HAVE: \(error)", at: now)
        }
        recordAhead(vector.entries, place, at: now)
        spaces[place.space].recordVector(vector, of: peer, isFull: frame.extent == .full)
        do throws(StoreFailure) {
            for entry in frame.entries {
                try check(entry, frame.extent, of: peer, handshakeHash, place, at: now)
            }
        } catch {
            transaction.fail(error)
        }
    }

    /// The link to a device is gone: of what it said, logs that are nobody's need not be remembered.
    mutating func trimPeerVectors(of peer: DeviceID) {
        for index in spaces.indices { spaces[index].trimPeerVector(of: peer) }
    }

    mutating func receivedArrived(_ frame: ReceivedFrame, _ place: ChannelPlace, at now: Instant) {
        do throws(SpaceSync.Fault) {
            try links[place.channel].sync.acknowledge(
                total: frame.bytes)
        } catch {
            fault(place.link, "RECEIVED: \(error)", at: now)
        }
    }

    private mutating func check(
        _ entry: HaveFrame.Entry, _ extent: HaveFrame.Extent, of peer: DeviceID,
        _ handshakeHash: [UInt8], _ place: ChannelPlace, at now: Instant
    ) throws(StoreFailure) {
        let index = place.space
        // The peer does not know yet that the log is closed; it is told.
        if spaces[index].forks.closed.isClosed(Dot(entry.replica, entry.last)) { return }
        if entry.replica == spaces[index].ownReplica, entry.last > spaces[index].durable[entry.replica] {
            return try leaveOwnLog(
                of: index,
                "peer \(peer.text) holds \(entry.last) sequences of this node's log, it holds "
                    + "\(spaces[index].durable[entry.replica])", claimedBy: peer, at: now)
        }
        var held = try chainHash(of: entry.replica, at: entry.last, in: index)
        if held == nil, extent == .full, entry.replica == spaces[index].ownReplica {
            // Once a link, whatever it costs: a restored log that has outgrown what it once sent shows only
            // here.
            held = try ownChainHash(at: entry.last, in: index)
        }
        guard let held,
            HaveFrame.Entry.fingerprint(of: held, handshakeHash: handshakeHash) != entry.fingerprint
        else { return }
        try suspect(entry.replica, place, at: now)
    }

    /// Equal sequences, different bytes: told at once, and the two branches are looked for.
    mutating func suspect(_ replica: ReplicaID, _ place: ChannelPlace, at now: Instant) throws(StoreFailure) {
        let index = place.space
        let peer = links[place.link].device
        raise(
            Alarm(
                code: "fork-suspicion",
                message: "log \(replica) of space \(spaces[index].name) differs between this node and "
                    + peer.text,
                hint: "a copied or restored node wrote it twice; both branches are kept where they are",
                since: now.wall, space: spaces[index].id, device: peer))
        compareBoundaries(replica, place, at: now)
        if replica == spaces[index].ownReplica {
            try leaveOwnLog(
                of: index, "a peer holds other bytes in this node's log \(replica)", claimedBy: peer, at: now)
        }
    }

    /// Our log went on elsewhere: it is not written to any more, and fetched like any other.
    mutating func leaveOwnLog(
        of index: SpaceHandle, _ reason: String, claimedBy peer: DeviceID? = nil, at now: Instant
    ) throws(StoreFailure) {
        // Words alone make us leave one log of a space for each member, until it shows what it spoke of.
        if let peer {
            guard spaces[index].findings.claims.insert(peer).inserted else { return }
        }
        raise(
            Alarm(
                code: "restored", message: "\(reason): its state is older than what it once sent",
                hint: "nothing is lost: the log is fetched, and this node goes on in a new one",
                since: now.wall,
                space: spaces[index].id))
        if let replica = spaces[index].ownReplica,
            spaces[index].held[replica] > spaces[index].durable[replica]
        {
            // Written in this very batch, at dots that are taken elsewhere: nobody was told yet, so it
            // never was, and is made again in a new log. The value is made again from a store that still
            // names the old one: what was learned must outlive that.
            spaces[index].findings.isRetiring = true
            spaces[index].logs.retireOwn()
            throw .overtaken
        }
        spaces[index].logs.retireOwn()
        try keepContinuity(reason, at: now)
        try store.put(spaces[index].record)
    }

    /// A log of this device that this node did not write, or not so far: a copy or an older state is about.
    mutating func recordOwnLog(
        _ replica: ReplicaID, to last: SequenceNumber, _ declaration: Change.Declaration,
        _ place: ChannelPlace, at now: Instant
    ) throws(StoreFailure) {
        guard declaration.device == device else { return }
        spaces[place.space].findings.claims.remove(links[place.link].device)
        if left.wrote(replica, to: last) { return }
        if replica == spaces[place.space].ownReplica {
            return try leaveOwnLog(
                of: place.space, "a peer sent changes of this node's log \(replica) that it does not hold",
                at: now)
        }
        raise(
            Alarm(
                code: "restored",
                message: "changes of this device that it did not hold came from a peer, in log \(replica)",
                hint: "its state was restored or copied; nothing is lost, and this node writes another log",
                since: now.wall, space: spaces[place.space].id))
    }

    /// The chain hash of our own log, made again from its bytes: at most a section of them. Zero, which is
    /// nobody's, when none of our changes ends there.
    private func ownChainHash(at last: SequenceNumber, in index: SpaceHandle) throws(StoreFailure) -> Bytes32?
    {
        guard let replica = spaces[index].ownReplica, last <= spaces[index].durable[replica] else {
            return nil
        }
        return try store.chainHash(of: LogID(spaces[index].id, replica), through: last)
    }

    /// The chain hash of a log at exactly this sequence, when a seal there is held.
    func chainHash(
        of replica: ReplicaID, at last: SequenceNumber, in index: SpaceHandle
    ) throws(StoreFailure) -> Bytes32? {
        let space = spaces[index].id
        if let told = spaces[index].replication.advertised?.hash(of: replica, at: last) { return told }
        guard last <= spaces[index].durable[replica] else { return nil }
        let seal = try store.seals(space, replica, from: last, limit: 1).first
        return seal?.last == last ? seal?.chainHash : nil
    }

    /// Brings what is told of a space up to what is durable. Only sealed prefixes are named: what is behind
    /// the last seal held cannot be passed on.
    mutating func updateAdvertised(_ index: SpaceHandle) throws(StoreFailure) {
        let space = spaces[index].id
        let (durable, position) = (spaces[index].durable, spaces[index].position)
        if spaces[index].replication.advertised?.isUp(to: durable, at: position) == true { return }
        var told = spaces[index].replication.advertised.take() ?? AdvertisedLogs()
        defer { spaces[index].replication.advertised = told }
        for entry in durable.entries(beyond: told.durable) {
            let log = LogID(space, entry.replica)
            if let closing = spaces[index].forks.closed[entry.replica], entry.last >= closing.trunkLast {
                let hash = try store.trunkHash(of: log, at: entry.last)
                told.name(entry.replica, through: entry.last, hash: hash)
            } else if let seal = try store.lastSeal(
                of: log, through: entry.last, after: told.sealed[entry.replica])
            {
                told.name(entry.replica, through: seal.last, hash: seal.chainHash)
            }
        }
        told.finish(durable, at: position)
    }
}

extension Space {
    /// A device said what it holds. Over all its links, copies of it included, no more logs than one of them
    /// may name.
    fileprivate mutating func recordVector(_ vector: VersionVector, of peer: DeviceID, isFull: Bool) {
        if isFull {
            peerVectors[peer] = vector
            return
        }
        peerVectors[peer, default: VersionVector()].join(vector)
        if peerVectors[peer]?.count ?? 0 > held.count + ReplicationLimits.haveLogsMax {
            trimPeerVector(of: peer)
        }
    }

    /// Logs of which nothing is held here go.
    fileprivate mutating func trimPeerVector(of peer: DeviceID) {
        guard let said = peerVectors[peer] else { return }
        peerVectors[peer] = VersionVector(said.entries.filter { logs[$0.replica] != nil })
    }
}

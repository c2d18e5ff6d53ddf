// Logs held against what others hold of them: a chain that goes on differently is a suspicion of a fork, and
// our own log longer at a peer than here is left for a new one.

import Bytes
import Causality
import Identity
import Replication
import Wire

extension Node {
    /// Equal sequences, different bytes: told at once, and the two branches are looked for.
    mutating func suspect(_ replica: ReplicaID, _ place: ChannelPlace, at now: Instant) throws(StoreFailure) {
        let index = place.space
        let peer = links[place.link].device
        raise(
            Alarm(
                code: "fork-suspicion",
                message: "log \(replica) of space \(spaces[index].name) differs between this node and "
                    + named(peer).description,
                hint: "a copied or restored node wrote it twice; both branches are kept where they are",
                since: now.wall, space: spaces[index].id, device: peer))
        spaces[index].findings.suspect(replica, at: peer)
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
        try storeRestoreReason(reason, at: now)
        try store.put(spaces[index].record)
        try spaces[index].setRestored(true, in: &transaction)
    }

    /// A log of this device that this node did not write, or not so far: a copy or an older state is about.
    mutating func recordOwnLog(
        _ replica: ReplicaID, to last: SequenceNumber, _ declaration: Change.Declaration,
        from peer: DeviceID?, in index: SpaceHandle, at now: Instant
    ) throws(StoreFailure) {
        guard declaration.device == device else { return }
        if let peer { spaces[index].findings.claims.remove(peer) }
        if left.wrote(replica, to: last) { return }
        let source = peer == nil ? "a bundle" : "a peer"
        if replica == spaces[index].ownReplica {
            return try leaveOwnLog(
                of: index, "\(source) brought changes of this node's log \(replica) that it does not hold",
                at: now)
        }
        raise(
            Alarm(
                code: "restored",
                message:
                    "changes of this device that it did not hold came from \(source), in log \(replica)",
                hint: "its state was restored or copied; nothing is lost, and this node writes another log",
                since: now.wall, space: spaces[index].id))
    }

    /// The chain hash of our own log, made again from its bytes: at most a section of them. Zero, which is
    /// nobody's, when none of our changes ends there.
    func ownChainHash(at last: SequenceNumber, in index: SpaceHandle) throws(StoreFailure) -> Bytes32? {
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
        // Where the base holds another branch than this log, or more, this log has nothing to compare.
        guard last <= spaces[index].durable[replica], !spaces[index].isElsewhere(replica) else {
            return nil
        }
        let seal = try store.seals(space, replica, from: last, limit: 1).first
        return seal?.last == last ? seal?.chainHash : nil
    }

    /// Keeps why a log of this node was closed, so that the next start tells it too.
    mutating func storeRestoreReason(_ reason: String, at now: Instant) throws(StoreFailure) {
        var note = ByteWriter()
        note.u64(now.wall)
        note.raw(reason.utf8)
        try transaction.beginWriting()
        try store.setMeta(NodeMeta.continuity, note.bytes)
    }

    /// The alarm that says so.
    static func restored(_ reason: String, since: UInt64) -> Alarm {
        Alarm(
            code: "restored", message: reason,
            hint: "nothing is lost: this node writes under a new incarnation and fetches what its peers hold",
            since: since)
    }
}

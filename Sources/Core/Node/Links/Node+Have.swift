// HAVE: what each side holds durably, with a hash of the chain there. Need follows from it, and it shows what
// must never be: a log that goes on differently elsewhere, or our own log longer at a peer than here.

import Bytes
import Causality
import Identity
import Replication
import Wire

extension Node {
    mutating func haveArrived(_ frame: HaveFrame, _ place: ChannelPlace, at now: Instant) {
        let (peer, handshakeHash) = (links[place.link].device, links[place.link].handshakeHash)
        var vector = spaces[place.space].closings.clamped(
            VersionVector(frame.entries.map { VersionVector.Entry($0.replica, $0.last) }))
        let closed = spaces[place.space].closings
        let beyond = frame.entries.filter { closed.isClosed(Dot($0.replica, $0.last)) }
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
            return fault(place.link, "HAVE: \(FaultWords(error))", at: now)
        }
        if frame.extent == .full { links[place.channel].base.past = nil }
        for entry in beyond { links[place.channel].sync.peerSaid(entry.replica, beyond: entry.last) }
        tellGone(named: frame.entries, place)
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

    /// The peer names logs that are gone here: it is told their ends, or it would send them.
    private mutating func tellGone(named entries: [HaveFrame.Entry], _ place: ChannelPlace) {
        let gone = spaces[place.space].exceptions.gone
        if gone.isEmpty { return }
        for entry in entries where gone[entry.replica] > .none {
            links[place.channel].sync.peerSaid(entry.replica, beyond: entry.last)
            if links[place.channel].sync.peerNamesGone(entry.replica, gone) {
                links[place.channel].pacing.tellAgain()
            }
        }
    }

    mutating func receivedArrived(_ frame: ReceivedFrame, _ place: ChannelPlace, at now: Instant) {
        do throws(SpaceSync.Fault) {
            try links[place.channel].sync.acknowledge(
                total: frame.bytes)
        } catch {
            fault(place.link, "RECEIVED: \(FaultWords(error))", at: now)
        }
    }

    private mutating func check(
        _ entry: HaveFrame.Entry, _ extent: HaveFrame.Extent, of peer: DeviceID,
        _ handshakeHash: [UInt8], _ place: ChannelPlace, at now: Instant
    ) throws(StoreFailure) {
        let index = place.space
        // The peer does not know yet that the log is closed; it is told.
        if spaces[index].closings.isClosed(Dot(entry.replica, entry.last)) { return }
        if spaces[index].closings.isGone(entry.replica) { return }
        if entry.replica == spaces[index].ownReplica, entry.last > spaces[index].durable[entry.replica] {
            return try leaveOwnLog(
                of: index,
                "peer \(named(peer)) holds \(entry.last) sequences of this node's log, it holds "
                    + "\(spaces[index].durable[entry.replica])", claimedBy: peer, at: now)
        }
        var held = try chainHash(of: entry.replica, at: entry.last, in: index)
        let isKept = entry.last > spaces[index].logs.cuts[entry.replica]
        if held == nil, extent == .full, isKept, entry.replica == spaces[index].ownReplica {
            // Once a link, whatever it costs: a restored log that has outgrown what it once sent shows only
            // here.
            held = try ownChainHash(at: entry.last, in: index)
        }
        guard let held,
            HaveFrame.Entry.fingerprint(of: held, handshakeHash: handshakeHash) != entry.fingerprint
        else { return }
        try suspect(entry.replica, place, at: now)
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
            if let closing = spaces[index].closings[entry.replica], entry.last >= closing.trunkLast {
                told.name(entry.replica, through: entry.last, hash: closing.trunkHash)
                continue
            }
            let seal = try store.lastSeal(of: log, through: entry.last, after: told.sealed[entry.replica])
            // Of a log that begins at a base nothing but its beginning may be held, which no seal is kept of.
            let cut = spaces[index].logs.cuts[entry.replica]
            if let seal, seal.last >= cut {
                told.name(entry.replica, through: seal.last, hash: seal.chainHash)
            } else if cut > told.sealed[entry.replica], let hash = try store.boundaryHash(of: log, at: cut) {
                told.name(entry.replica, through: cut, hash: hash)
            }
        }
        told.finish(durable, at: position)
    }
}

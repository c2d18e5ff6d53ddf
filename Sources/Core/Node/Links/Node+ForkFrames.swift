// Forks as frames say them: what is told when a channel opens, proofs, and requests for branches.

import Bytes
import Causality
import Crypto
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// What to say of forks when a channel has become full: nothing where there are none.
    func openingForks(on channel: inout SpaceChannel, _ number: UInt16, in index: SpaceHandle) -> [LinkFrame]
    {
        guard channel.forks.says(.hash) else { return [] }
        let closed = spaces[index].forks.closed
        guard !closed.isEmpty else { return [] }
        return [LinkFrame(ForksFrame(hash: closed.hash, entries: nil), on: number)]
            + asksForBranches(on: number, in: index)
    }

    func proof(_ record: ForkRecord, in index: SpaceHandle) -> ForkProof? {
        do throws(ForkProof.StoredFault) {
            return try ForkProof(decoding: record.proof, in: spaces[index].id)
        } catch {
            preconditionFailure("the proof of \(record.replica) was read when the space was: \(error)")
        }
    }

    mutating func proofFrame(_ proof: ForkProof, _ place: ChannelPlace) -> LinkFrame? {
        let sealing = spaces[place.space].membership.sealing(to: links[place.link].device)
        guard let content = sealing.content else { return nil }
        let space = spaces[place.space].id
        let segments = proof.runs.map {
            Segment.seal($0, in: space, contentKey: content, nonce: entropy.bytes(24))
        }
        let frame = ForkProofFrame(baseHash: proof.base.chainHash, segments[0], segments[1])
        return LinkFrame(type: FrameType.forkProof.rawValue, channel: place.number, body: frame.encoded())
    }

    /// Once a channel.
    mutating func sendForks(_ place: ChannelPlace) {
        guard links[place.channel].forks.says(.list) else { return }
        let closed = spaces[place.space].forks.closed
        let entries = closed.replicas.compactMap { replica in
            closed[replica].map {
                ForksFrame.Entry(replica: replica, first: $0.first, trunkHash: $0.trunkHash)
            }
        }
        let frame = ForksFrame(hash: closed.hash, entries: entries)
        send([LinkFrame(frame, on: place.number)], on: place.link)
    }

    /// The run of a segment, under whichever of our keys it names; nil when we hold none of that name.
    func open(_ segment: Segment, in index: SpaceHandle) throws(SegmentFault) -> SealedRun? {
        let key = spaces[index].keys.content(named: segment.header.keyID)
        guard let key else { return nil }
        return try segment.open(contentKey: key)
    }

    /// The run of a segment that is shown for a fork; nil when the key lacks: then all that is said once a
    /// channel has to be said again when it came.
    mutating func openShown(_ segment: Segment, _ place: ChannelPlace, at now: Instant) throws(SegmentFault)
        -> SealedRun?
    {
        if let run = try open(segment, in: place.space) { return run }
        links[place.channel].forks.isUnread = true
        lacksKey(of: segment.header, place, at: now)
        return nil
    }

    /// One question for each closed log of this device.
    func asksForBranches(on number: UInt16, in index: SpaceHandle) -> [LinkFrame] {
        spaces[index].forks.proven.replicas.compactMap { askForBranch($0, on: number, in: index) }
    }

    /// The question for a closed log of this device; nil: it is not one. Whoever does not know that the log
    /// is closed there drops it.
    func askForBranch(_ replica: ReplicaID, on number: UInt16, in index: SpaceHandle) -> LinkFrame? {
        let forks = spaces[index].forks
        guard let closing = forks.closed[replica], forks.authors[replica] == device else { return nil }
        let ask = ForkAskFrame(replica: replica, first: closing.first, from: closing.first)
        return LinkFrame(ask, on: number)
    }
}

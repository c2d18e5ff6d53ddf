// A base from others, on links: taken where they offer it, asked for by hash, and checked on arrival.

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
    // MARK: Taking

    mutating func baseOfferArrived(_ frame: BaseOfferFrame, _ place: ChannelPlace, at now: Instant) {
        links[place.channel].base.offer = frame
        // A relay cannot read one.
        guard let role = spaces[place.space].roster.role(of: device), role >= .reader else { return }
        let peer = links[place.link].device
        let space = spaces[place.space]
        if let taken = space.checkpoints.taken {
            guard taken.proposal.id == frame.checkpoint else { return }
            spaces[place.space].checkpoints.taken?.taking.offered(by: peer)
            return askForBase(in: place.space, at: now)
        }
        let newest = space.documents.bases.newest?.id
        guard newest != frame.checkpoint,
            let proposal = space.checkpoints.agreement.proposal(frame.checkpoint),
            newest.map({ space.checkpoints.agreement.follows(frame.checkpoint, $0) }) ?? true,
            space.documents.bases.applying == nil
        else { return }
        // Somebody else who is linked may have the log.
        let others = links.channels(of: space.id).filter { links[$0].isReady && links[$0].base.offer == nil }
        guard space.held.isEmpty || others.isEmpty else { return }
        do throws(StoreFailure) {
            try spaces[place.space].beginTaking(proposal, in: &transaction)
        } catch {
            return transaction.fail(error)
        }
        for channel in links.channels(of: space.id)
        where links[channel].base.offer?.checkpoint == frame.checkpoint {
            let source = links[links[channel].link].device
            spaces[place.space].checkpoints.taken?.taking.offered(by: source)
        }
        batch.log(
            .info, "base-taken",
            "space \(space.name) is taken from checkpoint \(frame.checkpoint.shortText), which members offer")
        askForBase(in: place.space, at: now)
    }

    mutating func basePartArrived(_ frame: BasePartFrame, _ place: ChannelPlace, at now: Instant)
        throws(DecodeFault)
    {
        guard var taken = spaces[place.space].checkpoints.taken else { return }
        let peer = links[place.link].device
        let body = taken.proposal.body
        let outcome = taken.taking.received(frame, try frame.unpacked(), from: peer, at: now.monotonic) {
            TakenBase.hash(of: $0, named: frame.hash, in: body)
        }
        spaces[place.space].checkpoints.taken = taken
        switch outcome {
        case .unasked: return
        case .more: break
        case .wrong:
            return fault(
                place.link, "a base: bytes that do not have the hash \(frame.hash.shortText)", at: now)
        case .whole(let bytes): take(bytes, named: frame.hash, place, at: now)
        }
        askForBase(in: place.space, at: now)
    }

    mutating func baseNoneArrived(_ frame: BaseNoneFrame, _ place: ChannelPlace, at now: Instant) {
        let peer = links[place.link].device
        spaces[place.space].checkpoints.taken?.taking.refused(frame.hash, by: peer)
        askForBase(in: place.space, at: now)
    }

    private mutating func take(
        _ bytes: [UInt8], named hash: Bytes32, _ place: ChannelPlace, at now: Instant
    ) {
        do {
            try spaces[place.space].take(bytes, named: hash, in: &transaction)
            guard spaces[place.space].checkpoints.taken?.isComplete == true else { return }
            let space = spaces[place.space].id
            for entry in try spaces[place.space].finishTaking(in: &transaction) {
                // What waited of these logs stood on another head, and what waited for them may be ready.
                _ = links.buffer.drop(LogID(space, entry.replica))
                links.buffer.advance(LogID(space, entry.replica), to: entry.last)
            }
            drain()
            for channel in links.channels(of: spaces[place.space].id) {
                links[channel].sync.askAgain(at: now.monotonic)
                links[channel].digest.reset()
            }
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            // Whoever signed the checkpoint signed this; the sender is not to blame.
            spaces[place.space].checkpoints.taken = nil
            raise(
                Alarm(
                    code: "base-unreadable",
                    message: "a checkpoint of space \(spaces[place.space].name) names a base that is none: "
                        + "\(FaultWords(error))",
                    hint: "its author runs a broken program: ask who that is, and keep this state directory",
                    since: now.wall, space: spaces[place.space].id))
        }
    }

    /// Asks each peer that has the base for its share of what is lacking.
    mutating func askForBase(in index: SpaceHandle, at now: Instant) {
        guard spaces[index].checkpoints.taken != nil else { return }
        for channel in links.channels(of: spaces[index].id) where links[channel].isReady {
            let peer = links[links[channel].link].device
            let wants = spaces[index].checkpoints.taken?.taking.next(for: peer, at: now.monotonic) ?? []
            if wants.isEmpty { continue }
            send([LinkFrame(BaseAskFrame(wants), on: links[channel].number)], on: links[channel].link)
        }
    }

    /// Peers that are gone or stay silent are asked no more.
    mutating func tickTaking(in index: SpaceHandle, at now: Instant) {
        guard var taken = spaces[index].checkpoints.taken else { return }
        let linked = Set(links.channels(of: spaces[index].id).map { links[links[$0].link].device })
        for peer in taken.taking.sources.sorted() where !linked.contains(peer) { taken.taking.drop(peer) }
        _ = taken.taking.expire(at: now.monotonic)
        spaces[index].checkpoints.taken = taken
        askForBase(in: index, at: now)
    }
}

extension Space {
    /// From now on nothing is shown until the checkpoint is known to stand.
    mutating func beginTaking(
        _ proposal: CheckpointProposal, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        if checkpoints.work != nil {
            checkpoints.work = nil
            while try transaction.store.removeCandidates(id, limit: 1_024) {}
        }
        checkpoints.taken = TakenBase(proposal)
        try setSeeding(true, in: &transaction)
    }
}

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
        let space = spaces[place.space]
        if let taken = space.checkpoints.taken {
            guard taken.proposal.id == frame.checkpoint else {
                // Those who had it may have gone on to what follows it.
                guard space.checkpoints.agreement.replaces(frame.checkpoint, taken.proposal.id) else {
                    return
                }
                return take(frame, in: place.space, at: now)
            }
            let source = source(place)
            spaces[place.space].checkpoints.taken?.taking.offered(by: source)
            return askForBase(in: place.space, at: now)
        }
        takeOffered(in: place.space, at: now)
    }

    /// Somebody offers a base since it has let go what this node lacks, and nobody who is linked gives that
    /// as log. Asked again with each batch: who had more of the log may have given all of it.
    mutating func takeOffered(in index: SpaceHandle, at now: Instant) {
        let channels = links.readyChannels(of: spaces[index].id)
        guard channels.contains(where: { links[$0].base.offer?.collected != nil }) else { return }
        let space = spaces[index]
        guard space.checkpoints.taken == nil, space.documents.bases.applying == nil else { return }
        let giving = channels.first { channel in
            guard let offer = links[channel].base.offer, offer.collected != nil else { return false }
            return isAhead(offer, of: space) && lacks(what: channel, in: space)
        }
        guard let giving, let offer = links[giving].base.offer else { return }
        let mayHaveLog = channels.contains { channel in
            let role = space.roster.role(of: links[links[channel].link].device) ?? .relay
            return links[channel].base.offer?.collected == nil && role >= .reader
                && lacks(what: channel, in: space)
        }
        if space.held.isEmpty || !mayHaveLog { take(offer, in: index, at: now) }
    }

    /// Takes an offered base when changes wait here for something that no linked peer holds: it stands behind
    /// the end of a log, and those who came to the checkpoint that says so never read it.
    mutating func takeBehindEnds(in index: SpaceHandle, at now: Instant) {
        guard let offer = offerForStuck(in: index) else {
            spaces[index].checkpoints.stuckSince = nil
            return
        }
        let since = spaces[index].checkpoints.stuckSince ?? now.monotonic
        spaces[index].checkpoints.stuckSince = since
        // A peer may say a moment later that it has it.
        guard now.monotonic >= since + NodeLimits.baseStuckMilliseconds else { return }
        spaces[index].checkpoints.stuckSince = nil
        take(offer, in: index, at: now)
    }

    private func offerForStuck(in index: SpaceHandle) -> BaseOfferFrame? {
        if links.buffer.isEmpty { return nil }
        let space = spaces[index]
        let channels = links.readyChannels(of: space.id)
        guard space.checkpoints.taken == nil, space.documents.bases.applying == nil,
            waitsForNobody(channels, in: space)
        else { return nil }
        return channels.compactMap { links[$0].base.offer }.first { isAhead($0, of: space) }
    }

    private func waitsForNobody(_ channels: [ChannelHandle], in space: Space) -> Bool {
        links.buffer.logs(of: space.id).contains { log in
            // That log waits itself, and is asked for what it lacks.
            guard case .dot(let dot, _)? = links.buffer.lack(of: log),
                !links.buffer.isWaiting(LogID(space.id, dot.replica))
            else { return false }
            return !channels.contains { links[$0].sync.peerHave?.contains(dot) == true }
        }
    }

    /// True when documents here are made on something before the checkpoint.
    private func isAhead(_ offer: BaseOfferFrame, of space: Space) -> Bool {
        guard let newest = space.documents.bases.newest?.id else { return true }
        return space.checkpoints.agreement.replaces(offer.checkpoint, newest)
    }

    /// True when the peer holds something that this node does not, or did not say yet what it holds.
    private func lacks(what channel: ChannelHandle, in space: Space) -> Bool {
        guard let theirs = links[channel].sync.peerHave else { return true }
        return !space.held.covers(space.closings.clamped(theirs))
    }

    /// A checkpoint stands that this node cannot come to by itself, since a log of it goes on in two ways or
    /// documents here are made on a rival of it: it takes the base from whoever offers one.
    mutating func takeUnmatched(in index: SpaceHandle, at now: Instant) {
        guard let unmatched = spaces[index].checkpoints.unmatched, spaces[index].checkpoints.taken == nil
        else { return }
        let agreement = spaces[index].checkpoints.agreement
        let offers = links.channels(of: spaces[index].id).filter { links[$0].isReady }
            .compactMap { links[$0].base.offer }
        let offer = offers.first { offer in
            agreement.stands(offer.checkpoint)
                && (offer.checkpoint == unmatched || agreement.follows(offer.checkpoint, unmatched))
        }
        if let offer { take(offer, in: index, at: now) }
    }

    private mutating func take(_ frame: BaseOfferFrame, in index: SpaceHandle, at now: Instant) {
        let space = spaces[index]
        let newest = space.documents.bases.newest?.id
        guard newest != frame.checkpoint, frame.checkpoint != space.checkpoints.outOfReach,
            let proposal = space.checkpoints.agreement.proposal(frame.checkpoint),
            newest.map({ space.checkpoints.agreement.replaces(frame.checkpoint, $0) }) ?? true,
            space.documents.bases.applying == nil
        else { return }
        do throws(StoreFailure) {
            try spaces[index].beginTaking(proposal, in: &transaction)
        } catch {
            return transaction.fail(error)
        }
        for channel in links.channels(of: space.id)
        where links[channel].base.offer?.checkpoint == frame.checkpoint {
            let source = source(links.place(channel, in: index))
            spaces[index].checkpoints.taken?.taking.offered(by: source)
        }
        batch.log(
            .info, "base-taken",
            "space \(space.name) is taken from checkpoint \(frame.checkpoint.shortText), which members offer")
        askForBase(in: index, at: now)
    }

    mutating func basePartArrived(_ frame: BasePartFrame, _ place: ChannelPlace, at now: Instant)
        throws(DecodeFault)
    {
        guard let names = spaces[place.space].checkpoints.taken?.names else { return }
        let source = source(place)
        let bytes = try frame.unpacked()
        // In place: a copy would copy the names of all pages with each.
        let outcome = spaces[place.space].checkpoints.taken?.taking.received(
            frame, bytes, from: source, at: now.monotonic
        ) {
            names.hash(of: $0, named: frame.hash)
        }
        switch outcome {
        case nil, .unasked: return
        case .more: break
        case .wrong:
            return fault(
                place.link, "a base: bytes that do not have the hash \(frame.hash.shortText)", at: now)
        case .whole(let bytes): take(bytes, named: frame.hash, in: place.space, at: now)
        }
        askForBase(in: place.space, at: now)
    }

    mutating func baseNoneArrived(_ frame: BaseNoneFrame, _ place: ChannelPlace, at now: Instant) {
        let source = source(place)
        spaces[place.space].checkpoints.taken?.taking.refused(frame.hash, by: source)
        if spaces[place.space].checkpoints.taken?.between[frame.hash] != nil {
            spaces[place.space].checkpoints.taken?.taking.giveUp(frame.hash)
            if spaces[place.space].checkpoints.taken?.isComplete == true {
                finishTaking(in: place.space, at: now)
            }
        }
        askForBase(in: place.space, at: now)
    }

    /// `isDurable`: with this batch, and not with a later one.
    mutating func take(
        _ bytes: [UInt8], named hash: Bytes32, in index: SpaceHandle, isDurable: Bool = false, at now: Instant
    ) {
        do {
            try spaces[index].take(bytes, named: hash, isDurable: isDurable, in: &transaction)
        } catch let failure as StoreFailure {
            return transaction.fail(failure)
        } catch is BaseOutOfReach {
            return leaveRival(in: index, at: now)
        } catch {
            return abandonTaken(FaultWords(error), in: index, at: now)
        }
        if spaces[index].checkpoints.taken?.isComplete == true { finishTaking(in: index, at: now) }
    }

    /// Somebody agreed on two checkpoints of which neither follows the other, and this node went too far on
    /// the one that does not count.
    private mutating func leaveRival(in index: SpaceHandle, at now: Instant) {
        guard let counting = spaces[index].checkpoints.taken.take()?.proposal.id else { return }
        spaces[index].checkpoints.outOfReach = counting
        do throws(StoreFailure) {
            // This node is no newcomer, and may never be level with anybody again.
            try spaces[index].setSeeding(false, in: &transaction)
        } catch {
            return transaction.fail(error)
        }
        let name = spaces[index].name
        raise(
            Alarm(
                code: "checkpoint-rival",
                message:
                    "members of space \(name) agreed on two checkpoints; this node went on from the one that "
                    + "does not count, and has let go of changes that \(counting.shortText), which counts, "
                    + "does not hold",
                hint: "documents here go on taking changes, and may differ from those of others: keep them "
                    + "(replctl export \(name)), then replctl space leave \(name), and join by a new invite",
                since: now.wall, space: spaces[index].id))
    }

    /// Whoever signed the checkpoint signed this; the sender is not to blame.
    private mutating func abandonTaken(_ words: FaultWords, in index: SpaceHandle, at now: Instant) {
        spaces[index].checkpoints.taken = nil
        raise(
            Alarm(
                code: "base-unreadable",
                message: "a checkpoint of space \(spaces[index].name) names a base that is none: \(words)",
                hint: "its author runs a broken program: ask who that is, and keep this state directory",
                since: now.wall, space: spaces[index].id))
    }

    private mutating func finishTaking(in index: SpaceHandle, at now: Instant) {
        do throws(StoreFailure) {
            let space = spaces[index].id
            try settleOvertaken(in: index)
            for entry in try spaces[index].finishTaking(in: &transaction) {
                // What waited of these logs stood on another head, and what waited for them may be ready.
                _ = links.buffer.drop(LogID(space, entry.replica))
                links.buffer.advance(LogID(space, entry.replica), to: entry.last)
            }
            spaces[index].checkpoints.outOfReach = nil
            resolveAlarm(code: "checkpoint-rival", space: space)
            try finalMoved(in: index, at: now)
            drain()
            for channel in links.channels(of: space) {
                links[channel].sync.askAgain(at: now.monotonic)
                links[channel].digest.reset()
            }
        } catch {
            transaction.fail(error)
        }
    }

    private func source(_ place: ChannelPlace) -> BaseSource {
        let link = links[place.link]
        return BaseSource(device: link.device, link: links[link.connection].id)
    }

    /// Asks each peer that has the base for its share of what is lacking.
    mutating func askForBase(in index: SpaceHandle, at now: Instant) {
        guard spaces[index].checkpoints.taken != nil else { return }
        for channel in links.channels(of: spaces[index].id) where links[channel].isReady {
            let source = source(links.place(channel, in: index))
            let wants = spaces[index].checkpoints.taken?.taking.next(for: source, at: now.monotonic) ?? []
            if wants.isEmpty { continue }
            send([LinkFrame(BaseAskFrame(wants), on: links[channel].number)], on: links[channel].link)
        }
    }

    /// Nobody has asked for the base that is given for a while.
    mutating func tickGiving(in index: SpaceHandle, at now: Instant) {
        guard spaces[index].checkpoints.given != nil,
            spaces[index].checkpoints.givenAt + NodeLimits.baseGivenMilliseconds <= now.monotonic
        else { return }
        spaces[index].checkpoints.given = nil
    }

    /// Peers that left the space on a link that stands, or stay silent, are asked no more. What nobody who is
    /// linked offers is left: they may have the log, which was not taken meanwhile. Pages that came are found
    /// again if it is begun again.
    mutating func tickTaking(in index: SpaceHandle, at now: Instant) {
        guard let sources = spaces[index].checkpoints.taken?.taking.sources else { return }
        spaces[index].checkpoints.taken?.askAt = nil
        let open = Set(links.channels(of: spaces[index].id).map { source(links.place($0, in: index)) })
        for source in sources.subtracting(open).sorted() {
            spaces[index].checkpoints.taken?.taking.drop(source)
        }
        _ = spaces[index].checkpoints.taken?.taking.expire(at: now.monotonic)
        let isServed = spaces[index].checkpoints.taken?.taking.isServed == true || open.isEmpty
        let since = isServed ? nil : spaces[index].checkpoints.taken?.unofferedSince ?? now.monotonic
        spaces[index].checkpoints.taken?.unofferedSince = since
        if let since, now.monotonic >= since + NodeLimits.baseUnofferedMilliseconds {
            let checkpoint = spaces[index].checkpoints.taken?.proposal.id
            spaces[index].checkpoints.taken = nil
            for channel in links.channels(of: spaces[index].id) {
                if links[channel].base.offer?.checkpoint == checkpoint { links[channel].base.offer = nil }
                links[channel].sync.askAgain(at: now.monotonic)
            }
            return
        }
        askForBase(in: index, at: now)
    }
}

extension Space {
    /// The checkpoints that are passed over on the way to one, by their tables, where those are not known.
    private func tables(before target: Bytes32) -> [Bytes32: Bytes32] {
        guard !held.isEmpty else { return [:] }
        let agreement = checkpoints.agreement
        let chain = agreement.chain(to: target).dropLast()
        // Of a rival: the last one that both follow.
        let done = documents.bases.standing.flatMap { base in
            chain.lastIndex { $0 == base.id || agreement.follows(base.id, $0) }
        }
        let passed = chain[(done.map { $0 + 1 } ?? chain.startIndex)...].filter {
            agreement.table(of: $0) == nil
        }
        return Dictionary(
            passed.compactMap { id in agreement.proposal(id).map { ($0.body.table, id) } }
        ) { first, _ in first }
    }

    /// From now on nothing is shown until the checkpoint is known to stand.
    mutating func beginTaking(
        _ proposal: CheckpointProposal, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        if checkpoints.work != nil {
            checkpoints.work = nil
            while try transaction.store.removeCandidates(id, limit: 1_024) {}
        }
        checkpoints.taken = TakenBase(proposal, between: tables(before: proposal.id))
        try setSeeding(true, in: &transaction)
    }
}

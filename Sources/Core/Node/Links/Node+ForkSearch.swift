// From a suspicion to a proof: the two sides find the last boundary that their branches share, then one sends
// its run after it, and the other has both.
//
//     A: boundaries 1 … 1,024 of its log ─▶ B
//     B has boundaries of its own between the last equal one and the next: those ─▶ A, and so on
//     else: B's run after the last equal one ─▶ A, who makes the proof

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// Begins the search with the peer of a channel, unless one was begun a moment ago.
    mutating func compareBoundaries(_ replica: ReplicaID, _ place: ChannelPlace, at now: Instant) {
        guard links[place.channel].forks.beginsSearch(replica, at: now.monotonic) else { return }
        do throws(StoreFailure) {
            let mine = try store.boundaries(
                of: LogID(spaces[place.space].id, replica), after: .none, before: .max)
            sendBoundaries(mine, of: replica, place)
        } catch {
            transaction.fail(error)
        }
    }

    mutating func forkBoundariesArrived(_ frame: ForkBoundariesFrame, _ place: ChannelPlace, at now: Instant)
    {
        let replica = frame.replica
        let log = LogID(spaces[place.space].id, replica)
        guard spaces[place.space].logs[replica] != nil, answersSearch(place, at: now) else { return }
        do throws(StoreFailure) {
            try spaces[place.space].writeRun(to: &transaction)
            // 1. The last boundary that is equal, and the next one named, which is not ours. Of what lies
            // before a cut nothing is here to be compared: a log that is whole begins alike.
            let cut = spaces[place.space].logs.cuts[replica]
            var (common, next) = (cut == .none ? SequenceNumber.none : nil, SequenceNumber.max)
            for entry in frame.entries where entry.last >= cut {
                guard try store.boundaryHash(of: log, at: entry.last) == entry.chainHash else {
                    next = entry.last
                    break
                }
                common = entry.last
            }
            // 2. Ours in between may be common as well. Where the cut itself is to be compared, once in a
            // while: who parts from this log before it has nothing that answers.
            let between = try store.boundaries(of: log, after: common ?? cut.previous, before: next)
            if !between.isEmpty {
                guard common != nil || links[place.channel].forks.offersCut(of: replica, at: now.monotonic)
                else { return }
                let first = frame.entries.filter { $0.last == common }
                return sendBoundaries(first + between, of: replica, place)
            }
            // 3. None: the branches part in the section after it.
            guard let common, let run = try sealedRun(of: replica, after: common, in: place.space)
            else { return }
            sendRun(run, .comparison, place)
        } catch {
            transaction.fail(error)
        }
    }

    /// Answering costs a walk over a log's boundaries and a run of it: so many in a while, then silence.
    private mutating func answersSearch(_ place: ChannelPlace, at now: Instant) -> Bool {
        links[place.channel].forks.answersSearch(at: now.monotonic)
    }

    // MARK: What is held

    private mutating func sendBoundaries(
        _ entries: [ForkBoundariesFrame.Entry], of replica: ReplicaID, _ place: ChannelPlace
    ) {
        let limit = WireLimits.forkBoundariesMax
        var spread = entries
        if entries.count > limit {
            // Evenly spread, first and last always among them.
            spread = (0..<limit).map { entries[$0 * (entries.count - 1) / (limit - 1)] }
        }
        let frame = ForkBoundariesFrame(replica: replica, entries: spread)
        send([LinkFrame(frame, on: place.number)], on: place.link)
    }

    mutating func sendRun(
        _ run: (base: Bytes32, run: SealedRun), _ purpose: ForkRunFrame.Purpose, _ place: ChannelPlace
    ) {
        let sealing = spaces[place.space].membership.sealing(to: links[place.link].device)
        guard let content = sealing.content else { return }
        let segment = Segment.seal(
            run.run, in: spaces[place.space].id, contentKey: content, nonce: entropy.bytes(24))
        let frame = ForkRunFrame(purpose, baseHash: run.base, segment: segment)
        let body = frame.encoded()
        send(
            [LinkFrame(type: FrameType.forkRun.rawValue, channel: place.number, body: body)],
            on: place.link)
        note(body.count, pouredOn: links[place.link].connection)
    }

    /// What is held of a log after a boundary, through the next one or the last seal, with the hash at its
    /// beginning; nil when nothing sealed is.
    func sealedRun(of replica: ReplicaID, after last: SequenceNumber, in index: SpaceHandle)
        throws(StoreFailure)
        -> (base: Bytes32, run: SealedRun)?
    {
        guard let declaration = spaces[index].logs[replica]?.declaration else { return nil }
        return try store.sealedRun(of: LogID(spaces[index].id, replica), by: declaration, after: last)
    }

    /// The proof that a run of a segment and what is held make, when both go on alike to where the run
    /// begins; nil otherwise.
    func forkProof(by theirs: SealedRun, in index: SpaceHandle) throws(StoreFailure) -> ForkProof? {
        let log = LogID(spaces[index].id, theirs.replica)
        let first = theirs.run.first
        let held = try store.stretch(of: log, from: first, through: theirs.run.last)
        // What lies before a cut is not here to be compared.
        guard held.first == first else { return nil }
        let common = zip(held.bytes, theirs.run.bytes).prefix { $0 == $1 }.count
        // 1. The last boundary that both share: within the run, or before it.
        var base =
            try store.lastBoundary(of: log, before: first).map {
                ForkProof.Base(last: $0.last, chainHash: $0.chainHash)
            } ?? .start
        var shared = 0
        for boundary in try store.boundaries(of: log, after: first.previous, before: theirs.run.last) {
            let count = try store.stretch(of: log, from: first, through: boundary.last).bytes.count
            guard count <= common else { break }
            base = ForkProof.Base(last: boundary.last, chainHash: boundary.chainHash)
            shared = count
        }
        // 2. Their run after it: what is held before it in its section is its own beginning too, if it fits.
        var bytes = theirs.run.bytes
        if base.last >= first {
            bytes = Array(bytes.dropFirst(shared))
        } else if first > base.last + 1 {
            let before = try store.stretch(of: log, from: base.last + 1, through: first.previous)
            guard before.first == base.last + 1, before.last + 1 == first else { return nil }
            bytes = before.bytes + bytes
        }
        guard bytes.count <= WireLimits.runBytesMax,
            let mine = try sealedRun(of: theirs.replica, after: base.last, in: index)
        else { return nil }
        let run = Run(replica: theirs.replica, first: base.last + 1, last: theirs.run.last, bytes: bytes)
        let seals = theirs.seals.filter { $0.last > base.last }
        do throws(ForkProofFault) {
            return try ForkProof(
                base: base, mine.run,
                SealedRun(declaration: theirs.declaration, run: run, seals: seals), in: spaces[index].id)
        } catch {
            return nil
        }
    }
}

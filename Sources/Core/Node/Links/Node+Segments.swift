// The remote road: bytes -> segment -> verified run -> candidates -> ready changes -> append and apply. Each
// arrow is the function of its floor; here is what a node does between them, cheap checks first (THREATS.md).

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func segmentArrived(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) {
        if defers(body, .channel(place), at: now) { return }
        links.counters.segmentsReceived += 1
        links.counters.segmentBytesReceived += UInt64(body.count)
        do {
            try links[place.channel].sync.recordReceived(bytes: body.count)
            if links.pause.isOn(at: now.monotonic) { return askAgain(place, at: now) }
            // Asked for again once the base is here, from where logs begin then.
            if spaces[place.space].checkpoints.taken != nil { return }
            var reader = ByteReader(body)
            let segment = try Segment(of: spaces[place.space].id, from: &reader)
            try reader.finish()
            _ = try receive(segment, of: body.count, .channel(place), at: now)
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            fault(place.link, "segment: \(FaultWords(error))", at: now)
        }
    }

    /// Throws `StoreFailure`, or what is the sender's fault: of a bundle, its maker's.
    mutating func receive(
        _ segment: Segment, of byteCount: Int, _ carrier: Carrier, at now: Instant
    ) throws -> SegmentOutcome {
        let header = segment.header
        let index = carrier.space
        let replica = header.replica
        // Of a log that nobody here knows, only what is verified counts: anybody can make up its name.
        if spaces[index].logs[replica] != nil { showed(replica, to: header.last, carrier) }
        if let counted = spaces[index].closings.counted(replica), spaces[index].held[replica] >= counted {
            links.counters.duplicates += 1
            return .known
        }
        // 1. Known already, or not the next of its log.
        let next = spaces[index].logs[replica]?.next ?? LogExtent.beginning
        if header.last < next {
            links.counters.duplicates += 1
            links.counters.duplicateBytes += UInt64(byteCount)
            if case .channel(let place) = carrier {
                recordDuplicate(replica, of: header.declaration.device, place, at: now)
            }
            return try compare(segment, carrier, at: now)
        }
        if header.first > next || header.first < next && isCut(header, in: index) {
            links.counters.gaps += 1
            return lacks(carrier, at: now)
        }
        // 2. Decrypt, with the epoch's key that it names.
        guard let key = spaces[index].keys.content(named: header.keyID) else {
            if case .channel(let place) = carrier { lacksKey(of: header, place, at: now) }
            return .lacking
        }
        if case .channel(let place) = carrier {
            resolveAlarm(code: Self.keyLacking, space: spaces[index].id, device: links[place.link].device)
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
            return try judge(error, sealed, known: known, carrier, at: now)
        }
        showed(replica, to: header.last, carrier)
        if case .channel(let place) = carrier { recordNew(replica, bytes: byteCount, place, at: now) }
        let peer = carrier.place.map { links[$0.link].device }
        try recordOwnLog(replica, to: header.last, header.declaration, from: peer, in: index, at: now)
        // 4. Admit and execute.
        let candidates = Candidate.of(run, by: header.declaration.device, after: heads)
        try admit(candidates, from: peer ?? device, in: index, at: now)
        recordCrowd(of: header.declaration.device, in: index, at: now)
        return .verified(changes: candidates.count)
    }

    /// True for what begins before the place where a log begins at a base: nothing of that is here to be
    /// compared with.
    private func isCut(_ header: SegmentHeader, in index: SpaceHandle) -> Bool {
        header.first <= spaces[index].logs.cuts[header.replica]
    }

    /// Something before it is not here.
    private mutating func lacks(_ carrier: Carrier, at now: Instant) -> SegmentOutcome {
        if case .channel(let place) = carrier { askAgain(place, at: now) }
        return .lacking
    }

    /// The peer sent it, so it holds it.
    private mutating func showed(_ replica: ReplicaID, to last: SequenceNumber, _ carrier: Carrier) {
        guard case .channel(let place) = carrier else { return }
        let counted = spaces[place.space].closings.counted(replica)
        links[place.channel].sync.peerShowed(replica, to: min(last, counted ?? last))
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
        _ fault: LogFault, _ sealed: SealedRun, known: [UInt8], _ carrier: Carrier, at now: Instant
    ) throws -> SegmentOutcome {
        let index = carrier.space
        switch fault {
        case .gap: return lacks(carrier, at: now)
        case .differentBytes, .wrongChainHash, .malformed, .wrongEnd, .sealInsideChange, .boundaryNotSealed:
            // The author's seal over other bytes than ours is a suspicion; a seal it never made is the
            // sender's fault. What goes on from another branch is mostly no change at all behind ours: it
            // names what stands in that branch's dictionary. Where nothing is held there is no other branch.
            let author = sealed.declaration.device
            guard let log = spaces[index].logs[sealed.replica], !isPlanted("other-branch-blamed") else {
                throw fault
            }
            if log.isContinued(by: sealed, known: known) {
                let what =
                    "\(spaces[index].named(author)) sealed what is no change behind log "
                    + "\(sealed.replica) to \(log.last): \(FaultWords(fault))"
                return try spoiled(sealed.replica, of: author, what, fault, carrier, at: now)
            }
            guard sealed.seals.allSatisfy({ $0.isSigned(by: author, in: spaces[index].id) }) else {
                throw fault
            }
            return try differs(sealed, carrier, at: now)
        default: throw fault
        }
    }

    /// The author signed what is no change. That is its fault, once a log, whoever brings it; and that of the
    /// sender, since whoever can read a log takes nothing in that does not verify, and passes on only what it
    /// took in. A relay cannot read what it carries, so it is not blamed (decision 0231).
    private mutating func spoiled(
        _ replica: ReplicaID, of author: DeviceID, _ what: String, _ fault: LogFault, _ carrier: Carrier,
        at now: Instant
    ) throws -> SegmentOutcome {
        let sender = carrier.place.map { links[$0.link].device }
        let isFirst = spaces[carrier.space].findings.spoil(replica)
        if isFirst, author != sender, author != device { recordFault(ofAuthor: author, what, at: now) }
        guard case .channel(let place) = carrier, let sender else { throw fault }
        if sender != author, spaces[place.space].roster.role(of: sender) == .relay { return .lacking }
        self.fault(place.link, "segment: \(what)", at: now)
        return .lacking
    }

    /// A segment that is known whole: its last seal must be over what is held.
    private mutating func compare(_ segment: Segment, _ carrier: Carrier, at now: Instant) throws
        -> SegmentOutcome
    {
        let header = segment.header
        guard let seal = header.seals.last,
            let held = try chainHash(of: header.replica, at: seal.last, in: carrier.space),
            held != seal.chainHash
        else { return .known }
        let author = header.declaration.device
        guard seal.isSigned(by: author, in: spaces[carrier.space].id) else {
            throw LogFault.wrongSignature(at: seal.last)
        }
        guard let sealed = try open(segment, in: carrier.space) else {
            return try suspect(header.replica, carrier, at: now)
        }
        return try differs(sealed, carrier, at: now)
    }

    /// The author sealed what came, and other bytes are held: with both runs at hand that is the proof. The
    /// branches may also part before what came; then they are compared.
    private mutating func differs(_ theirs: SealedRun, _ carrier: Carrier, at now: Instant) throws
        -> SegmentOutcome
    {
        let index = carrier.space
        try spaces[index].writeRun(to: &transaction)
        if let proof = try forkProof(by: theirs, in: index) {
            try learn(proof, in: index, from: nil, at: now)
            return .lacking
        }
        return try suspect(theirs.replica, carrier, at: now)
    }

    /// Who keeps the other branch is asked for its boundaries; behind a bundle there is nobody.
    private mutating func suspect(_ replica: ReplicaID, _ carrier: Carrier, at now: Instant)
        throws(StoreFailure) -> SegmentOutcome
    {
        switch carrier {
        case .channel(let place): try suspect(replica, place, at: now)
        case .bundle(let index):
            guard replica == spaces[index].ownReplica else { break }
            try leaveOwnLog(of: index, "a bundle holds other bytes in this node's log \(replica)", at: now)
        }
        return .lacking
    }
}

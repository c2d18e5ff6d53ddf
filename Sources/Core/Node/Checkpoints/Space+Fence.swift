// Forks below a checkpoint. What the checkpoint holds that documents are made on is final (LIFECYCLE 2),
// whatever is proved later: its base has it, and once logs were collected nothing else has. So where
// a log is closed follows from its proof and from that checkpoint (decision 0228):
//
//     W = what the checkpoint holds of the log, f = where the proof says that it goes on in two ways
//
//     log          … f-1 | f ……… W | W+1 …
//     branch a     ======|=========|======   the checkpoint holds a: it counts up to W, and is issued again
//     branch b           |--------------     from W + 1 on; b is void from f on, and issued again from there
//     closed at          f, once the checkpoint is known: max(f, W + 1)
//
// Whoever does not know the checkpoint yet issues a again from f on, or from the end of what the checkpoint
// before holds. That log is a double of what the base has, and is closed too.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

/// Records that get another status because closings were moved.
struct ClosingFlips: Sendable {
    var void: [CommitRecord] = []
    /// What was void by its log only, and what it is now.
    var back: [CommitRecord] = []
}

extension Space {
    /// Documents are about to be made on this base: what is final by it counts here too.
    mutating func moveClosings(
        to base: Bytes32, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard !forks.proven.isEmpty, let table = checkpoints.agreement.table(of: base) else { return }
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        var flips = ClosingFlips()
        for replica in forks.proven.replicas {
            guard let proof = try proof(of: replica, in: transaction.store) else { continue }
            try moveClosing(of: proof, within: table, by: base, &flips, in: &transaction)
        }
        try turn(flips, in: &transaction)
    }

    /// Marks the records, and makes their documents again.
    private mutating func turn(
        _ flips: ClosingFlips, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        var keys = try mark(flips.void, as: .void, in: &transaction)
        keys.formUnion(try mark(flips.back, as: .executed, in: &transaction))
        guard !keys.isEmpty else { return }
        // Streams read again, as they do after all that comes with a base.
        logs.advancePosition()
        _ = try documents.rebuild(keys.sorted(), at: position, nil, in: &transaction)
        documents.ring.reset(to: position)
        try transaction.store.put(record)
    }

    /// Marks a log as void from there on: the base that is about to be taken has another branch of it, and
    /// nobody can prove that any more.
    mutating func markOvertaken(
        _ replica: ReplicaID, from first: SequenceNumber,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        let behind = try logs.committed(of: replica, from: first, in: transaction.store)
        try turn(ClosingFlips(void: behind.filter { $0.status != .void }), in: &transaction)
    }

    /// Closes a log as its proof and a checkpoint say together. What follows for records is added to `flips`.
    mutating func moveClosing(
        of known: ForkProof, within table: CheckpointTable?, by base: Bytes32?, _ flips: inout ClosingFlips,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        var proof = known
        let replica = proof.replica
        let (old, row) = (forks.closed[replica], table?.row(of: replica))
        let new = closing(of: proof, row, by: base)
        if let row, row.last >= proof.first {
            let isOther = try holdsOtherBranch(than: row, of: proof, in: transaction.store)
            try setOther(replica, isOther, in: &transaction)
            if let longer = try lengthened(proof, row, in: transaction.store) {
                proof = longer
                exceptions.tell(replica)
            }
            for place in Set([proof.first, row.previousLast + 1, old?.first ?? proof.first]).sorted()
            where place >= proof.first && place <= row.last {
                try closeDouble(of: proof, from: place, row, within: table, &flips, in: &transaction)
            }
        }
        let isOther = forks.others.contains(replica)
        exceptions.move(replica, to: new)
        try transaction.store.put(
            id,
            ForkRecord(
                replica: replica, first: new.first, since: forks.since[replica] ?? 0, proof: proof.encoded()))
        // 1. Behind the closing, or on another branch than what is final: void.
        let first = isOther ? min(proof.first, new.first) : new.first
        let behind = try logs.committed(of: replica, from: first, in: transaction.store)
        flips.void += behind.filter { $0.status != .void && !isPlanted("closed-branch-counts") }
        lower(replica, to: new.trunkLast)
        // This node holds what the checkpoint holds behind the fork: its log has that, or its base.
        if isOther || new.trunkLast >= proof.first {
            logs.raise(replica, to: closings.counted(replica) ?? new.trunkLast)
        }
        if isOther { return }
        // 2. What is final counts, although it stands behind the fork.
        guard let old, old.first < new.first else { return }
        let final = try logs.committed(of: replica, from: old.first, in: transaction.store)
            .filter { $0.last < new.first }
        if let last = final.last?.last { logs.raise(replica, to: last) }
        for record in final where record.status == .void {
            if try counts(record, in: transaction.store) { flips.back.append(record) }
        }
    }

    /// Where a log is closed. What a checkpoint says is closed for another reason than a proof is so only
    /// where the hash there is known, which it is at the end of what the checkpoint holds.
    private func closing(of proof: ForkProof, _ row: CheckpointTable.Row?, by base: Bytes32?) -> Closing {
        let proven = Closing(first: proof.first, trunkHash: proof.trunkHash)
        if forks.doubles.contains(proof.replica), let closed = forks.closed[proof.replica] { return closed }
        guard let row, let base else { return proven }
        let first = checkpoints.agreement.closing(of: proof.replica, proven: proof.first, by: base)
        let isBehind = first == row.last + 1 || proof.first <= row.last
        return isBehind ? Closing(first: row.last + 1, trunkHash: row.chainHash) : proven
    }

    /// A closed log counts to its trunk only, whoever says that he holds more.
    mutating func lower(_ replica: ReplicaID, to trunkLast: SequenceNumber) {
        logs.lower(replica, to: trunkLast)
        for device in peerVectors.keys { peerVectors[device]?.lower(replica, to: trunkLast) }
    }

    private mutating func setOther(
        _ replica: ReplicaID, _ isOther: Bool, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard forks.others.contains(replica) != isOther else { return }
        exceptions.setOther(replica, isOther)
        let bytes = forks.others.sorted().flatMap(\.raw.bytes)
        try transaction.store.setMeta(NodeMeta.otherBranches(id), bytes.isEmpty ? nil : bytes)
    }

    /// True when what is held of the log behind its fork is not what the checkpoint holds. What ends before
    /// that is the same branch if the proof shows it.
    private func holdsOtherBranch(
        than row: CheckpointTable.Row, of proof: ForkProof, in store: some StoreReading
    ) throws(StoreFailure) -> Bool {
        guard let own = try ownBranch(of: proof, in: store) else { return false }
        let log = LogID(id, proof.replica)
        if try store.chainHash(of: log, through: row.last) == row.chainHash { return false }
        guard logs[proof.replica]?.last ?? .none < row.last, let run = finalRun(of: proof, row)
        else { return try !sharesEarlier(row, of: proof, in: store) }
        return proof.firstChanges(in: id)[run] != own
    }

    /// True when a checkpoint before shows that what is held is the branch that it holds: what it holds of a
    /// log, those that follow it hold too. (Of a branch that parts once more behind that nothing is known.)
    private func sharesEarlier(
        _ row: CheckpointTable.Row, of proof: ForkProof, in store: some StoreReading
    ) throws(StoreFailure) -> Bool {
        let held = logs[proof.replica]?.last ?? .none
        guard held < row.last, !forks.others.contains(proof.replica),
            let earlier = baseTable?.row(of: proof.replica), earlier.last >= proof.first, earlier.last <= held
        else { return false }
        return try store.chainHash(of: LogID(id, proof.replica), through: earlier.last) == earlier.chainHash
    }

    /// The first change behind the fork as it is held here; nil: nothing is, or it came with a base.
    private func ownBranch(of proof: ForkProof, in store: some StoreReading) throws(StoreFailure) -> [UInt8]?
    {
        guard let log = logs[proof.replica], log.last >= proof.first, logs.cuts[proof.replica] < proof.first
        else { return nil }
        let part = try store.stretch(
            of: LogID(id, proof.replica), from: proof.first, through: proof.first)
        return part.bytes.isEmpty || part.first != proof.first ? nil : part.bytes
    }

    /// Closes what the checkpoint's branch went into for who had its log closed at a place before the end
    /// of what that holds.
    private mutating func closeDouble(
        of proof: ForkProof, from place: SequenceNumber, _ row: CheckpointTable.Row,
        within table: CheckpointTable?, _ flips: inout ClosingFlips,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard let bytes = try finalBranch(of: proof, at: place, row, in: transaction.store) else {
            return exceptions.leaveUntold()
        }
        let double = Reissue(
            of: proof.replica, from: place, bytes, by: proof.declaration.device, in: id
        ).replica
        let there = table?.row(of: double)
        let closing = Closing(
            first: (there?.last ?? .none) + 1, trunkHash: there?.chainHash ?? .zero)
        guard exceptions.close(double, of: proof.replica, at: closing) else { return }
        let known = try transaction.store.fork(id, double)
        try transaction.store.put(
            id,
            ForkRecord(
                replica: double, first: closing.first, since: forks.since[double] ?? 0,
                proof: known?.proof ?? proof.encoded()))
        guard logs[double] != nil else { return }
        flips.void += try logs.committed(of: double, from: closing.first, in: transaction.store).filter {
            $0.status != .void
        }
        lower(double, to: closing.trunkLast)
    }

    /// A change behind the fork as the checkpoint holds it; nil: nothing here says which it is.
    private func finalBranch(
        of proof: ForkProof, at place: SequenceNumber, _ row: CheckpointTable.Row, in store: some StoreReading
    ) throws(StoreFailure) -> [UInt8]? {
        let own = try ownBranch(of: proof, in: store)
        if own != nil, !forks.others.contains(proof.replica) {
            let part = try store.stretch(of: LogID(id, proof.replica), from: place, through: place)
            return part.bytes.isEmpty || part.first != place ? nil : part.bytes
        }
        if let run = finalRun(of: proof, row) { return proof.change(at: place, ofRun: run, in: id) }
        let firsts = proof.firstChanges(in: id)
        guard place == proof.first, let own, firsts.contains(own) else { return nil }
        return firsts.first { $0 != own }
    }

    /// Which run of a proof begins what the checkpoint holds: it has the end of that, or the last boundary
    /// before. nil: neither goes so far.
    private func finalRun(of proof: ForkProof, _ row: CheckpointTable.Row) -> Int? {
        if let run = proof.run(with: row.chainHash, through: row.last, in: id) { return run }
        guard let boundary = row.boundary, boundary.position.last >= proof.first else { return nil }
        return proof.run(with: boundary.chainHash, through: boundary.position.last, in: id)
    }

    /// The same proof with a run that has all that the checkpoint holds, for those who do not hold what lies
    /// behind the fork; nil: it has, or that is not here.
    private func lengthened(
        _ proof: ForkProof, _ row: CheckpointTable.Row, in store: some StoreReading
    ) throws(StoreFailure) -> ForkProof? {
        guard !isWhole(proof, row), !forks.others.contains(proof.replica),
            let own = try ownBranch(of: proof, in: store),
            let other = zip(proof.runs, proof.firstChanges(in: id)).first(where: { $0.1 != own })?.0
        else { return nil }
        var (bytes, last, seals) = ([UInt8](), proof.base.last, [Seal]())
        while last < row.last {
            guard
                let section = try store.sealedRun(
                    of: LogID(id, proof.replica), by: proof.declaration, after: last)?.run,
                bytes.count + section.run.bytes.count <= NodeLimits.proofRunBytesMax
            else { return nil }
            bytes += section.run.bytes
            seals += section.seals
            last = section.run.last
        }
        let run = Run(replica: proof.replica, first: proof.base.last + 1, last: last, bytes: bytes)
        let mine = SealedRun(declaration: proof.declaration, run: run, seals: seals)
        do throws(ForkProofFault) {
            let longer = try ForkProof(base: proof.base, mine, other, in: id)
            let isSame = longer.first == proof.first && longer.trunkHash == proof.trunkHash
            return isSame && isWhole(longer, row) ? longer : nil
        } catch {
            return nil
        }
    }

    /// True when a proof says something that is not known here: of a fork, or which of its branches the
    /// checkpoint holds.
    func isNews(_ proof: ForkProof, in store: some StoreReading) throws(StoreFailure) -> Bool {
        guard exceptions.knows(proof) else { return true }
        guard let row = baseTable?.row(of: proof.replica), row.last >= proof.first,
            forks.proven[proof.replica] == Closing(first: proof.first, trunkHash: proof.trunkHash),
            isWhole(proof, row), let known = try self.proof(of: proof.replica, in: store)
        else { return false }
        return !isWhole(known, row)
    }

    /// True when a run of the proof has all that the checkpoint holds behind the fork.
    private func isWhole(_ proof: ForkProof, _ row: CheckpointTable.Row) -> Bool {
        proof.run(with: row.chainHash, through: row.last, in: id) != nil
    }

    /// True for a final change that nothing but its log's closing made void.
    private mutating func counts(_ record: CommitRecord, in store: some StoreReading) throws(StoreFailure)
        -> Bool
    {
        var reader = LogReader(space: id)
        let change = try reader.change(record, from: store)
        guard Admission.isStaticallyValid(change), !Admission.hasUnknownOperations(change), !isLate(change),
            let author = author(of: change.replica)
        else { return false }
        let heads = try reader.rosterHeads(of: change, from: store)
        guard let view = membership.roster.view(heads: heads) else { return false }
        let range = DotRange(change.replica, change.first, change.last)
        return roster.voidCause(of: range, by: author, in: view, needing: change.right) == nil
    }

    private mutating func mark(
        _ records: [CommitRecord], as status: ChangeStatus,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Set<Key> {
        guard !records.isEmpty else { return [] }
        var reader = LogReader(space: id)
        var touched: [[Key]] = []
        for record in records { touched.append(try reader.change(record, from: transaction.store).touched) }
        try transaction.store.mark(id, records, touched: touched, as: status)
        for record in records where exceptions.unskip(Dot(record.replica, record.last)) {
            try transaction.store.removeSkipped(id, at: record.position)
        }
        return Set(touched.joined())
    }

    private func proof(of replica: ReplicaID, in store: some StoreReading) throws(StoreFailure) -> ForkProof?
    {
        guard let record = try store.fork(id, replica) else { return nil }
        do throws(ForkProof.StoredFault) {
            let proof = try ForkProof(decoding: record.proof, in: id)
            return proof.replica == replica ? proof : nil
        } catch {
            throw .unreadable(.proof(replica), error)
        }
    }

    // MARK: Computing a base

    /// True when a log is closed here before the end of what a checkpoint holds of it: its base cannot be
    /// computed here, where that is void.
    func isFenced(within covered: VersionVector) -> Bool {
        forks.closed.replicas.contains { replica in
            forks.closed[replica].map { $0.first <= covered[replica] } ?? false
        }
    }

    /// True when a log goes on in two ways within what a checkpoint holds.
    func isForked(below covered: VersionVector) -> Bool {
        forks.proven.replicas.contains { replica in
            forks.proven[replica].map { $0.first <= covered[replica] } ?? false
        }
    }

    /// Logs were closed: a base that is being computed may be one of two states. One that was signed already
    /// is what it is; one of this node's own is computed anew without what is void now.
    mutating func closeWork(in transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        guard let work = checkpoints.work, isFenced(within: work.covered),
            work.summary == nil || work.witness == checkpoints.pending?.witness
        else { return }
        checkpoints.work = nil
        while try transaction.store.removeCandidates(id, limit: 1_024) {}
    }
}

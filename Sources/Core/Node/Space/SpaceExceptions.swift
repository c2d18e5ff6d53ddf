// What decides, beside vectors and roster, which changes of a space are executed: logs that are closed,
// changes that are skipped, and changes that are quarantined (decisions 0062, 0064).

import Bytes
import Causality
import Crypto
import Replication
import Wire

/// What a space knows of forks.
struct SpaceForks: Sendable {
    /// Where each log is closed: where its proof says, or behind what the checkpoint holds of it that
    /// documents are made on, which is final (decision 0228).
    var closed = ClosedLogs()
    /// Where proofs alone would close them.
    var proven = ClosedLogs()
    /// Closed logs of which the checkpoint holds another branch than this node: what is held from the fork on
    /// is void, and the checkpoint's branch is here in its base only.
    var others: Set<ReplicaID> = []
    /// Logs that are closed behind their forks, since the checkpoint holds them to there.
    fileprivate(set) var final: Set<ReplicaID> = []
    /// Logs that a branch went into which the checkpoint holds: closed behind what that holds of them, or it
    /// would count twice. They have no proof of their own.
    var doubles: Set<ReplicaID> = []
    /// Logs whose closing was moved, until links were told.
    var moved: [ReplicaID] = []
    /// Logs whose proofs say more than they did, until links were told.
    var lengthened: [ReplicaID] = []
    /// A checkpoint was come to of which nothing here says which branch of a log it holds, until others were
    /// asked.
    var isUntold = false
    /// Wall milliseconds at which each was closed here.
    var since: [ReplicaID: UInt64] = [:]
    /// Who declared each: known from its proof, also while nothing of the log is held.
    var authors: [ReplicaID: DeviceID] = [:]

    /// True for a change that is void because of a fork.
    func isVoid(_ change: Dot) -> Bool {
        if closed.isClosed(change) { return true }
        guard others.contains(change.replica), let proven = proven[change.replica] else { return false }
        return change.sequence >= proven.first
    }

    /// Where the branch begins that is held here and does not count.
    func branch(of replica: ReplicaID) -> Closing? {
        others.contains(replica) ? proven[replica] : closed[replica]
    }

    /// The end of what the checkpoint holds of a log, where this node's log holds another branch than that or
    /// less of it: the base has the rest, and this node asks nobody for it. Nil: the log has all of it.
    /// `head`: the last sequence of this node's log.
    func elsewhere(_ replica: ReplicaID, head: SequenceNumber) -> SequenceNumber? {
        guard let last = closed[replica]?.trunkLast else { return nil }
        return others.contains(replica) || final.contains(replica) && head < last ? last : nil
    }

    /// The same of all logs. O(logs that are final behind a fork): a flood of forks adds none.
    func elsewhere(beside head: (ReplicaID) -> SequenceNumber) -> VersionVector {
        VersionVector(
            final.union(others).compactMap { replica in
                elsewhere(replica, head: head(replica)).map { VersionVector.Entry(replica, $0) }
            }.sorted { $0.replica < $1.replica })
    }
}

extension NodeMeta {
    static func rebuilt(_ space: SpaceID) -> String { "rebuilt/\(space)" }
    /// Closed logs of which a checkpoint holds another branch: 16 bytes each.
    static func otherBranches(_ space: SpaceID) -> String { "other-branches/\(space)" }
}

/// The changes of a space that are held and count for nothing, or not yet.
struct SpaceExceptions: Sendable {
    private(set) var forks = SpaceForks()
    /// Logs that ended by the checkpoint that documents are made on (decision 0244).
    private(set) var ended = ClosedLogs()
    /// Those of them that the checkpoint before held to their ends, with these: no vector names them.
    private(set) var gone = VersionVector()
    /// Where logs are closed, by proofs and because they ended: at the earlier place.
    private(set) var closings = ClosedLogs()
    /// Changes that are held and not executed, although they are not void, by their ids.
    private(set) var skipped: [Dot: SkippedRecord] = [:]

    /// Devices whose changes are being judged again.
    var rejudging = Rejudging()

    /// Changes that are not executed whatever admission says, by their ids; `CrashGuard` keeps them.
    var quarantined: Set<Dot> = []

    init() {}

    /// `table`: of the checkpoint that documents are made on.
    init(
        of space: SpaceID, fencedBy table: CheckpointTable?, from store: some StoreReading
    ) throws(StoreFailure) {
        for record in try store.forks(space) {
            do throws(ForkProof.StoredFault) {
                let proof = try ForkProof(decoding: record.proof, in: space)
                recall(record, proof, fencedBy: table?.row(of: record.replica))
            } catch {
                throw .unreadable(.proof(record.replica), error)
            }
        }
        if let table { _ = end(by: table) }
        forks.moved = []
        let others = try store.meta(NodeMeta.otherBranches(space)) ?? []
        for start in stride(from: 0, to: others.count - others.count % 16, by: 16) {
            forks.others.insert(ReplicaID(raw: Bytes16(others[start..<start + 16])))
        }
        for one in try store.skipped(space) { skipped[Dot(one.change.replica, one.change.last)] = one }
        guard let bytes = try store.meta(NodeMeta.rejudging(space)) else { return }
        do throws(DecodeFault) {
            rejudging = try Rejudging(decoding: bytes)
        } catch {
            throw .unreadable(.rejudging(of: space), error)
        }
    }

    /// Of all that this node shares with others that hold the same changes; zero when there is nothing.
    var hash: Bytes32 {
        if forks.closed.isEmpty && skipped.isEmpty { return .zero }
        var writer = ByteWriter(reserving: 32 + skipped.count * 24)
        forks.closed.hash.encode(into: &writer)
        for dot in skipped.keys.sorted() {
            dot.replica.raw.encode(into: &writer)
            writer.u64(dot.sequence.value)
        }
        return Blake2b.hash256(writer.bytes, personal: "repld-exceptns-1")
    }

    /// True when everything that a proof says of its log is known here already.
    func knows(_ proof: ForkProof) -> Bool {
        forks.proven[proof.replica].map { $0.first <= proof.first } ?? false
    }

    /// Notes what a proof says, if it says more than those before. The log is to be closed (`move`).
    mutating func prove(_ proof: ForkProof, since: UInt64) -> Bool {
        let closing = Closing(first: proof.first, trunkHash: proof.trunkHash)
        guard forks.proven.close(proof.replica, closing) else { return false }
        forks.since[proof.replica] = since
        forks.authors[proof.replica] = proof.declaration.device
        return true
    }

    /// Closes a log that was proved, earlier or later than before.
    mutating func move(_ replica: ReplicaID, to closing: Closing) {
        precondition(forks.since[replica] != nil, "\(replica) is closed without a proof")
        set(replica, closedAt: closing)
        if !forks.moved.contains(replica) { forks.moved.append(replica) }
    }

    /// Closes the logs that ended by this table, of the checkpoint that documents are made on: which are
    /// closed otherwise than before.
    mutating func end(by table: CheckpointTable) -> [ReplicaID] {
        var moved: [ReplicaID] = []
        if isPlanted("ended-log-open") { return [] }
        for row in table.ended {
            let closing = Closing(first: row.last + 1, trunkHash: row.chainHash)
            // What a proof says of a log is compared on links.
            let isGone = row.previousLast == row.last && forks.proven[row.replica] == nil
            if ended[row.replica] == closing, isGone == (gone[row.replica] > .none) { continue }
            ended.move(row.replica, to: closing)
            if isGone { gone.advance(row.replica, to: row.last) }
            noteClosing(of: row.replica)
            moved.append(row.replica)
            if !forks.moved.contains(row.replica) { forks.moved.append(row.replica) }
        }
        return moved
    }

    /// Opens the logs again that ended, but by this table: documents are made on a rival of what said so.
    mutating func reopen(beside table: CheckpointTable) -> [ReplicaID] {
        let opened = ended.replicas.filter { table.row(of: $0)?.hasEnded != true }
        for replica in opened {
            ended.reopen(replica)
            gone = gone.without(replica)
            noteClosing(of: replica)
            if !forks.moved.contains(replica) { forks.moved.append(replica) }
        }
        return opened
    }

    private mutating func noteClosing(of replica: ReplicaID) {
        closings.reopen(replica)
        for closing in [forks.closed[replica], ended[replica]].compactMap(\.self) {
            _ = closings.close(replica, closing)
        }
        if gone[replica] > .none { closings.letGo(replica) }
    }

    /// A proof came of a log that was gone: vectors name it again, to here.
    mutating func regain(_ replica: ReplicaID) -> SequenceNumber {
        let last = gone[replica]
        gone = gone.without(replica)
        noteClosing(of: replica)
        return last
    }

    /// Closes what a branch went into that a checkpoint holds. False: it is closed for that already.
    mutating func close(_ double: ReplicaID, of replica: ReplicaID, at closing: Closing) -> Bool {
        guard forks.doubles.insert(double).inserted else { return false }
        forks.since[double] = forks.since[double] ?? forks.since[replica]
        forks.authors[double] = forks.authors[replica]
        move(double, to: closing)
        return true
    }

    mutating func setOther(_ replica: ReplicaID, _ isOther: Bool) {
        if isOther { forks.others.insert(replica) } else { forks.others.remove(replica) }
    }

    mutating func tell(_ replica: ReplicaID) { forks.lengthened.append(replica) }

    mutating func leaveUntold() { forks.isUntold = true }

    mutating func takeUntold() -> Bool {
        defer { forks.isUntold = false }
        return forks.isUntold
    }

    mutating func takeLengthened() -> [ReplicaID] {
        defer { forks.lengthened = [] }
        return forks.lengthened
    }

    mutating func takeMoved() -> [ReplicaID] {
        defer { forks.moved = [] }
        return forks.moved
    }

    /// As it was before a restart.
    private mutating func recall(
        _ record: ForkRecord, _ proof: ForkProof, fencedBy row: CheckpointTable.Row?
    ) {
        var trunk = proof.trunkHash
        if proof.replica == record.replica {
            _ = prove(proof, since: record.since)
        } else {
            // What was proved is the log that it was issued again from.
            forks.doubles.insert(record.replica)
            trunk = .zero
            forks.since[record.replica] = record.since
            forks.authors[record.replica] = proof.declaration.device
        }
        if let row, row.last + 1 == record.first { trunk = row.chainHash }
        set(record.replica, closedAt: Closing(first: record.first, trunkHash: trunk))
    }

    private mutating func set(_ replica: ReplicaID, closedAt closing: Closing) {
        forks.closed.move(replica, to: closing)
        let isFinal = forks.proven[replica].map { $0.first <= closing.trunkLast } ?? false
        if isFinal { forks.final.insert(replica) } else { forks.final.remove(replica) }
        noteClosing(of: replica)
    }

    mutating func skip(_ record: SkippedRecord) {
        precondition(record.change.status == .skipped, "\(record.change) is not skipped")
        skipped[Dot(record.change.replica, record.change.last)] = record
    }

    /// The change got another status; false when it was not skipped.
    mutating func unskip(_ id: Dot) -> Bool { skipped.removeValue(forKey: id) != nil }

    /// Each closed log has its date and its author.
    func checkInvariants() {
        precondition(
            forks.closed.count == forks.since.count && forks.closed.count == forks.authors.count,
            "\(forks.closed.count) closed logs, \(forks.since.count) dates, \(forks.authors.count) authors")
    }
}

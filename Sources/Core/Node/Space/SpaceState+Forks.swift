// Closing a log: what was executed of it at or after the fork becomes void, and the documents it touched are
// rebuilt (decision 0062). The bytes stay where they are.

import Bytes
import Causality
import Crypto
import Documents
import Replication
import Wire

/// What a space knows of forks, and what follows from it.
struct SpaceForks: Sendable {
    var closed = ClosedLogs()
    /// Wall milliseconds at which each was closed here.
    var since: [ReplicaID: UInt64] = [:]
    /// Who declared each: known from its proof, also while nothing of the log is held.
    var authors: [ReplicaID: DeviceID] = [:]
    /// The last commit position that stands for a rebuild: states before it cannot be made again.
    var rebuilt = CommitPosition.start
    /// Logs that branches are re-issued into, appended to in this batch and not sealed yet.
    var unsealed: Set<ReplicaID> = []
}

extension NodeMeta {
    static func rebuilt(_ space: SpaceID) -> String { "rebuilt/\(space)" }
}

extension SpaceForks {
    init(of space: SpaceID, from store: some StoreReading) throws(StoreFailure) {
        for record in try store.forks(space) {
            do throws(ForkProof.StoredFault) {
                let proof = try ForkProof(decoding: record.proof, in: space)
                _ = closed.close(record.replica, Closing(first: proof.first, trunkHash: proof.trunkHash))
                since[record.replica] = record.since
                authors[record.replica] = proof.declaration.device
            } catch {
                throw .unreadable(.proof(record.replica), error)
            }
        }
        if let bytes = try store.meta(NodeMeta.rebuilt(space)), bytes.count == 8 {
            rebuilt = CommitPosition(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}

extension SpaceState {
    /// What decides, beside vectors and roster, which changes are executed: closed logs and skipped changes.
    /// Zero when there are none.
    var exceptionsHash: Bytes32 {
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
        forks.closed[proof.replica].map { $0.first <= proof.first } ?? false
    }

    /// Closes a log, or closes it earlier than before.
    mutating func close(
        _ proof: ForkProof, at now: Instant, _ storeName: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let replica = proof.replica
        let closing = Closing(first: proof.first, trunkHash: proof.trunkHash)
        guard forks.closed.close(replica, closing) else { return }
        forks.since[replica] = now.wall
        forks.authors[replica] = proof.declaration.device
        // 1. What the batch collected goes to the store: from here on the log is read from there.
        try transaction.beginWriting()
        try writeRun(to: &transaction)
        try writeDocuments(to: &transaction)
        try transaction.store.put(
            id,
            ForkRecord(
                replica: replica, first: proof.first, since: now.wall, proof: proof.encoded()))
        // 2. What becomes void.
        let records = try committed(of: replica, from: proof.first, in: transaction.store).filter {
            $0.status != .void && !isPlanted("closed-branch-counts")
        }
        let rebuild = Rebuild(
            change: Dot(replica, proof.first), author: proof.declaration.device, cause: "void", wall: now.wall
        )
        try change(records, to: .void, rebuild, storeName, in: &transaction)
        // 3. Nothing of it counts any more.
        held.lower(replica, to: closing.trunkLast)
        durable.lower(replica, to: closing.trunkLast)
        for device in peerVectors.keys { peerVectors[device]?.lower(replica, to: closing.trunkLast) }
        try transaction.store.put(record)
    }

    /// Keeps that the change which was just appended is held and not executed.
    mutating func recordSkipped(
        _ change: Change, _ reason: SkippedRecord.Reason,
        to transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let record = SkippedRecord(
            change: CommitRecord(
                position: position, replica: change.replica, first: change.first, last: change.last,
                status: .skipped),
            reason: reason, since: change.timestamp.milliseconds)
        try transaction.beginWriting()
        // The store knows a log once a run of it is there.
        try writeRun(to: &transaction)
        try transaction.store.put(id, record)
        skipped[change.id] = record
    }

    /// Gives changes another status, and rebuilds the documents that they touch.
    mutating func change(
        _ records: [CommitRecord], to status: ChangeStatus, _ rebuild: Rebuild, _ storeName: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard !records.isEmpty else { return }
        var reader = LogReader(space: id)
        var touched: [[Key]] = []
        for record in records { touched.append(try reader.change(record, from: transaction.store).touched) }
        let keys = Set(touched.joined()).sorted()
        let isTold = watchers > 0 && keys.count <= NodeLimits.rebuildToldMax
        var before: [Key: PlainValue] = [:]
        if isTold {
            for key in keys {
                let cached = try takeDocument(key, from: &transaction)
                before[key] = cached.document.plain
                documents.put(cached)
            }
        }
        try transaction.store.mark(id, records, touched: touched, as: status)
        for record in records where skipped.removeValue(forKey: Dot(record.replica, record.last)) != nil {
            try transaction.store.removeSkipped(id, at: record.position)
        }
        try self.rebuild(keys, rebuild, isTold ? before : nil, storeName, in: &transaction)
    }

    /// Changes of a log that end at or after a sequence, in order, from the store.
    func committed(of replica: ReplicaID, from first: SequenceNumber, in store: some StoreReading)
        throws(StoreFailure) -> [CommitRecord]
    {
        var (from, found) = (first, [CommitRecord]())
        while true {
            let rows = try store.runs(id, replica, from: from, bytesMax: OpenRun.bytesMax)
            guard let end = rows.last?.last else { return found }
            for row in rows {
                found += try store.commits(
                    id, after: CommitPosition(row.position.value - 1), limit: row.changes
                ).filter { $0.last >= first }
            }
            from = end + 1
        }
    }
}

// Changes that are in the log already get another status: those of a branch become void when its log is
// closed (decision 0062), and those that an older version skipped, or that touched a damaged document, are
// executed at last. Their bytes stay where they are; the documents that they touch are rebuilt.

import Bytes
import Causality
import Crypto
import Documents
import Replication
import Wire

/// Why documents are rebuilt, as watchers hear it.
struct Rebuild: Sendable {
    /// Where the cause lies in the log.
    let change: Dot
    let author: DeviceID
    /// "forked", "upgrade", or as `VoidCause.Kind` is named.
    let cause: String
    let wall: UInt64
}

extension Space {
    /// Closes logs, or closes them earlier than before; each document that they touch is made again once.
    mutating func close(
        _ proofs: [ForkProof], at now: Instant, cursors epoch: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        var new: [ForkProof] = []
        for proof in proofs where try isNews(proof, in: transaction.store) {
            _ = exceptions.prove(proof, since: now.wall)
            new.append(proof)
        }
        guard let first = new.first else { return }
        // 1. What the batch collected goes to the store: from here on the log is read from there.
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        // 2. What becomes void, and what counts no more. On a base what that holds stays.
        for proof in new where closings.isGone(proof.replica) {
            logs.raise(proof.replica, to: exceptions.regain(proof.replica))
        }
        let (base, table) = (documents.bases.newest?.id, baseTable)
        var flips = ClosingFlips()
        for proof in new {
            try moveClosing(of: proof, within: table, by: base, &flips, in: &transaction)
        }
        let rebuild = Rebuild(
            change: Dot(first.replica, first.first), author: first.declaration.device, cause: "forked",
            wall: now.wall)
        try change(flips.void, to: .void, rebuild, cursors: epoch, in: &transaction)
        try change(flips.back, to: .executed, rebuild, cursors: epoch, in: &transaction)
        try closeWork(in: &transaction)
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
        exceptions.skip(record)
    }

    /// Executes what an older version skipped, or what touched a document that could not be read, as far as
    /// both can be done now; in commit order. What is quarantined stays so.
    mutating func reconsiderSkipped(
        at now: Instant, cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> [SkippedRecord] {
        let waiting = skipped.values.filter { $0.reason != .quarantined }
            .sorted { $0.change.position < $1.change.position }
        var executed: [SkippedRecord] = []
        var reader = LogReader(space: id)
        for skipped in waiting {
            let change: Change
            do throws(StoreFailure) {
                change = try reader.change(skipped.change, from: transaction.store)
            } catch {
                // Damaged since: whoever asks for its documents hears of it, and the node starts.
                guard case .unusable = error else { throw error }
                continue
            }
            guard !Admission.hasUnknownOperations(change) else { continue }
            let unreadable = try documents.unreadable(in: change, from: transaction.store)
            if !unreadable.isEmpty { continue }
            try transaction.beginWriting()
            let author = author(of: change.replica) ?? DeviceID(publicKey: .zero)
            let rebuild = Rebuild(change: change.id, author: author, cause: "upgrade", wall: now.wall)
            try self.change(
                [skipped.change], to: Admission.isStaticallyValid(change) ? .executed : .void, rebuild,
                cursors: epoch, in: &transaction)
            try transaction.store.put(record)
            executed.append(skipped)
        }
        return executed
    }

    /// Gives changes another status, and rebuilds the documents that they touch.
    mutating func change(
        _ records: [CommitRecord], to status: ChangeStatus, _ rebuild: Rebuild, cursors epoch: UInt64,
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
                do throws(StoreFailure) {
                    let cached = try documents.take(key, from: transaction.store)
                    before[key] = cached.document.plain
                    documents.cache.put(cached)
                } catch {
                    guard case .unusable = error else { throw error }
                }
            }
        }
        try transaction.store.mark(id, records, touched: touched, as: status)
        for record in records where exceptions.unskip(Dot(record.replica, record.last)) {
            try transaction.store.removeSkipped(id, at: record.position)
        }
        try rebuildDocuments(
            isPlanted("void-not-rebuilt") ? [] : keys, rebuild, isTold ? before : nil, cursors: epoch,
            in: &transaction)
    }

    /// Rebuilds documents at a position of its own.
    private mutating func rebuildDocuments(
        _ keys: [Key], _ rebuild: Rebuild, _ before: [Key: PlainValue]?, cursors epoch: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard !keys.isEmpty else { return }
        logs.advancePosition()
        let differences = try documents.rebuild(keys, at: position, before, in: &transaction)
        guard before != nil else { return documents.ring.reset(to: position) }
        guard !differences.isEmpty else { return }
        let event = ChangeEvent(
            cursor: Cursor(store: epoch, space: id, position: position).text, change: rebuild.change,
            author: rebuild.author, authorName: nameOf(rebuild.author),
            timestamp: Timestamp(milliseconds: rebuild.wall), documents: differences, cause: rebuild.cause)
        documents.publish(event, at: position)
    }
}

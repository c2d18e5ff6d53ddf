// The end of the one road (DESIGN 3): a ready change is appended to the log and applied to its documents,
// both in the batch's store transaction. Local, remote and re-issued changes meet here, and nothing else
// appends to logs. Documents have one more writer: a rebuild makes them again from the log
// (SpaceDocuments+Rebuild).

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Wire

extension Space {
    /// The end of the road, for local, remote and re-issued changes alike: appends the change, brings its
    /// documents up to it, and tells watchers. `drafted`: the patches of a change that was authored on the
    /// cached documents, which show it already. What came of it. After a throw before the append nothing is
    /// changed; after a later one the batch is lost.
    mutating func execute(
        _ ready: ReadyChange, drafted: [Key: [Patch]]? = nil,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> ChangeStatus {
        precondition(drafted == nil || ready.status == .executed, "a draft is executed")
        var status = ready.status
        var reason = SkippedRecord.Reason.unknown
        if isInBase(ready.change) {
            // Final, and what came of it is in the base, whoever could execute it.
            if status == .skipped { status = .executed }
        } else if status == .executed, exceptions.quarantined.contains(ready.change.id) {
            (status, reason) = (.skipped, .quarantined)
        }
        var patches: [ChangeEvent.DocumentPatches]?
        let before = position
        do throws(StoreFailure) {
            patches = try appendAndApply(ready.verified, status, drafted, in: &transaction)
        } catch {
            guard case .unusable = error, position == before else { throw error }
            let unreadable = try documents.unreadable(in: ready.change, from: transaction.store)
            if unreadable.isEmpty { throw error }
            // Held, so that what is behind it comes in, and passed on. Nothing is shown of a part of it.
            status = .skipped
            if reason != .quarantined { reason = .unreadable }
            patches = try appendAndApply(ready.verified, status, nil, beside: unreadable, in: &transaction)
        }
        precondition(position == before.next, "a change takes one position, not \(before) to \(position)")
        if let seal = ready.seal {
            try transaction.beginWriting()
            try transaction.store.addSeal(id, seal, isBoundary: ready.verified.isBoundary)
        }
        if status == .skipped { try recordSkipped(ready.change, reason, to: &transaction) }
        noteAcknowledgements(of: ready)
        // Of an earlier state of this device, and back from others.
        if status == .void, isLate(ready.change), author(of: ready.change.replica) == membership.device {
            try setOwnLate(true, in: &transaction)
        }
        if let adopted = ready.change.operations.first?.adopted {
            try recordAdoption(of: adopted, by: ready.change, in: &transaction)
        }
        let event = watchers > 0 ? event(patches, of: ready.change, cursors: epoch) : nil
        documents.publish(event, at: position)
        if documents.cache.dirtyCount >= NodeLimits.dirtyDocumentsMax {
            try writeDocuments(to: &transaction)
            documents.trim(sharing: 1)
        }
        return status
    }

    /// The patches for watchers; nil when the change gives no line. Where a document cannot be loaded it
    /// fails before anything is changed; `unreadable` ones are let alone.
    private mutating func appendAndApply(
        _ verified: VerifiedChange, _ status: ChangeStatus, _ drafted: [Key: [Patch]]?,
        beside unreadable: Set<Key> = [], in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> [ChangeEvent.DocumentPatches]? {
        let change = verified.change
        // Loaded first: once the change is in the log, loading a document would apply it too.
        let isInBase = isInBase(change)
        var parts = status == .void || isInBase ? [] : change.parts
        if !unreadable.isEmpty { parts.removeAll { unreadable.contains($0.key) } }
        if drafted == nil, isPlanted("half-transaction") { parts = Array(parts.prefix(1)) }
        var patches: [ChangeEvent.DocumentPatches] = []
        if parts.count == 1 {
            var cached = try documents.take(parts[0].key, from: transaction.store)
            do throws(StoreFailure) {
                try append(verified, status, to: &transaction)
            } catch {
                documents.cache.put(cached)
                throw error
            }
            documents.apply(parts[0], of: change, status, drafted, at: position, to: &cached, &patches)
            documents.cache.put(cached)
            return status == .executed ? patches : nil
        }
        var loaded: [CachedDocument] = []
        loaded.reserveCapacity(parts.count)
        do throws(StoreFailure) {
            for part in parts { loaded.append(try documents.take(part.key, from: transaction.store)) }
            try append(verified, status, to: &transaction)
        } catch {
            for cached in loaded { documents.cache.put(cached) }
            throw error
        }
        loaded.reverse()
        for part in parts {
            guard var cached = loaded.popLast() else { preconditionFailure("\(part.key) was loaded above") }
            documents.apply(part, of: change, status, drafted, at: position, to: &cached, &patches)
            documents.cache.put(cached)
        }
        return status == .executed && !parts.isEmpty ? patches : nil
    }

    /// True for a change of a log that begins at a base: it came with that.
    private func isInBase(_ change: Change) -> Bool {
        documents.bases.newest?.covered.contains(change.id) ?? false
    }

    private mutating func append(
        _ verified: VerifiedChange, _ status: ChangeStatus,
        to transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let change = verified.change
        try logs.append(
            verified, status: status, closed: closings[change.replica],
            isInBase: isInBase(change), to: &transaction)
    }

    /// A line for the watchers of this space; nil: the change gives none. It names no document when nothing
    /// shows of the change.
    private func event(
        _ patches: [ChangeEvent.DocumentPatches]?, of change: Change, cursors epoch: UInt64
    ) -> ChangeEvent? {
        guard let patches else { return nil }
        let author = author(of: change.replica) ?? DeviceID(publicKey: .zero)
        return ChangeEvent(
            cursor: Cursor(store: epoch, space: id, position: position).text, change: change.id,
            author: author, authorName: nameOf(author), timestamp: change.timestamp, documents: patches,
            cause: nil)
    }
}

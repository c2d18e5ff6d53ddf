// The end of the one road (DESIGN 3): a ready change is appended to the log and applied to its documents,
// both in the batch's store transaction. Local, remote and re-issued changes meet here, and nothing else
// appends to logs. Documents have one more writer: a rebuild makes them again from the log
// (SpaceState+Rebuild).

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Wire

extension SpaceState {
    /// The end of the road, for local, remote and re-issued changes alike: appends the change, brings its
    /// documents up to it, and tells watchers. `drafted`: the patches of a change that was authored on the
    /// cached documents, which show it already. `isQuarantined`: it is held and not executed. What came of
    /// it. After a throw before the append nothing is changed; after a later one the batch is lost.
    mutating func execute(
        _ ready: ReadyChange, drafted: [Key: [Patch]]? = nil, isQuarantined: Bool = false,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> ChangeStatus {
        precondition(drafted == nil || ready.status == .executed && !isQuarantined, "a draft is executed")
        var status = ready.status
        var reason = SkippedRecord.Reason.unknown
        if status == .executed, isQuarantined { (status, reason) = (.skipped, .quarantined) }
        var patches: [ChangeEvent.DocumentPatches]?
        let before = position
        do throws(StoreFailure) {
            patches = try appendAndApply(ready.verified, status, drafted, in: &transaction)
        } catch {
            guard case .unusable = error, position == before else { throw error }
            let unreadable = try unreadable(in: ready.change, from: &transaction)
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
        publish(patches, of: ready.change, cursors: epoch)
        if documents.dirtyCount >= NodeLimits.dirtyDocumentsMax {
            try writeDocuments(to: &transaction)
            trimDocuments(sharing: 1)
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
        var parts = status == .void ? [] : change.parts
        if !unreadable.isEmpty { parts.removeAll { unreadable.contains($0.key) } }
        if drafted == nil, isPlanted("half-transaction") { parts = Array(parts.prefix(1)) }
        var patches: [ChangeEvent.DocumentPatches] = []
        if parts.count == 1 {
            var cached = try takeDocument(parts[0].key, from: &transaction)
            do throws(StoreFailure) {
                try append(verified, status: status, to: &transaction)
            } catch {
                documents.put(cached)
                throw error
            }
            apply(parts[0], of: change, status, drafted, to: &cached, &patches)
            documents.put(cached)
            return status == .executed ? patches : nil
        }
        var loaded: [CachedDocument] = []
        loaded.reserveCapacity(parts.count)
        do throws(StoreFailure) {
            for part in parts { loaded.append(try takeDocument(part.key, from: &transaction)) }
            try append(verified, status: status, to: &transaction)
        } catch {
            for cached in loaded { documents.put(cached) }
            throw error
        }
        loaded.reverse()
        for part in parts {
            guard var cached = loaded.popLast() else { preconditionFailure("\(part.key) was loaded above") }
            apply(part, of: change, status, drafted, to: &cached, &patches)
            documents.put(cached)
        }
        return status == .executed && !parts.isEmpty ? patches : nil
    }

    /// Appends a change to the open run.
    private mutating func append(
        _ verified: VerifiedChange, status: ChangeStatus,
        to transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let change = verified.change
        let isBranch = forks.closed.isClosed(change.id)
        precondition(
            held[change.replica] == change.first.previous || isBranch && status == .void,
            "change \(change.replica):\(change.first) after \(held[change.replica])")
        if openRun?.continues(with: change.replica, at: change.first) != true {
            try writeRun(to: &transaction)
        }
        position = position.next
        let record = CommitRecord(
            position: position, replica: change.replica, first: change.first, last: change.last,
            status: status)
        var run = openRun ?? OpenRun(replica: change.replica, first: change.first, position: position)
        openRun = nil
        run.append(record, touching: status == .void ? [] : change.touched, bytes: verified.bytes)
        openRun = run
        if isBranch {
            held.advance(change.replica, to: forks.closed[change.replica]?.trunkLast ?? .none)
        } else {
            held.advance(to: change.id)
        }
        if let declaration = change.declaration { census.note(change.replica, of: declaration.device) }
        if let boundary = verified.endsSection {
            try writeRun(to: &transaction)
            let record = BoundaryRecord(last: boundary.position.last, state: boundary.encoded())
            try transaction.store.addBoundary(id, change.replica, record)
        }
    }

    /// Seals what we wrote since the last seal. At the end of a batch: one seal covers all of it.
    mutating func seal(with key: SigningKey, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if let ownReplica { try seal(ownReplica, with: key, in: &transaction) }
        for replica in forks.unsealed.sorted() { try seal(replica, with: key, in: &transaction) }
        forks.unsealed = []
    }

    private mutating func seal(
        _ replica: ReplicaID, with key: SigningKey, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard var log = logs[replica], !log.isSealed else { return }
        try transaction.beginWriting()
        let head = log.last
        let boundary = log.boundary?.position.last
        for seal in log.seal(with: key) {
            try transaction.store.addSeal(id, seal, isBoundary: seal.last < head || seal.last == boundary)
        }
        logs[replica] = log
    }

    /// Writes the open run as one row. Before anything reads the log, and at the end of the batch.
    mutating func writeRun(to transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        guard let run = openRun, let row = run.stored else { return }
        try transaction.beginWriting()
        try transaction.store.append(id, row, changes: run.records, touched: run.touched)
        openRun = nil
    }

    /// Documents of a change that cannot be made from what is stored. Those that can are in the cache then.
    mutating func unreadable(
        in change: Change, from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Set<Key> {
        var found: Set<Key> = []
        for key in change.touched where !documents.contains(key) {
            do throws(StoreFailure) {
                documents.put(try takeDocument(key, from: &transaction))
            } catch {
                guard case .unusable(let reason) = error else { throw error }
                found.insert(key)
                damages[key] = Damage(reason: "\(reason)", isUnreadable: true)
            }
        }
        return found
    }

    /// What a change does to one document, which shows it already when it was drafted there.
    private mutating func apply(
        _ part: Change.Part, of change: Change, _ status: ChangeStatus, _ drafted: [Key: [Patch]]?,
        to cached: inout CachedDocument, _ patches: inout [ChangeEvent.DocumentPatches]
    ) {
        if let drafted {
            patches.add(drafted[part.key] ?? [], to: cached.document)
        } else if status == .skipped {
            cached.document.markIncomplete()
        } else {
            let made = cached.document.apply(
                part.operations, stamps: part.stamps, wantsPatches: watchers > 0)
            if watchers > 0 { patches.add(made, to: cached.document) }
        }
        record(change, bytes: part.estimatedBytes, in: &cached)
    }

    /// Brings the record of a document up to a change that was just applied to it, of which `bytes` are its.
    private mutating func record(_ change: Change, bytes: Int, in cached: inout CachedDocument) {
        let wasVisible = cached.record.isVisible
        cached.record.isVisible = cached.document.isVisible
        if cached.record.isVisible != wasVisible { documentCount += wasVisible ? -1 : 1 }
        cached.record.frontier.advance(by: change)
        cached.record.position = position
        cached.tailChanges += 1
        cached.tailBytes += bytes
        cached.isDirty = true
    }

    /// Appends an event for the watchers of this space; nil: the change gives no line. It names no document
    /// when nothing shows of the change.
    private mutating func publish(
        _ patches: [ChangeEvent.DocumentPatches]?, of change: Change, cursors epoch: UInt64
    ) {
        guard watchers > 0 else { return ring.reset(to: position) }
        guard let patches else { return }
        let author = author(of: change.replica) ?? DeviceID(publicKey: .zero)
        ring.append(
            ChangeEvent(
                cursor: Cursor(store: epoch, space: id, position: position).text, change: change.id,
                author: author, authorName: nameOf(author), timestamp: change.timestamp,
                documents: patches, cause: nil),
            at: position)
    }
}

extension [ChangeEvent.DocumentPatches] {
    /// Adds what a change did to a document, as it is now. A document that was absent and still is does not
    /// appear: an empty list of patches says that it exists (API.md).
    mutating func add(_ patches: [Patch], to document: Document) {
        if patches.isEmpty && !document.isVisible { return }
        append(ChangeEvent.DocumentPatches(key: document.key, patches: patches))
    }
}

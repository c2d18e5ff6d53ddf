// How a transaction becomes the next change of our own log: operations are authored against the documents one
// by one (each sees the earlier ones), then the change is encoded, appended and its documents' records
// brought up to date.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Roster
import Wire

/// A transaction while it is being authored.
struct Draft: Sendable {
    let replica: ReplicaID
    let first: SequenceNumber
    let timestamp: Timestamp
    let context: VersionVector
    var next: Dot
    var operations: [Operation] = []
    /// Documents named, with their records before the transaction.
    var before: [Key: DocumentRecord] = [:]
    var patches: [Key: [Patch]] = [:]

    mutating func add(_ operation: Operation) {
        operations.append(operation)
        next = next.advanced(by: operation.sequenceCount)
    }

    mutating func add(_ authored: Authored, to document: Key) {
        for operation in authored.operations {
            operations.append(operation)
            next = next.advanced(by: operation.sequenceCount)
        }
        if !authored.patches.isEmpty { patches[document, default: []].append(contentsOf: authored.patches) }
    }
}

extension Space {
    /// Opens our log: recovers it, or begins a new incarnation, as where a checkpoint says that it ended: a
    /// copy of this box went on in another one.
    mutating func openOwnLog(
        of device: DeviceID, _ entropy: inout Entropy,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        if let ownReplica, exceptions.ended[ownReplica] != nil { logs.retireOwn() }
        if logs.incarnation == nil { try transaction.beginWriting() }
        if logs.openOwn(of: device, &entropy) { try transaction.store.put(record) }
    }

    /// What the next local change is made on. `documents` are those that it will touch. `isWhole`: it names
    /// all that is held, of however many logs.
    mutating func draft(
        at now: Instant, touching documents: some Sequence<Key>, isWhole: Bool = false,
        from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Draft {
        guard let replica = ownReplica, let log = logs[replica] else {
            preconditionFailure("the own log is opened before a draft")
        }
        var context = known
        let isShort = context.count > ReplicationLimits.contextLogsAim && !isWhole
        if isShort {
            context = try shortContext(of: documents, from: &transaction)
        }
        context = context.without(replica)
        // What was named before its log was closed, or spared, cannot be taken back within a section.
        if !closings.isEmpty || isShort { context.join(log.context) }
        return Draft(
            replica: replica, first: log.next, timestamp: log.nextTimestamp(wall: now.wall),
            context: context, next: Dot(replica, log.next))
    }

    /// What a change of these documents was made on, where not all that is held can be named (decision 0108):
    /// everything but the logs of a crowd, and of those what the documents are made of. A change that names
    /// what touched a document before it, as each of them does, makes the frontier and what that names
    /// enough.
    private mutating func shortContext(
        of documents: some Sequence<Key>, from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> VersionVector {
        try writeRun(to: &transaction)
        let known = self.known
        var context = logs.census.named(of: known)
        var reader = LogReader(space: id)
        for key in Set(documents).sorted() {
            let cached = try self.documents.take(key, from: transaction.store)
            self.documents.cache.put(cached)
            for dot in cached.record.frontier where known.contains(dot) {
                context.advance(dot.replica, to: known[dot.replica])
                guard let found = try reader.find(dot, from: transaction.store) else { continue }
                for entry in found.change.context.entries {
                    context.advance(entry.replica, to: known[entry.replica])
                }
            }
        }
        return context
    }

    /// Authors the next requests of a transaction, which the document shows at once: those that splice one
    /// text one after the other, or one. Moves `number` past them.
    mutating func author(
        _ requests: [OperationRequest], _ number: inout Int, into draft: inout Draft,
        from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) {
        let request = try restoring(requests[number], number, from: &transaction)
        let edits = TextEdit.row(in: requests[number...])
        var cached: CachedDocument
        do throws(StoreFailure) {
            cached = try documents.take(request.document, from: transaction.store)
        } catch {
            transaction.readFailed(error)
            throw NodeError(error, reading: request.document, of: id)
        }
        defer { documents.cache.put(cached) }
        if draft.before[request.document] == nil { draft.before[request.document] = cached.record }
        var done = 0
        do throws(AuthorError) {
            let authored =
                edits.count > 1
                ? try cached.document.author(
                    edits, at: request.path, dot: draft.next, timestamp: draft.timestamp,
                    context: draft.context, wantsPatches: watchers > 0, done: &done)
                : try cached.document.author(
                    request, dot: draft.next, timestamp: draft.timestamp, context: draft.context,
                    wantsPatches: watchers > 0)
            draft.add(authored, to: request.document)
        } catch {
            throw .author(error, operation: number + done)
        }
        number += max(1, edits.count)
    }

    /// Appends the drafted change. A draft without operations changed nothing and writes nothing.
    /// `checkpoint`: one that it speaks of, which its view has to hold.
    mutating func finish(
        _ draft: Draft, naming checkpoint: Bytes32? = nil, cursors epoch: UInt64,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> TransactionOutcome {
        guard !draft.operations.isEmpty else {
            let frontier = Set(draft.before.values.flatMap(\.frontier))
            return TransactionOutcome(change: nil, version: VersionToken(frontier: Array(frontier)).text)
        }
        guard var log = logs.takeHead(of: draft.replica) else {
            preconditionFailure("the own log is open while a draft is")
        }
        let heads = membership.roster.headsToName(
            inChangesOf: log.declaration.device, speakingOf: checkpoint)
        let ready: ReadyChange
        do throws(ChangeTooLarge) {
            defer { logs[draft.replica] = log }
            let authored = try log.author(
                timestamp: draft.timestamp, context: draft.context, rosterHeads: heads,
                operations: draft.operations)
            ready = ReadyChange(authored, on: heads)
        } catch {
            throw .transactionTooLarge(error)
        }
        do throws(StoreFailure) {
            _ = try execute(ready, drafted: draft.patches, cursors: epoch, in: &transaction)
        } catch {
            transaction.fail(error)
            throw NodeError(error)
        }
        let id = ready.change.id
        return TransactionOutcome(change: id, version: VersionToken(frontier: [id]).text)
    }

    /// Makes the documents of a refused transaction again, as they were before it.
    mutating func undo(_ draft: Draft, from transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        for (_, record) in draft.before.sorted(by: { $0.key < $1.key }) {
            guard documents.cache.isDirty(record.key) else {
                documents.cache.forget(record.key)
                continue
            }
            try logs.writeRun(to: &transaction)
            try documents.reload(record.key, as: record, from: transaction.store)
        }
    }
}

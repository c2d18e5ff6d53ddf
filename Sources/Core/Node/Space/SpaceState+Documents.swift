// Documents come into memory as snapshot plus the changes after it, and go back as a new snapshot once the
// tail has outgrown the old one.

import Bytes
import Causality
import Documents
import Wire

extension SpaceState {
    /// Takes the document out of the cache, loading it when it is not there. Put it back with
    /// `documents.put`.
    mutating func takeDocument(_ key: Key, from transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure) -> CachedDocument
    {
        if let cached = documents.take(key) { return cached }
        // What the open run touches is dirty and so in the cache: the run need not be written for this.
        precondition(!documents.isDirty(key), "\(key) changed in this batch and is not in the cache")
        var reader = LogReader(space: id)
        let loaded = try Self.load(key, of: id, from: transaction.store, with: &reader)
        if let damage = loaded.damage { damages[key] = Damage(reason: damage) }
        return loaded
    }

    /// Makes a document that is in the cache again from the store, as it was before what nobody committed.
    mutating func reloadDocument(
        _ key: Key, as record: DocumentRecord, from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard documents.isDirty(key) else { return documents.forget(key) }
        try writeRun(to: &transaction)
        _ = documents.take(key)
        var reader = LogReader(space: id)
        var again = try Self.load(key, of: id, isRecorded: false, from: transaction.store, with: &reader)
        again.record = record
        again.isDirty = true
        documents.put(again)
    }

    /// Decodes a document from a store or a read snapshot of one. `isRecorded`: a document that the store has
    /// no record of was never touched, and is not looked for in the log. Where its snapshot does not decode
    /// it is made from all its changes.
    static func load(
        _ key: Key, of space: SpaceID, isRecorded: Bool = true, from store: some StoreReading,
        with reader: inout LogReader
    )
        throws(StoreFailure) -> CachedDocument
    {
        let record = try store.document(space, key)
        if record == nil, isRecorded { return .absent(key) }
        let snapshot = try store.snapshot(space, key)
        let (document, damage) = try decode(snapshot, key)
        var cached = CachedDocument(
            document: document, record: record ?? .absent(key),
            snapshotBytes: damage == nil ? snapshot?.bytes.count ?? 0 : 0, tailChanges: 0, tailBytes: 0,
            damage: damage, wasVisible: record?.isVisible ?? false)
        if isPlanted("tail-forgotten"), snapshot != nil { return cached }
        var position = damage == nil ? snapshot?.position ?? .start : .start
        while true {
            let records = try store.commits(space, touching: key, after: position, limit: tailPage)
            for record in records {
                try apply(record, to: &cached, space, from: store, with: &reader)
                position = record.position
            }
            if records.count < tailPage { return cached }
        }
    }

    private static let tailPage = 1_024

    private static func apply(
        _ record: CommitRecord, to cached: inout CachedDocument, _ space: SpaceID,
        from store: some StoreReading,
        with reader: inout LogReader
    ) throws(StoreFailure) {
        if record.status == .void { return }
        let change = try reader.change(record, from: store)
        let (operations, stamps) = change.operations(touching: cached.record.key)
        if record.status == .skipped {
            cached.document.markIncomplete()
        } else {
            _ = cached.document.apply(operations, stamps: stamps, wantsPatches: false)
        }
        cached.tailChanges += 1
        cached.tailBytes += operations.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// The document that a snapshot holds, or an empty one and what is wrong with the snapshot.
    static func decode(_ snapshot: SnapshotRecord?, _ key: Key) throws(StoreFailure) -> (Document, String?) {
        guard let snapshot else { return (Document(key: key), nil) }
        do throws(DecodeFault) {
            return (try Document(snapshot: snapshot.bytes), nil)
        } catch {
            if case .unknownTag(field: "snapshot version", let version) = error {
                throw .unusable(.newerSnapshot(key, version: version))
            }
            return (Document(key: key), "\(error)")
        }
    }

    /// Writes a snapshot that covers everything up to now.
    static func fold(
        _ cached: inout CachedDocument, of space: SpaceID, into store: inout some ChangeStore
    )
        throws(StoreFailure)
    {
        let bytes = cached.document.encodeSnapshot()
        try store.put(
            space, cached.record.key, SnapshotRecord(position: cached.record.position, bytes: bytes))
        cached.snapshotBytes = bytes.count
        cached.damage = nil
        cached.tailChanges = 0
        cached.tailBytes = 0
    }

    /// Writes the open run, then the records of documents that changed, and what has outgrown its snapshot.
    mutating func writeDocuments(to transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try writeRun(to: &transaction)
        guard documents.dirtyCount > 0 else { return }
        try transaction.beginWriting()
        // Not `self` inside, so that the cache is worked on in place.
        let space = id
        try documents.writeDirty { cached throws(StoreFailure) in
            try transaction.store.put(space, cached.record, wasVisible: cached.wasVisible)
            cached.wasVisible = cached.record.isVisible
            if cached.wantsSnapshot { try Self.fold(&cached, of: space, into: &transaction.store) }
        }
    }

    /// Forgets the documents that were not used for longest, when there are too many for one of so many
    /// spaces.
    mutating func trimDocuments(sharing spaces: Int) {
        precondition(documents.dirtyCount == 0, "documents are trimmed after they were written")
        documents.trim(sharing: spaces)
    }
}

extension CachedDocument {
    static func absent(_ key: Key) -> CachedDocument {
        CachedDocument(
            document: Document(key: key), record: .absent(key), snapshotBytes: 0, tailChanges: 0, tailBytes: 0
        )
    }
}

extension DocumentRecord {
    /// A document that nothing touched yet.
    static func absent(_ key: Key) -> DocumentRecord {
        DocumentRecord(key: key, isVisible: false, frontier: [], position: .start)
    }
}

extension Change {
    /// The operations on one document with their stamps, in order.
    func operations(touching document: Key) -> ([Operation], [OperationStamp]) {
        var chosen: ([Operation], [OperationStamp]) = ([], [])
        for (operation, stamp) in zip(operations, stamps()) where operation.document == document {
            chosen.0.append(operation)
            chosen.1.append(stamp)
        }
        return chosen
    }

    /// What it does to one document.
    struct Part {
        let key: Key
        var operations: [Operation] = []
        var stamps: [OperationStamp] = []

        var estimatedBytes: Int { operations.reduce(0) { $0 + $1.estimatedBytes } }
    }

    /// All that it does, by document, ascending. O(operations): a change may touch thousands of documents.
    var parts: [Part] {
        if operations.count == 1 {
            return [Part(key: operations[0].document, operations: operations, stamps: stamps())]
        }
        if let first = operations.first, operations.allSatisfy({ $0.document == first.document }) {
            return [Part(key: first.document, operations: operations, stamps: stamps())]
        }
        var indices: [Key: Int] = [:]
        var parts: [Part] = []
        for (operation, stamp) in zip(operations, stamps()) {
            let index = indices[operation.document] ?? parts.count
            if index == parts.count {
                indices[operation.document] = index
                parts.append(Part(key: operation.document))
            }
            parts[index].operations.append(operation)
            parts[index].stamps.append(stamp)
        }
        return parts.sorted { $0.key < $1.key }
    }

    /// Keys of the documents that it touches, ascending, each once.
    var touched: [Key] {
        if operations.count == 1 { return [operations[0].document] }
        return Set(operations.map(\.document)).sorted()
    }
}

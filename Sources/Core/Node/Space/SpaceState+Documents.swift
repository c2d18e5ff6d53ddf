// Documents come into memory as snapshot plus the changes after it, and go back as a new snapshot once the
// tail has outgrown the old one.

import Bytes
import Causality
import Documents
import Wire

extension SpaceState {
    /// Takes the document out of the cache, loading it when it is not there. Put it back with
    /// `documents.put`.
    mutating func takeDocument(_ key: Key, from store: inout some ChangeStore, _ batch: inout Batch)
        throws(StoreFailure) -> CachedDocument
    {
        if let cached = documents.take(key) { return cached }
        try writeRun(to: &store, &batch)
        var reader = LogReader(space: id)
        return try Self.load(key, of: id, from: store, with: &reader)
    }

    /// Decodes a document from a store or a read snapshot of one.
    static func load(
        _ key: Key, of space: SpaceID, from store: some StoreReading, with reader: inout LogReader
    )
        throws(StoreFailure) -> CachedDocument
    {
        let snapshot = try store.snapshot(space, key)
        var cached = CachedDocument(
            document: try decode(snapshot, key), record: try store.document(space, key) ?? .absent(key),
            snapshotBytes: snapshot?.bytes.count ?? 0, tailChanges: 0, tailBytes: 0)
        if isPlanted("tail-forgotten"), snapshot != nil { return cached }
        var position = snapshot?.position ?? .start
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

    static func decode(_ snapshot: SnapshotRecord?, _ key: Key) throws(StoreFailure) -> Document {
        guard let snapshot else { return Document(key: key) }
        do throws(DecodeFault) {
            return try Document(snapshot: snapshot.bytes)
        } catch {
            throw .unusable("the snapshot of document \(key) does not decode: \(error)")
        }
    }

    /// Writes a snapshot that covers everything up to now.
    mutating func fold(
        _ cached: inout CachedDocument, into store: inout some ChangeStore, _ batch: inout Batch
    )
        throws(StoreFailure)
    {
        let bytes = cached.document.encodeSnapshot()
        try batch.write(&store)
        try store.put(id, cached.record.key, SnapshotRecord(position: cached.record.position, bytes: bytes))
        cached.snapshotBytes = bytes.count
        cached.tailChanges = 0
        cached.tailBytes = 0
    }

    /// Writes the records of documents that changed, and what has outgrown its snapshot.
    mutating func writeDocuments(to store: inout some ChangeStore, _ batch: inout Batch) throws(StoreFailure)
    {
        guard !dirty.isEmpty else { return }
        try batch.write(&store)
        for key in dirty.sorted() {
            guard var cached = documents.take(key) else {
                preconditionFailure("document \(key) changed in this batch and is not in the cache")
            }
            try store.put(id, cached.record)
            if cached.wantsSnapshot { try fold(&cached, into: &store, &batch) }
            documents.put(cached)
        }
        dirty = []
    }

    /// Forgets the documents that were not used for longest, when there are too many for one of so many
    /// spaces.
    mutating func trimDocuments(sharing spaces: Int) {
        precondition(dirty.isEmpty, "documents are trimmed after they were written")
        for key in documents.candidatesToDrop(sharing: spaces) { _ = documents.take(key) }
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

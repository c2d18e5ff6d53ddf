// A document comes into memory as its snapshot and the changes after it; one whose snapshot does not decode
// is made from its base, or from nothing where there is none, and all changes beyond.

import Bytes
import Causality
import Documents
import Wire

extension SpaceDocuments {
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
        var position = snapshot?.position ?? .start
        var origin: DocumentOrigin?
        if damage != nil {
            let base = try DocumentOrigin(of: key, in: space, from: store)
            (cached.document, position, origin) = (base.document, .start, base)
        }
        while true {
            let records = try store.commits(space, touching: key, after: position, limit: tailPage)
            for record in records {
                position = record.position
                if let origin, !origin.isBeyond(record) { continue }
                try apply(record, to: &cached, space, from: store, with: &reader)
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
        let (operations, stamps) = reader.operations(of: change, touching: cached.record.key)
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
            return (Document(key: key), FaultWords(error).description)
        }
    }

    /// Writes a snapshot that covers everything up to now.
    static func fold(
        _ cached: inout CachedDocument, of space: SpaceID, on bases: SpaceBases,
        into store: inout some ChangeStore
    )
        throws(StoreFailure)
    {
        if let standing = bases.standing { cached.document.purge(asOf: standing.released) }
        let bytes = cached.document.encodeSnapshot()
        try store.put(
            space, cached.record.key, SnapshotRecord(position: cached.record.position, bytes: bytes))
        cached.snapshotBytes = bytes.count
        cached.damage = nil
        cached.tailChanges = 0
        cached.tailBytes = 0
    }
}

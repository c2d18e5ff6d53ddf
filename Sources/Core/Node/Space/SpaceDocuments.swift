// The documents of a space in memory: those that are decoded, what was found damaged, and the events that
// watchers get. A document comes out as snapshot plus the changes after it (SpaceDocuments+Load) and goes
// back as a new snapshot once the tail has outgrown the old one.

import Bytes
import Causality
import Documents
import Wire

/// The documents of a space, as far as they are in memory, and who watches them.
struct SpaceDocuments: Sendable {
    let space: SpaceID
    var cache = DocumentCache()
    /// Documents that were found damaged in this batch.
    var damages: [Key: Damage] = [:]
    /// Visible documents, those of the open batch included.
    var count: Int
    var ring: EventRing
    /// Open change streams here; without any, no patches are made.
    private(set) var watchers = 0
    /// The last commit position that stands for a rebuild: states before it cannot be made again.
    var rebuilt = CommitPosition.start
    /// Changes that rebuilds replayed since the space was opened: what they cost.
    var replayed = 0
    /// Declared on this node.
    var indexes = SpaceIndexes()
    /// The checkpoints whose bases they are made on.
    var bases = SpaceBases()

    /// What is wrong with what is stored of a document.
    struct Damage: Sendable {
        let reason: String
        /// It cannot be made from its changes either.
        var isUnreadable = false
    }

    /// Of a space that was just made or joined.
    init(of space: SpaceID) {
        self.space = space
        count = 0
        ring = EventRing(start: .start)
    }

    init(of record: SpaceRecord, from store: some StoreReading) throws(StoreFailure) {
        space = record.id
        count = try store.documentCount(record.id)
        ring = EventRing(start: record.position)
        indexes = try SpaceIndexes(of: record.id, from: store)
        bases = try SpaceBases(of: record.id, from: store)
        if let bytes = try store.meta(NodeMeta.rebuilt(record.id)), bytes.count == 8 {
            rebuilt = CommitPosition(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// After documents were written past the cache. Nothing is dirty.
    mutating func recount(in store: some StoreReading) throws(StoreFailure) {
        count = try store.documentCount(space)
    }

    // MARK: Taking documents

    /// Takes the document out of the cache, loading it when it is not there. Put it back with `cache.put`.
    mutating func take(_ key: Key, from store: some StoreReading) throws(StoreFailure) -> CachedDocument {
        if let cached = cache.take(key) { return cached }
        // What the open run touches is dirty and so in the cache: the run need not be written for this.
        precondition(!cache.isDirty(key), "\(key) changed in this batch and is not in the cache")
        var reader = LogReader(space: space)
        let loaded = try Self.load(key, of: space, from: store, with: &reader)
        if let damage = loaded.damage { damages[key] = Damage(reason: damage) }
        return loaded
    }

    /// Makes a document that is in the cache again from the store, as it was before what nobody committed.
    /// The open run was written.
    mutating func reload(_ key: Key, as record: DocumentRecord, from store: some StoreReading)
        throws(StoreFailure)
    {
        _ = cache.take(key)
        var reader = LogReader(space: space)
        var again = try Self.load(key, of: space, isRecorded: false, from: store, with: &reader)
        again.record = record
        again.isDirty = true
        cache.put(again)
    }

    /// Documents of a change that cannot be made from what is stored. Those that can are in the cache then.
    mutating func unreadable(
        in change: Change, from store: some StoreReading
    ) throws(StoreFailure) -> Set<Key> {
        var found: Set<Key> = []
        for key in change.touched where !cache.contains(key) {
            do throws(StoreFailure) {
                cache.put(try take(key, from: store))
            } catch {
                guard case .unusable(let reason) = error else { throw error }
                found.insert(key)
                damages[key] = Damage(reason: "\(reason)", isUnreadable: true)
            }
        }
        return found
    }

    /// What was found damaged since this was last asked, ascending by key.
    mutating func takeDamages() -> [(key: Key, damage: Damage)] {
        defer { damages = [:] }
        return damages.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Changing them

    /// What a change does to one document, which shows it already when it was drafted there.
    mutating func apply(
        _ part: Change.Part, of change: Change, _ status: ChangeStatus, _ drafted: [Key: [Patch]]?,
        at position: CommitPosition,
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
        record(change, bytes: part.estimatedBytes, at: position, in: &cached)
    }

    /// Brings the record of a document up to a change that was just applied to it, of which `bytes` are its.
    private mutating func record(
        _ change: Change, bytes: Int, at position: CommitPosition, in cached: inout CachedDocument
    ) {
        let wasVisible = cached.record.isVisible
        cached.record.isVisible = cached.document.isVisible
        if cached.record.isVisible != wasVisible { count += wasVisible ? -1 : 1 }
        cached.record.frontier.advance(by: change)
        cached.record.position = position
        cached.tailChanges += 1
        cached.tailBytes += bytes
        cached.isDirty = true
    }

    /// Writes the records of documents that changed, and a snapshot of those whose tail has outgrown theirs.
    /// The open run was written.
    mutating func write(to transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        guard cache.dirtyCount > 0 else { return }
        try transaction.beginWriting()
        // Not `self` inside, so that the cache is worked on in place.
        let (space, bases) = (self.space, self.bases)
        var indexes = self.indexes
        try cache.writeDirty { cached throws(StoreFailure) in
            try transaction.store.put(space, cached.record, wasVisible: cached.wasVisible)
            cached.wasVisible = cached.record.isVisible
            if !indexes.isEmpty {
                try indexes.update(cached.document, in: space, to: &transaction.store)
            }
            if cached.wantsSnapshot {
                try Self.fold(&cached, of: space, on: bases, into: &transaction.store)
            }
        }
        if indexes.isEmpty { return }
        try indexes.writeRecords(of: space, to: &transaction.store)
        self.indexes = indexes
    }

    /// Forgets the documents that were not used for longest, when there are too many for one of so many
    /// spaces.
    mutating func trim(sharing spaces: Int) {
        precondition(cache.dirtyCount == 0, "documents are trimmed after they were written")
        cache.trim(sharing: spaces)
    }

    // MARK: Watchers

    /// One more change stream; from here on events are kept.
    mutating func addWatcher(at position: CommitPosition) {
        if watchers == 0 { ring.reset(to: position) }
        watchers += 1
    }

    mutating func removeWatcher(at position: CommitPosition) {
        precondition(watchers > 0, "a stream of space \(space) ends that was not open")
        watchers -= 1
        if watchers == 0 { ring.reset(to: position) }
    }

    /// Appends an event; nil: the change gives no line. Without watchers none is kept.
    mutating func publish(_ event: ChangeEvent?, at position: CommitPosition) {
        guard watchers > 0 else { return ring.reset(to: position) }
        if let event { ring.append(event, at: position) }
    }

    // MARK: Invariants

    func checkInvariants(whole: Bool) {
        precondition(watchers >= 0 && cache.dirtyCount <= cache.count, "documents of space \(space)")
        precondition(count >= 0, "\(count) visible documents in space \(space)")
        indexes.checkInvariants()
    }
}

extension [ChangeEvent.DocumentPatches] {
    /// Adds what a change did to a document, as it is now. A document that was absent and still is does not
    /// appear: an empty list of patches says that it exists (API.md).
    mutating func add(_ patches: [Patch], to document: Document, _ matches: FilterMatches? = nil) {
        if patches.isEmpty && !document.isVisible { return }
        append(ChangeEvent.DocumentPatches(key: document.key, patches: patches, matches: matches))
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

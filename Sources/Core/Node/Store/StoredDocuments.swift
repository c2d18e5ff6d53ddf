// The part of the store's contract about documents: what listings need of each, its snapshot, and which
// changes touched it. A document itself is made from its snapshot and the changes after it. One that is as
// the newest checkpoint holds it needs neither a record nor a snapshot of its own (`StoredBases`).

public import Bytes
public import Causality

/// A document as listings need it.
public struct DocumentRecord: Hashable, Sendable {
    public let key: Key
    public var isVisible: Bool
    /// Changes that touched it and that no other such change covers, ascending: its version.
    public var frontier: [Dot]
    /// The last position that touched it.
    public var position: CommitPosition

    public init(key: Key, isVisible: Bool, frontier: [Dot], position: CommitPosition) {
        self.key = key
        self.isVisible = isVisible
        self.frontier = frontier
        self.position = position
    }
}

/// A document's snapshot and the position that it covers.
public struct SnapshotRecord: Hashable, Sendable {
    public let position: CommitPosition
    public let bytes: [UInt8]

    public init(position: CommitPosition, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }
}

/// Some documents of a space that were touched lately.
public struct TouchedKeys: Hashable, Sendable {
    /// Ascending.
    public let keys: [Key]
    /// The last document that was looked at, to go on after; nil: there are no more.
    public let next: Key?

    public init(keys: [Key], next: Key?) {
        self.keys = keys
        self.next = next
    }
}

/// What is kept of documents.
public protocol StoredDocuments {
    /// Its own record, or, where it has none, what its base says.
    func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord?
    /// Visible documents with this prefix and a key greater than `after`, ascending by key bytes.
    func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int) throws(StoreFailure)
        -> [DocumentRecord]
    /// The same from the other end: with a key less than `before`, descending.
    func documents(_ space: SpaceID, prefix: Key, before: Key?, limit: Int) throws(StoreFailure)
        -> [DocumentRecord]
    /// Visible documents.
    func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int
    /// Its own, or that of its base where it has none.
    func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord?
    /// Of the first `limit` documents with a record of their own after a key, visible or not, those that were
    /// touched after `position`. Documents without one were not touched since their base.
    func touchedKeys(_ space: SpaceID, after: Key?, since position: CommitPosition, limit: Int)
        throws(StoreFailure) -> TouchedKeys
    /// Changes that touched the document, committed after `position`, ascending.
    func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
}

/// Writes of documents, each inside the open transaction. Which changes touch a document is written with the
/// changes (`LogStore.append`).
public protocol DocumentStore: StoredDocuments {
    /// `wasVisible`: as the record that it replaces says; false without one.
    mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool) throws(StoreFailure)
    mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure)
    /// From now on the document is as its base says, which must be there.
    mutating func removeRecord(_ space: SpaceID, _ key: Key) throws(StoreFailure)
    /// From now on its base's is read in its place.
    mutating func removeSnapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure)
    /// Removes record, snapshot and base of an invisible document, and that changes touched it (`touched`
    /// goes on naming it). O(changes that touched it).
    mutating func removeDocument(_ space: SpaceID, _ key: Key) throws(StoreFailure)
}

extension DocumentStore {
    /// For callers that do not know the record that it replaces: reads it first.
    public mutating func put(_ space: SpaceID, _ document: DocumentRecord) throws(StoreFailure) {
        let old = try self.document(space, document.key)
        try put(space, document, wasVisible: old?.isVisible ?? false)
    }
}

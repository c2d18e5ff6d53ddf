// The part of the store's contract about checkpoints: documents as the newest standing one holds them, those
// of one that is being computed, and the pages of both manifests.
//
//     record, snapshot    of a document: its own, or, where it has none, its base's
//     base                as the standing checkpoint holds it; one row a document
//     candidate           what the next one makes of it, until that stands: only what differs
//
// So a document that equals its base stands on disk once, in one row: with its base alone it is listed,
// counted and read.

public import Bytes
public import Causality
public import Wire

/// A document as the newest standing checkpoint holds it.
public struct BaseRecord: Hashable, Sendable {
    public let key: Key
    public let isVisible: Bool
    /// Ascending.
    public let frontier: [Dot]
    /// Each change that touches the document and was committed at or before it is in the base, or void for
    /// good.
    public let position: CommitPosition
    /// Its snapshot.
    public let bytes: [UInt8]

    public init(key: Key, isVisible: Bool, frontier: [Dot], position: CommitPosition, bytes: [UInt8]) {
        self.key = key
        self.isVisible = isVisible
        self.frontier = frontier
        self.position = position
        self.bytes = bytes
    }
}

extension BaseRecord {
    /// The document as it is listed, where it has no record of its own.
    public var record: DocumentRecord {
        DocumentRecord(key: key, isVisible: isVisible, frontier: frontier, position: position)
    }

    /// What it counts for in `StoredBases.baseBytes`.
    public var size: Int { key.utf8Count + bytes.count + frontier.count * 24 }
}

/// What a base that is being computed makes of a document.
public struct CandidateRecord: Hashable, Sendable {
    public let key: Key
    public let isVisible: Bool
    /// Ascending.
    public let frontier: [Dot]
    /// Its snapshot; nil: the base does not hold the document any more.
    public let bytes: [UInt8]?

    public init(key: Key, isVisible: Bool, frontier: [Dot], bytes: [UInt8]?) {
        self.key = key
        self.isVisible = isVisible
        self.frontier = frontier
        self.bytes = bytes
    }
}

/// A page of the next base, whose documents are to be candidates.
public struct CandidatePage: Sendable {
    public let outline: PageOutline
    /// Of each document.
    public let isVisible: [Bool]

    public init(_ outline: PageOutline, isVisible: [Bool]) {
        precondition(outline.documents.count == isVisible.count, "each document is visible or not")
        (self.outline, self.isVisible) = (outline, isVisible)
    }

    public var lastKey: Key? { outline.documents.last?.key }

    /// Its documents one by one.
    public var records: [CandidateRecord] {
        zip(outline.documents, isVisible).map { document, isVisible in
            CandidateRecord(
                key: document.key, isVisible: isVisible, frontier: outline.frontier(of: document),
                bytes: outline.snapshot(of: document))
        }
    }
}

/// Candidates that became bases in one go.
public struct PromotedCandidates: Hashable, Sendable {
    public let documents: Int
    public let visible: Int
    /// Of keys, snapshots and frontiers, as `StoredBases.baseBytes` counts them.
    public let bytes: Int
    public let lastKey: Key

    public init(documents: Int, visible: Int, bytes: Int, lastKey: Key) {
        self.documents = documents
        self.visible = visible
        self.bytes = bytes
        self.lastKey = lastKey
    }
}

/// One page of a base's manifest.
public struct PageRecord: Hashable, Sendable {
    /// The key of its last document: pages are named and ordered by it.
    public let last: Key
    public let hash: Bytes32
    public let bytes: Int
    public let documents: Int

    public init(last: Key, hash: Bytes32, bytes: Int, documents: Int) {
        self.last = last
        self.hash = hash
        self.bytes = bytes
        self.documents = documents
    }
}

/// Which manifest: two are kept at most.
public enum PageSet: Hashable, CaseIterable, Sendable {
    /// Of the newest standing checkpoint.
    case standing
    /// Of the one that is being computed or taken.
    case candidate
}

/// What is kept of bases. Lists are ascending by key bytes, `after` excluded, nil: from the first.
public protocol StoredBases {
    func base(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> BaseRecord?
    func bases(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure) -> [BaseRecord]
    /// Bases behind `after` as the bytes of pages (`BasePage.encoded`), one for each count, of so many
    /// documents, one behind the other. Where there are fewer the last page is shorter, and those behind it
    /// are left out. Each count is 1 at least.
    func encodedPages(_ space: SpaceID, after: Key?, counts: [Int]) throws(StoreFailure) -> [[UInt8]]
    /// All bases of a space: their documents, and the bytes of keys, snapshots and frontiers (24 a dot).
    /// O(1): the figure is kept.
    func baseBytes(_ space: SpaceID) throws(StoreFailure) -> (bytes: Int, documents: Int)
    func candidate(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> CandidateRecord?
    func candidates(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure) -> [CandidateRecord]
    func pages(_ space: SpaceID, of set: PageSet, after: Key?, limit: Int) throws(StoreFailure)
        -> [PageRecord]
}

/// Writes of bases, each inside the open transaction.
public protocol BaseStore: StoredBases {
    /// Inserts or replaces. Cheapest in ascending order of keys. The document's own record and snapshot stay
    /// as they are; one without them is as its base from now on.
    mutating func put(_ space: SpaceID, _ base: BaseRecord) throws(StoreFailure)
    /// A document without a record of its own goes with it.
    mutating func removeBase(_ space: SpaceID, _ key: Key) throws(StoreFailure)
    /// Inserts or replaces.
    mutating func put(_ space: SpaceID, _ candidate: CandidateRecord) throws(StoreFailure)
    /// Puts pages that follow each other, ascending, in the place of all candidates after a key, up to the
    /// last of theirs.
    mutating func putCandidates(_ space: SpaceID, after: Key?, _ pages: [CandidatePage]) throws(StoreFailure)
    /// Removes the first `limit` in order of keys; true: more are left.
    mutating func removeCandidates(_ space: SpaceID, limit: Int) throws(StoreFailure) -> Bool
    /// Many candidates at once become bases at a position, and are candidates no more: the first ones in
    /// order of keys, `limit` at most, up to the first that the new base does not hold; or all, where the
    /// space has no other documents and the store does it by one step. Nil, and nothing is
    /// changed: there is none before that, or the document of one has a base, a record or a snapshot of its
    /// own, or the store has to look at each for another reason.
    mutating func promoteCandidates(_ space: SpaceID, limit: Int, at position: CommitPosition)
        throws(StoreFailure) -> PromotedCandidates?
    /// Inserts pages, or replaces those of the same last key.
    mutating func putPages(_ space: SpaceID, of set: PageSet, _ pages: [PageRecord]) throws(StoreFailure)
    /// Removes all pages of a manifest. O(pages).
    mutating func removePages(_ space: SpaceID, of set: PageSet) throws(StoreFailure)
    /// The candidate's manifest becomes the standing one, whose pages go; there is no candidate then.
    /// O(pages that go).
    mutating func promotePages(_ space: SpaceID) throws(StoreFailure)
}

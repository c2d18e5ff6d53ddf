// Where the documents of a listing come from: the range of all keys, or a declared index. A source names
// candidates; the listing looks at each and decides.

import Bytes
import Causality
import Documents

/// A document that may be listed.
struct ListingCandidate: Sendable {
    let key: Key
    /// If the source had to read it; a visible document then.
    let record: DocumentRecord?

    init(_ key: Key, record: DocumentRecord? = nil) {
        self.key = key
        self.record = record
    }
}

/// Keys of documents that may match, read from one committed state.
protocol CandidateSource: Sendable {
    /// The declared index that it reads; nil: none.
    var index: String? { get }
    /// True: candidates come in the listing's order, so that a page ends when it is full. False: in any, and
    /// the listing sorts them all.
    var isInOrder: Bool { get }
    /// Starts again behind a place of the listing; nil: at the beginning. Only sources that are in order are
    /// given a place.
    mutating func begin(after place: ListingPlace?)
    /// The next candidates, at most so many; none at the end. Documents that do not match may be among them;
    /// none that matches is left out, and none comes twice.
    mutating func next(limit: Int, from store: some StoreReading) throws(StoreFailure) -> [ListingCandidate]
}

/// All documents with a prefix, by key.
struct KeyRangeCandidates: CandidateSource {
    private let space: SpaceID
    private let prefix: Key
    private let isDescending: Bool
    let isInOrder: Bool
    private var place: Key?
    private var isAtEnd = false

    var index: String? { nil }

    init(of query: ListingQuery, in space: SpaceID) {
        self.space = space
        prefix = query.prefix
        isInOrder = query.order.subject == .key
        isDescending = isInOrder && query.order.isDescending
    }

    mutating func begin(after place: ListingPlace?) {
        precondition(place == nil || isInOrder, "a place among keys that are in another order")
        self.place = place?.key
        isAtEnd = false
    }

    mutating func next(limit: Int, from store: some StoreReading) throws(StoreFailure) -> [ListingCandidate] {
        if isAtEnd { return [] }
        let records =
            if isDescending {
                try store.documents(space, prefix: prefix, before: place, limit: limit)
            } else {
                try store.documents(space, prefix: prefix, after: place, limit: limit)
            }
        place = records.last?.key ?? place
        isAtEnd = records.count < limit
        return records.map { ListingCandidate($0.key, record: $0) }
    }
}

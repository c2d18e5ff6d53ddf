// A listing, read page by page from a read snapshot of the store on the threads of long reads. What a page
// costs is counted; documents are decoded only when somebody asks for what is in them.
//
//     in order:      candidates -> matches? -> page, until it is full and one more matches
//     in another:    all candidates -> matches? -> HeldPlaces -> page

import Bytes
import Causality
import Documents

/// Reads a listing.
// @unchecked: `any Listing` is owned by one reader at a time, who calls its functions in turn; nothing else
// holds it.
final class ListingScan<Reader: StoreReading & Sendable>: Listing, @unchecked Sendable {
    let space: SpaceID
    let query: ListingQuery
    let cursor: String
    private let store: Reader
    private var source: any CandidateSource
    private var logs: LogReader
    /// Of a source that is not in order.
    private var held: HeldPlaces
    private var page: OpenPage?

    /// Candidates of one step: a few milliseconds of work, if documents are small.
    private static var stepMax: Int { 128 }

    init(store: Reader, space: SpaceID, query: ListingQuery, cursor: String) throws(StoreFailure) {
        (self.store, self.space, self.query, self.cursor) = (store, space, query, cursor)
        source = try ListingCandidates.choose(for: query, in: space, from: store)
        logs = LogReader(space: space)
        held = HeldPlaces(order: query.order, bytesMax: NodeLimits.heldPlacesBytesMax)
    }

    func begin(_ request: PageRequest) {
        page = OpenPage(request: request)
    }

    func step() throws(NodeError) -> ListingPage? {
        guard var open = page.take() else { preconditionFailure("a step of no page") }
        if open.phase == .beginning {
            try begin(&open)
        } else if source.isInOrder {
            try walk(&open)
        } else if open.phase == .filling {
            try fill(&open)
        } else {
            try serve(&open)
        }
        guard let next = open.next else {
            page = open
            return nil
        }
        // Between pages nothing is kept for speed: there may be many listings.
        logs.trim(to: 0)
        return ListingPage(
            documents: open.documents, next: next.key, index: source.index, lookedAt: open.lookedAt)
    }

    /// Finds where the page begins.
    private func begin(_ page: inout OpenPage) throws(NodeError) {
        if let after = page.request.after ?? query.after { page.place = try place(of: after) }
        if source.isInOrder {
            source.begin(after: page.place)
            page.phase = .walking
        } else {
            page.phase = .serving
        }
    }

    /// Of a document that need not be there: it has no value then.
    private func place(of key: Key) throws(NodeError) -> ListingPlace {
        guard case .path = query.order.subject else { return ListingPlace(value: .null, key: key) }
        let document = try load(key).document
        return ListingPlace(value: query.order.value(of: document), key: key)
    }

    // MARK: In order

    private func walk(_ page: inout OpenPage) throws(NodeError) {
        // Where most match, no more is read than the page needs; where few do, more at a time.
        let wanted = max(page.request.limit + 1 - page.documents.count, page.chunk)
        let candidates = try read { store throws(StoreFailure) in
            try source.next(limit: min(wanted, Self.stepMax), from: store)
        }
        if candidates.isEmpty { return page.end() }
        let before = page.documents.count
        for candidate in candidates {
            page.lookedAt += 1
            guard let listed = try listed(candidate, for: page.request, &page.bytes) else { continue }
            guard page.hasRoom else { return page.end(more: true) }
            page.documents.append(listed)
        }
        page.chunk = page.documents.count == before ? min(2 * page.chunk, Self.stepMax) : 1
    }

    /// Nil when it does not match.
    private func listed(_ candidate: ListingCandidate, for request: PageRequest, _ bytes: inout Int)
        throws(NodeError) -> ListedDocument?
    {
        if let record = candidate.record, query.filter == nil, request.values == nil {
            return ListedDocument(
                key: record.key, version: VersionToken(frontier: record.frontier).text, value: nil)
        }
        guard candidate.key.hasPrefix(query.prefix) else { return nil }
        return listed(try load(candidate.key), for: request, &bytes)
    }

    private func listed(_ cached: CachedDocument, for request: PageRequest, _ bytes: inout Int)
        -> ListedDocument?
    {
        let document = cached.document
        guard document.isVisible, query.filter?.matches(document) ?? true else { return nil }
        let value: DocumentValue? =
            switch request.values {
            case nil: nil
            case .plain: document.plain.map { .plain($0) }
            case .typed: document.typed.map { .typed($0) }
            }
        if value != nil { bytes += max(document.heldBytes, cached.snapshotBytes + cached.tailBytes) }
        return ListedDocument(
            key: cached.record.key, version: VersionToken(frontier: cached.record.frontier).text,
            value: value)
    }

    // MARK: In another order

    private func fill(_ page: inout OpenPage) throws(NodeError) {
        let candidates = try read { store throws(StoreFailure) in
            try source.next(limit: Self.stepMax, from: store)
        }
        if candidates.isEmpty {
            held.finish()
            page.phase = .serving
        }
        for candidate in candidates where candidate.key.hasPrefix(query.prefix) {
            page.lookedAt += 1
            let document = try load(candidate.key).document
            guard document.isVisible, query.filter?.matches(document) ?? true else { continue }
            held.add(ListingPlace(value: query.order.value(of: document), key: candidate.key))
        }
    }

    private func serve(_ page: inout OpenPage) throws(NodeError) {
        guard let places = held.places(after: page.place) else {
            held.begin(after: page.place)
            source.begin(after: nil)
            page.phase = .filling
            page.hasFilled = true
            return
        }
        if places.isEmpty { return page.end() }
        for place in places.prefix(Self.stepMax) {
            guard page.hasRoom else { return page.end(more: true) }
            if !page.hasFilled { page.lookedAt += 1 }
            page.place = place
            guard let listed = listed(try load(place.key), for: page.request, &page.bytes) else { continue }
            page.documents.append(listed)
        }
    }

    // MARK: Reading

    private func load(_ key: Key) throws(NodeError) -> CachedDocument {
        do throws(StoreFailure) {
            return try SpaceDocuments.load(key, of: space, from: store, with: &logs)
        } catch {
            throw error == .readerExpired ? .cursorExpired : NodeError(error, reading: key, of: space)
        }
    }

    private func read<Result>(_ body: (Reader) throws(StoreFailure) -> Result) throws(NodeError) -> Result {
        do throws(StoreFailure) { return try body(store) } catch {
            throw error == .readerExpired ? .cursorExpired : NodeError(error)
        }
    }
}

/// A page that is being read.
private struct OpenPage {
    enum Phase {
        case beginning, walking
        /// Of a listing that is sorted: all candidates are looked at.
        case filling
        /// Documents are taken from the places that are held.
        case serving
    }

    let request: PageRequest
    var phase = Phase.beginning
    /// Everything up to here was listed, or is not wanted.
    var place: ListingPlace?
    var documents: [ListedDocument] = []
    /// Of their values, estimated.
    var bytes = 0
    var lookedAt = 0
    /// Candidates that are read at once although the page has room for fewer.
    var chunk = 1
    /// The documents that it shows were counted when all were looked at.
    var hasFilled = false
    /// Set when it is whole.
    private(set) var next: (key: Key?, isLast: Bool)?

    init(request: PageRequest) { self.request = request }

    /// A document that is larger than a page has one of its own.
    var hasRoom: Bool {
        documents.count < request.limit && (documents.isEmpty || bytes <= NodeLimits.pageBytesMax)
    }

    mutating func end(more: Bool = false) {
        next = (more ? documents.last?.key : nil, !more)
    }
}

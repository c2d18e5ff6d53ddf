// The lines of a resumed change stream, made again from the log (decision 0003): patches are a function of
// the document before and the change, and the commit order is kept, so the lines are the ones that were sent
// then. As with the state (`StateLines`) a page is made when the one before was taken. Documents are kept
// from page to page as far as there is room, and are otherwise made again as they were at that position.

import Bytes
import Causality
import Documents
import Wire

/// One line a change that touched documents with the prefix, in commit order, from a read snapshot.
struct ReplayLines<Reader: StoreReading & Sendable>: LineSource {
    /// A document as it was at `position`.
    private struct Replayed: Sendable {
        var document: Document
        /// Of the snapshot and the operations that it was made from.
        var storedBytes = 0
        /// A guess at its memory, as of `CachedDocument`.
        var bytes: Int { 512 + max(4 * storedBytes, document.heldBytes) }
    }

    private static var linesMax: Int { 256 }
    /// Changes of one page of a stream with a filter: most may give no line.
    private static var filteredMax: Int { 64 }
    private static var bytesMax: Int { 256 << 10 }

    private let store: Reader
    private let space: SpaceID
    private let storeName: UInt64
    private let prefix: Key
    private let filter: Filter?
    /// Every change up to here was told, or had nothing to tell.
    private var position: CommitPosition
    private var records: ArraySlice<CommitRecord> = []
    private var isLastPage = false
    private var isLost = false
    private var logs: LogReader
    private var documents: [Key: Replayed] = [:]
    /// The sum over `documents`.
    private(set) var documentBytes = 0
    /// Changes of before `position` that may still be replayed to make documents.
    private var budget = NodeLimits.replayChangesMax

    init(
        store: Reader, space: SpaceID, storeName: UInt64, prefix: Key, filter: Filter?,
        after position: CommitPosition
    ) {
        self.store = store
        self.space = space
        self.storeName = storeName
        self.prefix = prefix
        self.filter = filter
        self.position = position
        logs = LogReader(space: space)
    }

    mutating func next(in space: Space) throws(StoreFailure) -> LinePage {
        var lines: [WatchLine] = []
        var (bytes, count) = (0, 0)
        let countMax = filter == nil ? Int.max : Self.filteredMax
        while !isLost, bytes < Self.bytesMax, lines.count < Self.linesMax, count < countMax {
            guard let record = try nextRecord() else { break }
            count += 1
            if record.status != .void, let line = try line(of: record, in: space) {
                bytes += line.estimatedBytes
                lines.append(line)
            }
            position = record.position
        }
        let isLast = isLastPage && records.isEmpty && !isLost
        if !lines.isEmpty { return .lines(lines, isLast: isLast) }
        if isLost { return .lost }
        return isLast || count < countMax ? .end : .lines([.idle], isLast: false)
    }

    mutating func trim(to bytes: Int) {
        if documentBytes > bytes { forgetDocuments() }
        logs.trim(to: bytes)
    }

    private mutating func nextRecord() throws(StoreFailure) -> CommitRecord? {
        if records.isEmpty, !isLastPage {
            let limit = Self.linesMax
            let page = try store.commits(space, after: position, limit: limit)
            isLastPage = page.count < limit
            records = page[...]
        }
        return records.popFirst()
    }

    /// Nil when nobody is told of the change, or when the budget is used up (`isLost`).
    private mutating func line(of record: CommitRecord, in space: Space) throws(StoreFailure)
        -> WatchLine?
    {
        let change = try logs.change(record, from: store)
        let touched = try isInBase(change, record, of: space) ? [] : change.touched
        var made: [ChangeEvent.DocumentPatches] = []
        for key in touched where key.hasPrefix(prefix) {
            guard var replayed = try document(key) else {
                isLost = true
                return nil
            }
            if record.status == .skipped {
                replayed.document.markIncomplete()
            } else {
                let (operations, stamps) = change.operations(touching: key)
                let before = filter?.matches(replayed.document) ?? false
                let patches = replayed.document.apply(operations, stamps: stamps)
                let matches = filter.map {
                    FilterMatches(before: before, after: $0.matches(replayed.document))
                }
                if matches.map({ $0.before || $0.after }) ?? true {
                    made.add(patches, to: replayed.document, matches)
                }
                replayed.storedBytes += operations.reduce(0) { $0 + $1.estimatedBytes }
            }
            keep(replayed, key)
        }
        let isTold = prefix.utf8Count == 0 && filter == nil && record.status == .executed && !touched.isEmpty
        guard isTold || !made.isEmpty else { return nil }
        let author = space.author(of: change.replica) ?? DeviceID(publicKey: .zero)
        return .change(
            ChangeEvent(
                cursor: Cursor(store: storeName, space: space.id, position: record.position).text,
                change: change.id, author: author, authorName: space.nameOf(author),
                timestamp: change.timestamp, documents: made, cause: nil))
    }

    /// True for a change that came when a base had it already: it is no news.
    private func isInBase(
        _ change: Change, _ record: CommitRecord, of space: Space
    ) throws(StoreFailure) -> Bool {
        guard space.documents.bases.newest?.covered.contains(change.id) == true else { return false }
        let before = CommitPosition(record.position.value - 1)
        return try store.touched(space.id, after: before, limit: 1).first?.keys.isEmpty ?? true
    }

    // MARK: Documents

    /// Takes the document out as it was at `position`; nil when the budget is used up.
    private mutating func document(_ key: Key) throws(StoreFailure) -> Replayed? {
        if let known = documents.removeValue(forKey: key) {
            documentBytes -= known.bytes
            return known
        }
        var replayed = Replayed(document: Document(key: key))
        var from = CommitPosition.start
        if let snapshot = try store.snapshot(space, key), snapshot.position <= position {
            let (document, damage) = try SpaceDocuments.decode(snapshot, key)
            if damage == nil {
                replayed.document = document
                replayed.storedBytes += snapshot.bytes.count
                from = snapshot.position
            }
        }
        let limit = 1_000
        while true {
            let page = try store.commits(space, touching: key, after: from, limit: limit)
            for record in page {
                if record.position > position { return replayed }
                budget -= 1
                if budget < 0 { return nil }
                from = record.position
                if record.status == .void { continue }
                let (operations, stamps) = try logs.change(record, from: store).operations(touching: key)
                if record.status == .skipped {
                    replayed.document.markIncomplete()
                } else {
                    _ = replayed.document.apply(operations, stamps: stamps, wantsPatches: false)
                    replayed.storedBytes += operations.reduce(0) { $0 + $1.estimatedBytes }
                }
            }
            if page.count < limit { return replayed }
        }
    }

    /// Puts it back; the others go when there is no room for all.
    private mutating func keep(_ replayed: Replayed, _ key: Key) {
        if documentBytes + replayed.bytes > NodeLimits.replayBytesMax { forgetDocuments() }
        documents[key] = replayed
        documentBytes += replayed.bytes
    }

    private mutating func forgetDocuments() {
        documents = [:]
        documentBytes = 0
    }
}

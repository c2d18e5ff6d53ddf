// The state that `since=begin` starts with, page by page from a read snapshot, at the pace of who reads it: a
// space of a million documents neither holds the node up nor stands in memory. The store may end a snapshot
// that is held for too long; the stream then says `resync`.

import Bytes
import Causality
import Documents
import Wire

/// One line a document, ascending by key.
struct StateLines<Reader: StoreReading & Sendable>: LineSource {
    /// Work that is done at once: one read of many watchers must not be felt by others.
    private static var documentsMax: Int { 64 }
    private static var bytesMax: Int { 256 << 10 }

    private let store: Reader
    private let space: SpaceID
    private let prefix: Key
    private let filter: Filter?
    private let cursor: Cursor
    private var logs: LogReader
    private var after: Key?
    private var isOver = false
    /// Made, and not known yet to be the last.
    private var held: (key: Key, patches: [Patch])?

    init(store: Reader, space: SpaceID, prefix: Key, filter: Filter?, cursor: Cursor) {
        self.store = store
        self.space = space
        self.prefix = prefix
        self.filter = filter
        self.cursor = cursor
        logs = LogReader(space: space)
    }

    /// Only the last line's cursor can be gone on from: who read less has not seen the whole state.
    mutating func next(in space: Space) throws(StoreFailure) -> LinePage {
        var lines: [WatchLine] = []
        while lines.isEmpty, !isOver {
            try readPage(&lines)
            // What does not match is looked at a page at a time too, and others get their turn between.
            if filter != nil, lines.isEmpty, !isOver { return .lines([.idle], isLast: false) }
        }
        if isOver, let last = held {
            held = nil
            lines.append(.state(cursor: cursor.text, key: last.key, patches: last.patches))
        }
        return lines.isEmpty ? .end : .lines(lines, isLast: isOver)
    }

    mutating func trim(to bytes: Int) { logs.trim(to: bytes) }

    private mutating func readPage(_ lines: inout [WatchLine]) throws(StoreFailure) {
        let limit = Self.documentsMax
        let page = try store.documents(space, prefix: prefix, after: after, limit: limit)
        var bytes = 0
        for record in page {
            after = record.key
            let document = try SpaceDocuments.load(record.key, of: space, from: store, with: &logs).document
            guard filter?.matches(document) ?? true, case .object(let members)? = document.plain else {
                continue
            }
            if let held {
                let line = WatchLine.state(cursor: cursor.textWithin, key: held.key, patches: held.patches)
                bytes += line.estimatedBytes
                lines.append(line)
            }
            held = (record.key, members.map { Patch(path: [.key($0.key)], change: .set($0.value)) })
            if bytes >= Self.bytesMax { return }
        }
        isOver = page.count < limit
    }
}

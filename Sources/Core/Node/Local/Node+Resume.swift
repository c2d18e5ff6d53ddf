// How a change stream goes on after a cursor (`StateLines` is the other way to begin in the past). It is made
// again from the log: patches are a function of the document before and the change, and the commit order is
// kept, so the lines are the ones that were sent then.

import Bytes
import Causality
import Documents
import Wire

extension Node {
    /// Everything after a cursor, last first; `needsResync` when the cursor is foreign or too long ago.
    func resume(_ text: String, in index: Int, prefix: Key) throws(StoreFailure)
        -> (lines: [WatchLine], needsResync: Bool)
    {
        let space = spaces[index]
        guard let cursor = Cursor(text), starts.holds(cursor, of: space.id),
            cursor.position <= space.position, cursor.position >= space.forks.rebuilt
        else {
            return ([], true)
        }
        let limit = NodeLimits.replayChangesMax
        let records = try store.commits(space.id, after: cursor.position, limit: limit + 1)
        guard records.count <= limit else { return ([], true) }
        if records.isEmpty { return ([], false) }
        var replay = Replay(space: space.id, from: cursor.position)
        for record in records where record.status != .void {
            guard try replay.add(record, prefix: prefix, from: store) else { return ([], true) }
        }
        return (replay.lines(storeName, space).reversed(), false)
    }
}

/// Makes the events of past commits again.
private struct Replay {
    private let space: SpaceID
    private let from: CommitPosition
    private var reader: LogReader
    private var documents: [Key: Document] = [:]
    private var events: [(CommitRecord, Change, [ChangeEvent.DocumentPatches])] = []
    private var budget = NodeLimits.replayChangesMax

    init(space: SpaceID, from position: CommitPosition) {
        self.space = space
        from = position
        reader = LogReader(space: space)
    }

    /// False when rebuilding would take too long.
    mutating func add(_ record: CommitRecord, prefix: Key, from store: some StoreReading) throws(StoreFailure)
        -> Bool
    {
        let change = try reader.change(record, from: store)
        var made: [ChangeEvent.DocumentPatches] = []
        for key in change.touched where key.hasPrefix(prefix) {
            guard var document = try document(key, from: store) else { return false }
            documents[key] = nil
            if record.status == .skipped {
                document.markIncomplete()
            } else {
                let (operations, stamps) = change.operations(touching: key)
                made.add(document.apply(operations, stamps: stamps), to: document)
            }
            documents[key] = document
        }
        let isTold = prefix.utf8Count == 0 && record.status == .executed && !change.touched.isEmpty
        if isTold || !made.isEmpty { events.append((record, change, made)) }
        return true
    }

    func lines(_ storeName: UInt64, _ space: SpaceState) -> [WatchLine] {
        events.map { record, change, patches in
            let author = space.author(of: change.replica) ?? DeviceID(publicKey: .zero)
            return .change(
                ChangeEvent(
                    cursor: Cursor(store: storeName, space: space.id, position: record.position).text,
                    change: change.id,
                    author: author, authorName: space.nameOf(author), timestamp: change.timestamp,
                    documents: patches, cause: nil))
        }
    }

    /// The document as it was at `from`; nil when the budget is used up.
    private mutating func document(_ key: Key, from store: some StoreReading) throws(StoreFailure)
        -> Document?
    {
        if let known = documents[key] { return known }
        var document = Document(key: key)
        var position = CommitPosition.start
        if let snapshot = try store.snapshot(space, key), snapshot.position <= from {
            document = try SpaceState.decode(snapshot, key)
            position = snapshot.position
        }
        while true {
            let page = try store.commits(space, touching: key, after: position, limit: 1_000)
            for record in page {
                if record.position > from { return document }
                budget -= 1
                if budget < 0 { return nil }
                if record.status == .void {
                    // Passed over, as if it had never been made.
                } else if record.status == .skipped {
                    document.markIncomplete()
                } else {
                    let (operations, stamps) = try reader.change(record, from: store).operations(
                        touching: key)
                    _ = document.apply(operations, stamps: stamps, wantsPatches: false)
                }
                position = record.position
            }
            if page.count < 1_000 { return document }
        }
    }
}

// Documents in memory follow the working set: decoded when touched, dropped when many others were touched
// since. What is dropped can always be made again from its snapshot and the changes after it.

import Bytes
import Documents

/// A decoded document with what its snapshot bookkeeping needs.
struct CachedDocument: Sendable {
    var document: Document
    var record: DocumentRecord
    /// Bytes of the stored snapshot, 0 without one.
    var snapshotBytes: Int
    /// Changes, and their canonical bytes, that are not in the stored snapshot.
    var tailChanges: Int
    var tailBytes: Int
    var lastUse: UInt64 = 0

    /// A guess at the memory it takes; snapshots are denser than trees.
    var estimatedBytes: Int { 512 + 4 * (snapshotBytes + tailBytes) }

    /// True when the tail outgrew the snapshot: folding it then costs O(1) a change, amortised.
    var wantsSnapshot: Bool {
        tailChanges > NodeLimits.tailChangesMin && tailBytes > max(NodeLimits.tailBytesMin, snapshotBytes)
    }
}

/// The decoded documents of a space, least recently used first to go.
struct DocumentCache: Sendable {
    private var entries: [Key: CachedDocument] = [:]
    private var clock: UInt64 = 0
    private(set) var estimatedBytes = 0

    var count: Int { entries.count }

    /// Takes the document out; whoever takes it puts it back or means to forget it.
    mutating func take(_ key: Key) -> CachedDocument? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        estimatedBytes -= entry.estimatedBytes
        return entry
    }

    mutating func put(_ entry: CachedDocument) {
        clock += 1
        var used = entry
        used.lastUse = clock
        if let old = entries.updateValue(used, forKey: used.record.key) {
            estimatedBytes -= old.estimatedBytes
        }
        estimatedBytes += used.estimatedBytes
    }

    /// Reads in place, without the cost of taking it out.
    func peek<Result>(_ key: Key, _ body: (borrowing CachedDocument) -> Result) -> Result? {
        guard let entry = entries[key] else { return nil }
        return body(entry)
    }

    func contains(_ key: Key) -> Bool { entries[key] != nil }

    mutating func removeAll() {
        entries = [:]
        estimatedBytes = 0
    }

    /// The least recently used half, when the cache is over its share of a limit; for the caller to forget.
    func candidatesToDrop(sharing spaces: Int) -> [Key] {
        let documentsMax = max(1, NodeLimits.cachedDocumentsMax / max(1, spaces))
        let bytesMax = NodeLimits.cachedBytesMax / max(1, spaces)
        guard count > documentsMax || (estimatedBytes > bytesMax && count > 1) else { return [] }
        let byAge = entries.values.sorted { $0.lastUse < $1.lastUse }
        return byAge.prefix((byAge.count + 1) / 2).map(\.record.key)
    }
}

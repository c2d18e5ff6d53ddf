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
    /// Why the stored snapshot is of no use; nil: it is.
    var damage: String?
    /// As the stored record says; false without one.
    var wasVisible = false
    /// Its record, or its tail, changed in this batch and is not written yet.
    var isDirty = false

    /// A guess at the memory it takes. Snapshots are denser than trees, and much denser than tables.
    var estimatedBytes: Int { 512 + max(4 * (snapshotBytes + tailBytes), document.heldBytes) }

    /// True when the tail outgrew the snapshot: folding it then costs O(1) a change, amortised. One that does
    /// not decode is replaced at the next change.
    var wantsSnapshot: Bool {
        damage != nil
            || tailChanges > NodeLimits.tailChangesMin
                && tailBytes > max(NodeLimits.tailBytesMin, snapshotBytes)
    }
}

/// The decoded documents of a space, least recently used first to go. They stand in slots, so that taking one
/// out and putting it back moves it and neither copies it nor changes the table of keys.
struct DocumentCache: Sendable {
    /// What is asked of many slots at a time, beside the documents, which are large.
    private struct Slot: Sendable {
        var key: Key
        /// 0: the document is taken out, or the slot is free.
        var lastUse: UInt64 = 0
        /// Stands in `dirty`.
        var isDirty = false
    }

    /// The slot of a key whose document is here or was taken out.
    private var slotOfKey: [Key: Int] = [:]
    private var places: [Slot] = []
    private var slots: [CachedDocument?] = []
    /// Slots of no key.
    private var free: [Int] = []
    /// Slots whose documents are not written, in the order in which they changed first.
    private var dirty: [Int] = []
    private var clock: UInt64 = 0
    private(set) var estimatedBytes = 0
    private(set) var count = 0

    var dirtyCount: Int { dirty.count }

    /// Takes the document out; whoever takes it puts it back or forgets it.
    mutating func take(_ key: Key) -> CachedDocument? {
        guard let slot = slotOfKey[key], let entry = slots[slot].take() else { return nil }
        leave(slot, entry.estimatedBytes)
        return entry
    }

    mutating func put(_ entry: consuming CachedDocument) {
        let slot = slot(of: entry.record.key)
        precondition(places[slot].lastUse == 0, "\(entry.record.key) is cached twice")
        clock += 1
        places[slot].lastUse = clock
        if entry.isDirty, !places[slot].isDirty {
            places[slot].isDirty = true
            dirty.append(slot)
        }
        estimatedBytes += entry.estimatedBytes
        count += 1
        slots[slot] = consume entry
    }

    /// Reads in place, without the cost of taking it out.
    func peek<Result>(_ key: Key, _ body: (borrowing CachedDocument) -> Result) -> Result? {
        guard let slot = slotOfKey[key], let entry = slots[slot] else { return nil }
        return body(entry)
    }

    func contains(_ key: Key) -> Bool { slotOfKey[key].map { places[$0].lastUse > 0 } ?? false }

    /// True when the document, here or taken out, changed in this batch and is not written.
    func isDirty(_ key: Key) -> Bool { slotOfKey[key].map { places[$0].isDirty } ?? false }

    /// Gives up the document, whether it is here or was taken out. It is not dirty.
    mutating func forget(_ key: Key) {
        guard let slot = slotOfKey.removeValue(forKey: key) else { return }
        precondition(!places[slot].isDirty, "\(key) is not written yet")
        if let entry = slots[slot].take() { leave(slot, entry.estimatedBytes) }
        free.append(slot)
    }

    /// Gives up all documents with keys up to this one. None of them is dirty. O(documents that are cached).
    mutating func forget(through last: Key) {
        for key in slotOfKey.keys.filter({ $0 <= last }).sorted() { forget(key) }
    }

    /// Hands over each dirty document to be written; all are clean afterwards.
    mutating func writeDirty(
        _ write: (inout CachedDocument) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        for slot in dirty {
            places[slot].isDirty = false
            guard var entry = slots[slot].take() else {
                preconditionFailure(
                    "document \(places[slot].key) changed in this batch and is not in the cache")
            }
            estimatedBytes -= entry.estimatedBytes
            try write(&entry)
            entry.isDirty = false
            estimatedBytes += entry.estimatedBytes
            slots[slot] = consume entry
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Forgets the least recently used half, when the cache is over its share of a limit. None is dirty.
    mutating func trim(sharing spaces: Int) {
        let documentsMax = max(1, NodeLimits.cachedDocumentsMax / max(1, spaces))
        let bytesMax = NodeLimits.cachedBytesMax / max(1, spaces)
        guard count > documentsMax || (estimatedBytes > bytesMax && count > 1) else { return }
        let uses = places.lazy.map(\.lastUse).filter { $0 > 0 }.sorted()
        let newest = uses[(uses.count + 1) / 2 - 1]
        for slot in places.indices where places[slot].lastUse > 0 && places[slot].lastUse <= newest {
            forget(places[slot].key)
        }
    }

    private mutating func leave(_ slot: Int, _ bytes: Int) {
        places[slot].lastUse = 0
        estimatedBytes -= bytes
        count -= 1
    }

    /// The slot of a key, a free one when it is new.
    private mutating func slot(of key: Key) -> Int {
        let next = free.last ?? slots.count
        let slot = Self.value(of: &slotOfKey[key, default: next])
        guard slot == next else { return slot }
        if slot == slots.count {
            slots.append(nil)
            places.append(Slot(key: key))
        } else {
            free.removeLast()
            places[slot].key = key
        }
        return slot
    }

    /// Access to the place of a key in the table makes it, where reading it would not: one look-up.
    private static func value(of place: inout Int) -> Int { place }
}

// A rebuild makes documents again from the log when changes of theirs became void, or can be executed at
// last. It replays what is executed in commit order. That is a causal order of it, so the result is what a
// node has that knew from the start; `I2` of THREATS.md is checked on it.
//
// It stands at a commit position of its own, without a change: snapshots and cursors of after it are told
// apart from those of before.

import Bytes
import Causality
import Documents
import Wire

extension SpaceDocuments {
    /// Rebuilds documents from the store, which says already what is executed. `before`: the plain values
    /// that watchers know; nil: they are told to read again. Hands back the differences.
    mutating func rebuild(
        _ keys: [Key], at position: CommitPosition, _ before: [Key: PlainValue]?,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> [ChangeEvent.DocumentPatches] {
        precondition(cache.dirtyCount == 0, "documents are rebuilt from what is in the store")
        try forgetPast(at: position, in: &transaction)
        var reader = LogReader(space: space)
        var differences: [ChangeEvent.DocumentPatches] = []
        for key in keys {
            cache.forget(key)
            let wasVisible = try transaction.store.document(space, key)?.isVisible ?? false
            var made = 0
            var cached: CachedDocument
            do throws(StoreFailure) {
                cached = try Self.replay(
                    key, of: space, at: position, from: transaction.store, with: &reader, &made)
            } catch {
                // Its part of the log is damaged: whoever asks for it hears of that, the others go on.
                guard case .unusable(let reason) = error else { throw error }
                damages[key] = Damage(reason: "\(reason)", isUnreadable: true)
                continue
            }
            replayed += made
            try transaction.store.put(space, cached.record, wasVisible: wasVisible)
            try indexes.update(cached.document, in: space, to: &transaction.store)
            try Self.fold(&cached, of: space, on: bases, into: &transaction.store)
            guard let before else { continue }
            if let patches = Patch.between(before[key], cached.document.plain) {
                differences.append(ChangeEvent.DocumentPatches(key: key, patches: patches))
            }
        }
        try indexes.writeRecords(of: space, to: &transaction.store)
        try recount(in: transaction.store)
        return differences
    }

    /// States before this position cannot be made again.
    mutating func forgetPast(
        at position: CommitPosition, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        rebuilt = position
        var marker = ByteWriter()
        marker.u64(position.value)
        try transaction.store.setMeta(NodeMeta.rebuilt(space), marker.bytes)
    }

    /// A document from its base on, or from its first change where there is none, as of now.
    static func replay(
        _ key: Key, of space: SpaceID, at position: CommitPosition, from store: some StoreReading,
        with reader: inout LogReader, _ count: inout Int
    ) throws(StoreFailure) -> CachedDocument {
        var cached = CachedDocument.absent(key)
        let origin = try DocumentOrigin(of: key, in: space, from: store)
        (cached.document, cached.record.frontier) = (origin.document, origin.frontier)
        var after = CommitPosition.start
        while true {
            let page = try store.commits(space, touching: key, after: after, limit: 1_024)
            for record in page {
                after = record.position
                guard record.status != .void, origin.isBeyond(record) else { continue }
                count += 1
                let change = try reader.change(record, from: store)
                if record.status == .skipped {
                    cached.document.markIncomplete()
                } else {
                    let (operations, stamps) = change.operations(touching: key)
                    _ = cached.document.apply(operations, stamps: stamps, wantsPatches: false)
                }
                cached.record.frontier.advance(by: change)
            }
            if page.count < 1_024 { break }
        }
        cached.record.isVisible = cached.document.isVisible
        cached.record.position = position
        return cached
    }
}

extension [Dot] {
    /// A document's frontier after one more change.
    mutating func advance(by change: Change) {
        let id = change.id
        let context = change.context
        removeAll { context.contains($0) || $0.replica == id.replica }
        append(id)
        sort()
    }
}

extension Patch {
    /// What takes one plain value of a document to another, a slot of the root at a time; nil: nothing.
    static func between(_ before: PlainValue?, _ after: PlainValue?) -> [Patch]? {
        guard before != after else { return nil }
        guard case .object(let new)? = after else { return [Patch(path: [], change: .delete)] }
        guard case .object(let old)? = before else {
            return new.map { Patch(path: [.key($0.key)], change: .set($0.value)) }
        }
        let (was, shows) = (
            Dictionary(old.map { ($0.key, $0.value) }) { $1 },
            Dictionary(new.map { ($0.key, $0.value) }) { $1 }
        )
        let gone = old.filter { shows[$0.key] == nil }
        let changed = new.filter { was[$0.key] != $0.value }
        return gone.map { Patch(path: [.key($0.key)], change: .delete) }
            + changed.map { Patch(path: [.key($0.key)], change: .set($0.value)) }
    }
}

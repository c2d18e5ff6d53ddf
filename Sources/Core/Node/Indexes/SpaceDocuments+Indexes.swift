// Building and dropping indexes, a bounded step at a time, each in the batch of a tick. What a step did is
// committed with how far it came, so a restart goes on there.

import Bytes
import Causality
import Documents

extension SpaceDocuments {
    /// The next step of the first index that is not ready; there is one. Documents and run of the batch were
    /// written.
    mutating func advanceIndexes(in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        precondition(cache.dirtyCount == 0, "indexes are built from what is in the store")
        guard let index = indexes.list.first(where: { $0.record.stage != .ready }) else {
            preconditionFailure("nothing is to be done for the indexes of space \(space)")
        }
        try transaction.beginWriting()
        switch index.record.stage {
        case .building(let after): try build(index, after: after, in: &transaction)
        case .dropping: try empty(index.record.number, in: &transaction)
        case .ready: preconditionFailure("index \(index.record.name) is built")
        }
        try indexes.writeRecords(of: space, to: &transaction.store)
    }

    private mutating func build(
        _ index: SpaceIndexes.Declared, after: Key?, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let number = index.record.number
        let page = try transaction.store.documents(
            space, prefix: index.definition.prefix, after: after, limit: NodeLimits.indexStepDocumentsMax)
        var reader = LogReader(space: space)
        var bytes = 0
        for record in page {
            let (value, size) = try value(of: record.key, in: index, from: transaction.store, with: &reader)
            try indexes.move(
                record.key, in: number, from: nil, to: value.bytes, of: space, in: &transaction.store)
            indexes.set(number) { $0.stage = .building(after: record.key) }
            bytes += size
            if bytes > NodeLimits.indexStepBytesMax { return }
        }
        if page.count < NodeLimits.indexStepDocumentsMax { indexes.set(number) { $0.stage = .ready } }
    }

    /// What an index gets of a document, and what the document takes on disk where it had to be read.
    private mutating func value(
        of key: Key, in index: SpaceIndexes.Declared, from store: some StoreReading,
        with reader: inout LogReader
    ) throws(StoreFailure) -> (IndexValue, bytes: Int) {
        let path = index.definition.path
        if let known = cache.peek(key, { IndexValue(of: $0.document, at: path) }) {
            return (known ?? IndexValue(of: nil), 0)
        }
        do throws(StoreFailure) {
            let loaded = try Self.load(key, of: space, from: store, with: &reader)
            let value = IndexValue(of: loaded.document, at: path)
            return (value ?? IndexValue(of: nil), loaded.snapshotBytes + loaded.tailBytes)
        } catch {
            guard case .unusable(let reason) = error else { throw error }
            damages[key] = Damage(reason: "\(reason)", isUnreadable: true)
            return (.unreadable, 0)
        }
    }

    /// Removes entries of an index, and the index with the last of them.
    private mutating func empty(
        _ number: IndexNumber, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let all = IndexPlace(value: [], key: [])..<IndexPlace(value: IndexValue.end, key: [])
        let entries = try transaction.store.entries(
            space, of: number, in: all, descending: false, limit: NodeLimits.indexStepEntriesMax)
        for entry in entries {
            try indexes.move(
                entry.key, in: number, from: entry.value, to: nil, of: space, in: &transaction.store)
        }
        if entries.count < NodeLimits.indexStepEntriesMax {
            try indexes.remove(number, of: space, in: &transaction.store)
        }
    }
}

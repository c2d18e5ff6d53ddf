// Declared indexes in memory.

public import Bytes
public import Causality
public import Node

extension MemoryReads {
    public func indexes(_ space: SpaceID) throws(StoreFailure) -> [IndexRecord] {
        tables.spaces[space]?.indexes.values ?? []
    }

    public func entries(
        _ space: SpaceID, of index: IndexNumber, in range: Range<IndexPlace>, descending: Bool, limit: Int
    ) throws(StoreFailure) -> [IndexEntry] {
        guard let table = tables.spaces[space]?.entries[index] else { return [] }
        var found: [IndexEntry] = []
        if descending {
            var place = range.upperBound
            while found.count < limit, let entry = table.last(before: place),
                entry.name >= range.lowerBound
            {
                found.append(entry.value)
                place = entry.name
            }
            return found
        }
        table.visit(from: range.lowerBound) { entry in
            guard found.count < limit, entry.name < range.upperBound else { return false }
            found.append(entry.value)
            return true
        }
        return found
    }

    public func indexed(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> [IndexNumber: [UInt8]] {
        tables.spaces[space]?.indexed[key] ?? [:]
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceID, _ index: IndexRecord) throws(StoreFailure) {
        try setIndex(space, index.number, index)
    }

    public mutating func removeIndex(_ space: SpaceID, _ number: IndexNumber) throws(StoreFailure) {
        try setIndex(space, number, nil)
    }

    private mutating func setIndex(_ space: SpaceID, _ number: IndexNumber, _ record: IndexRecord?)
        throws(StoreFailure)
    {
        let old = tables.spaces[space]?.indexes[number]
        try change(space) {
            $0.indexes[number] = record
        } undoing: {
            $0.indexes[number] = old
        }
    }

    public mutating func index(
        _ space: SpaceID, _ key: Key, in number: IndexNumber, from old: [UInt8]?, to new: [UInt8]?
    ) throws(StoreFailure) {
        let stored = tables.spaces[space]?.indexed[key]?[number]
        precondition(old == stored, "index \(number.value) has another value of document \(key)")
        try change(space) {
            $0.move(key, in: number, from: old, to: new)
        } undoing: {
            $0.move(key, in: number, from: new, to: old)
        }
    }
}

extension MemoryTables.Space {
    fileprivate mutating func move(_ key: Key, in number: IndexNumber, from old: [UInt8]?, to new: [UInt8]?) {
        if let old {
            entries[number]?[IndexPlace(value: old, key: Array(key.utf8))] = nil
            indexed[key]?[number] = nil
            if indexed[key]?.isEmpty == true { indexed[key] = nil }
        }
        if let new {
            entries[number, default: SortedTable()][IndexPlace(value: new, key: Array(key.utf8))] =
                IndexEntry(value: new, key: key)
            indexed[key, default: [:]][number] = new
        }
    }
}

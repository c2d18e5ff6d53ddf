// Documents and snapshots in memory.

public import Bytes
public import Causality
public import Node

extension MemoryReads {
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        tables.spaces[space]?.documents[key]
    }

    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        tables.documents(space, prefix: prefix, after: after, limit: limit)
    }

    public func documents(_ space: SpaceID, prefix: Key, before: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        let all = tables.documents(space, prefix: prefix, after: nil, limit: .max)
        return Array(
            all.reversed().lazy.filter { record in before.map { record.key < $0 } ?? true }.prefix(limit))
    }

    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        tables.spaces[space]?.visibleCount ?? 0
    }

    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        tables.spaces[space]?.snapshots[key]
    }

    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        tables.commits(in: tables.spaces[space]?.touching[document] ?? [], after: position, limit: limit)
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool)
        throws(StoreFailure)
    {
        let old = tables.spaces[space]?.documents[document.key]
        precondition(wasVisible == (old?.isVisible ?? false), "\(document.key) was visible: \(!wasVisible)")
        let delta = (document.isVisible ? 1 : 0) - (old?.isVisible == true ? 1 : 0)
        try change(space) {
            $0.documents[document.key] = document
            $0.visibleCount += delta
        } undoing: {
            $0.documents[document.key] = old
            $0.visibleCount -= delta
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.snapshots[key]
        try change(space) {
            $0.snapshots[key] = snapshot
        } undoing: {
            $0.snapshots[key] = old
        }
    }
}

extension MemoryTables {
    func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int) -> [DocumentRecord] {
        var found: [DocumentRecord] = []
        spaces[space]?.documents.visit(from: max(prefix, after ?? prefix)) { entry in
            guard found.count < limit, entry.name.hasPrefix(prefix) else { return false }
            if entry.value.isVisible, after.map({ $0 < entry.name }) ?? true { found.append(entry.value) }
            return true
        }
        return found
    }
}

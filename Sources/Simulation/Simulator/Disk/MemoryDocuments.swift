// Documents and snapshots in memory.

public import Bytes
public import Causality
public import Node

extension MemoryReads {
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        tables.spaces[space]?.shown(key)
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
        guard let tables = tables.spaces[space] else { return nil }
        if let own = tables.snapshots[key] { return own }
        return tables.bases[key].map { SnapshotRecord(position: $0.position, bytes: $0.bytes) }
    }

    public func touchedKeys(_ space: SpaceID, after: Key?, since position: CommitPosition, limit: Int)
        throws(StoreFailure) -> TouchedKeys
    {
        var (looked, found) = ([Key](), [Key]())
        tables.spaces[space]?.documents.visit(from: after ?? "") { entry in
            if entry.name == after { return true }
            guard looked.count < limit else { return false }
            looked.append(entry.name)
            if entry.value.position > position { found.append(entry.name) }
            return true
        }
        return TouchedKeys(keys: found, next: looked.count < limit ? nil : looked.last)
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
        let shown = tables.spaces[space]?.shown(document.key)
        precondition(
            wasVisible == (shown?.isVisible ?? false), "\(document.key) was visible: \(!wasVisible)")
        try setRecord(space, document.key, document)
    }

    public mutating func removeRecord(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        precondition(tables.spaces[space]?.bases[key] != nil, "\(key) has no base to be as")
        try setRecord(space, key, nil)
    }

    private mutating func setRecord(_ space: SpaceID, _ key: Key, _ record: DocumentRecord?)
        throws(StoreFailure)
    {
        let old = tables.spaces[space]?.documents[key]
        try change(space) {
            $0.countingVisible(key) { $0.documents[key] = record }
        } undoing: {
            $0.countingVisible(key) { $0.documents[key] = old }
        }
    }

    public mutating func removeDocument(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        guard let old = tables.spaces[space] else {
            preconditionFailure("a write to the unknown space \(space)")
        }
        precondition(old.shown(key)?.isVisible != true, "\(key) is visible and cannot go")
        let (record, snapshot, base) = (old.documents[key], old.snapshots[key], old.bases[key])
        let touching = old.touching[key]
        try change(space) {
            ($0.documents[key], $0.snapshots[key], $0.touching[key]) = (nil, nil, nil)
            $0.setBase(key, nil)
        } undoing: {
            ($0.documents[key], $0.snapshots[key], $0.touching[key]) = (record, snapshot, touching)
            $0.setBase(key, base)
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure) {
        try setSnapshot(space, key, snapshot)
    }

    public mutating func removeSnapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        try setSnapshot(space, key, nil)
    }

    private mutating func setSnapshot(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord?)
        throws(StoreFailure)
    {
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
        guard let tables = spaces[space] else { return [] }
        let first = max(prefix, after ?? prefix)
        var found: [DocumentRecord] = []
        func isWanted(_ key: Key) -> Bool { after.map { $0 < key } ?? true }
        // The first of both tables hold the first of the two together.
        tables.documents.visit(from: first) { entry in
            guard found.count < limit, entry.name.hasPrefix(prefix) else { return false }
            if entry.value.isVisible, isWanted(entry.name) { found.append(entry.value) }
            return true
        }
        let own = found.count
        let end = own == limit ? found.last?.key : nil
        tables.bases.visit(from: first) { entry in
            guard found.count - own < limit, entry.name.hasPrefix(prefix),
                end.map({ entry.name <= $0 }) ?? true
            else { return false }
            if entry.value.isVisible, isWanted(entry.name), tables.documents[entry.name] == nil {
                found.append(entry.value.record)
            }
            return true
        }
        if found.count == own { return found }
        return Array(found.sorted { $0.key < $1.key }.prefix(limit))
    }
}

extension MemoryTables.Space {
    /// A document by its own record, or by its base.
    func shown(_ key: Key) -> DocumentRecord? { documents[key] ?? bases[key]?.record }

    /// Keeps the count of visible documents right, whatever `body` does to one of them.
    mutating func countingVisible(_ key: Key, _ body: (inout Self) -> Void) {
        let wasVisible = shown(key)?.isVisible ?? false
        body(&self)
        let isVisible = shown(key)?.isVisible ?? false
        visibleCount += (isVisible ? 1 : 0) - (wasVisible ? 1 : 0)
    }

    /// With the figure that is kept of all of them, and not the count of visible documents.
    mutating func setBase(_ key: Key, _ base: BaseRecord?) {
        baseBytes += (base?.size ?? 0) - (bases[key]?.size ?? 0)
        bases[key] = base
    }
}

// Spaces and their roster operations in memory.

public import Causality
public import Node

extension MemoryReads {
    public func spaces() throws(StoreFailure) -> [SpaceRecord] {
        tables.spaces.values.map(\.current).sorted { $0.id < $1.id }
    }

    public func readRoster(
        _ space: SpaceID, _ body: ([UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        for bytes in tables.spaces[space]?.roster ?? [] { try body(bytes) }
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceRecord) throws(StoreFailure) {
        try strike()
        let id = space.id
        guard let old = tables.spaces[id]?.record else {
            tables.spaces[id] = MemoryTables.Space(record: space)
            onRollback { $0.spaces[id] = nil }
            return
        }
        tables.spaces[id]?.record = space
        onRollback { $0.spaces[id]?.record = old }
    }

    public mutating func remove(_ space: SpaceID) throws(StoreFailure) {
        try strike()
        let old = tables.spaces.removeValue(forKey: space)
        onRollback { $0.spaces[space] = old }
    }

    public mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure) {
        try change(space) {
            $0.roster.append(bytes)
        } undoing: {
            $0.roster.removeLast()
        }
    }
}

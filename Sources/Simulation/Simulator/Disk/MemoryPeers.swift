// Small values by name in memory.

public import Node

extension MemoryReads {
    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? { tables.meta[name] }
}

extension MemoryStore {
    public mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure) {
        try strike()
        let old = tables.meta[name]
        tables.meta[name] = value
        onRollback { $0.meta[name] = old }
    }
}

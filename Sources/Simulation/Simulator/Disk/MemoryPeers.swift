// Small values by name in memory.

public import Node

extension MemoryReads {
    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? { tables.meta[name] }

    public func metaNames(beginningWith prefix: String) throws(StoreFailure) -> [String] {
        tables.meta.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }
}

extension MemoryStore {
    public mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure) {
        try strike()
        let old = tables.meta[name]
        tables.meta[name] = value
        onRollback { $0.meta[name] = old }
    }
}

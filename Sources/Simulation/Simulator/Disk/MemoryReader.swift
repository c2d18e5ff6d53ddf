// Reads over the tables, written once for the store and for its readers. Each concern of the contract has a
// file, with its reads as an extension of `MemoryReads` and its writes as one of `MemoryStore`.

public import Node

/// A store or a reader in memory.
public protocol MemoryReads: StoreReading {
    var tables: MemoryTables { get }
}

/// The tables as they were when the reader was made: a copy, the in-memory store's snapshot of one moment.
public struct MemoryReader: MemoryReads, Sendable {
    public let tables: MemoryTables
}

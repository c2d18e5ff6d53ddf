// The part of the store's contract about indexes that are declared on this node. An index follows from the
// documents, and is written in the transaction that writes them: it is never behind them and never ahead.
//
//     definition    name, path, prefix, how far it is built             one row an index
//     entries       (value, key) in order                               what a find walks
//     indexed       key -> value in each index                          what a change of a document removes
//
// Values are bytes that sort as the JSON values do; what they mean is the node's business.

public import Bytes
public import Causality

/// Names an index among those of its space; never used for another one while it has entries.
public struct IndexNumber: Hashable, Comparable, Sendable {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }
    public static func < (left: IndexNumber, right: IndexNumber) -> Bool { left.value < right.value }
}

/// An index as it is kept.
public struct IndexRecord: Hashable, Sendable {
    /// What of it is there.
    public enum Stage: Hashable, Sendable {
        /// Documents up to this key have their entries, nil: none yet.
        case building(after: Key?)
        case ready
        /// It was dropped; entries are still to be removed.
        case dropping
    }

    public let number: IndexNumber
    /// Unique among the indexes of the space that are not being dropped.
    public let name: String
    /// Path and prefix, as `IndexDefinition` codes them.
    public let definition: [UInt8]
    public var stage: Stage
    /// Documents that have an entry.
    public var documents: Int
    /// Entries whose value was cut off.
    public var cutValues: Int

    public init(
        number: IndexNumber, name: String, definition: [UInt8], stage: Stage, documents: Int, cutValues: Int
    ) {
        self.number = number
        self.name = name
        self.definition = definition
        self.stage = stage
        self.documents = documents
        self.cutValues = cutValues
    }
}

/// One document in an index.
public struct IndexEntry: Hashable, Sendable {
    public let value: [UInt8]
    public let key: Key

    public init(value: [UInt8], key: Key) {
        self.value = value
        self.key = key
    }
}

/// A place in the order of an index: between entries, or at one. Bytes of the key, which need not be UTF-8.
public struct IndexPlace: Hashable, Comparable, Sendable {
    public let value: [UInt8]
    public let key: [UInt8]

    public init(value: [UInt8], key: [UInt8]) {
        self.value = value
        self.key = key
    }

    public static func < (left: IndexPlace, right: IndexPlace) -> Bool {
        if left.value != right.value { return left.value.lexicographicallyPrecedes(right.value) }
        return left.key.lexicographicallyPrecedes(right.key)
    }
}

/// What is kept of indexes.
public protocol StoredIndexes {
    /// Ascending by number.
    func indexes(_ space: SpaceID) throws(StoreFailure) -> [IndexRecord]
    /// Entries at `range.lowerBound` or after and before `range.upperBound`, ascending by value, then key;
    /// the last ones first when `descending`.
    func entries(
        _ space: SpaceID, of index: IndexNumber, in range: Range<IndexPlace>, descending: Bool, limit: Int
    ) throws(StoreFailure) -> [IndexEntry]
    /// The values of a document, in each index that has an entry for it.
    func indexed(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> [IndexNumber: [UInt8]]
}

/// Writes of indexes, each inside the open transaction.
public protocol IndexStore: StoredIndexes {
    /// Inserts, or replaces the record of this number.
    mutating func put(_ space: SpaceID, _ index: IndexRecord) throws(StoreFailure)
    /// Removes the record; the index has no entries any more.
    mutating func removeIndex(_ space: SpaceID, _ number: IndexNumber) throws(StoreFailure)
    /// Moves a document in an index: `old` as `indexed` says, nil: it has no entry; `new` nil: it gets none.
    mutating func index(
        _ space: SpaceID, _ key: Key, in number: IndexNumber, from old: [UInt8]?, to new: [UInt8]?
    ) throws(StoreFailure)
}

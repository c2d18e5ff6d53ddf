// The part of the store's contract about spaces: which there are, under which name, keys and incarnation,
// and the signed operations of their rosters.

public import Causality

/// A space this node is in.
public struct SpaceRecord: Hashable, Sendable {
    public let id: SpaceID
    /// The local name; unique on the node.
    public var name: String
    /// Keys by epoch, opened; `Roster` codes them.
    public var keys: [UInt8]
    /// The incarnation this node writes under; nil before its first write.
    public var incarnation: UInt64?
    /// The last position used. It follows the changes that are appended; a position that no change takes (a
    /// rebuild's) is put with the record.
    public var position: CommitPosition

    public init(id: SpaceID, name: String, keys: [UInt8], incarnation: UInt64?, position: CommitPosition) {
        self.id = id
        self.name = name
        self.keys = keys
        self.incarnation = incarnation
        self.position = position
    }
}

/// What is kept of spaces and their members.
public protocol StoredRosters {
    /// Ascending by id.
    func spaces() throws(StoreFailure) -> [SpaceRecord]
    /// Hands over signed roster operations one after the other, in the order they were added.
    func readRoster(
        _ space: SpaceID, _ body: ([UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure)
}

extension StoredRosters {
    /// All at once.
    public func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        var operations: [[UInt8]] = []
        try readRoster(space) { operations.append($0) }
        return operations
    }
}

/// Writes of spaces, each inside the open transaction.
public protocol RosterStore: StoredRosters {
    /// Inserts or replaces.
    mutating func put(_ space: SpaceRecord) throws(StoreFailure)
    /// Removes the space with all its data, in every part of the contract.
    mutating func remove(_ space: SpaceID) throws(StoreFailure)
    mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure)
}

// Reads over a copy of the tables: the in-memory store's snapshot of one moment.

public import Bytes
public import Causality
public import Node
public import Wire

/// The tables as they were when the reader was made.
public struct MemoryReader: StoreReading, Sendable {
    let tables: MemoryTables

    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? { tables.meta[name] }

    public func spaces() throws(StoreFailure) -> [SpaceRecord] {
        tables.spaces.values.map(\.current).sorted { $0.id < $1.id }
    }

    public func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        tables.spaces[space]?.roster ?? []
    }

    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector { tables.heads(space) }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        tables.runs(space, replica, from: from, bytesMax: bytesMax)
    }

    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        tables.changeCount(space, replica, after: sequence)
    }

    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        tables.spaces[space]?.logs[replica]?.boundaries.last(before: sequence)?.value
    }

    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        tables.seals(space, replica, from: from, limit: limit)
    }

    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        tables.commits(in: tables.spaces[space]?.commits ?? [], after: position, limit: limit)
    }

    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        tables.commits(in: tables.spaces[space]?.touching[document] ?? [], after: position, limit: limit)
    }

    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        tables.spaces[space]?.documents[key]
    }

    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        tables.documents(space, prefix: prefix, after: after, limit: limit)
    }

    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        tables.spaces[space]?.visibleCount ?? 0
    }

    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        tables.spaces[space]?.snapshots[key]
    }

    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        tables.spaces[space]?.idempotency[key]
    }

    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] {
        tables.spaces[space]?.forks.values ?? []
    }

    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        tables.spaces[space]?.skipped.values ?? []
    }
}

// Proofs of forks and skipped changes in memory.

public import Causality
public import Node

extension MemoryReads {
    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] {
        tables.spaces[space]?.forks.values ?? []
    }

    public func fork(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> ForkRecord? {
        tables.spaces[space]?.forks[replica]
    }

    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        tables.spaces[space]?.skipped.values ?? []
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.forks[fork.replica]
        try change(space) {
            $0.forks[fork.replica] = fork
        } undoing: {
            $0.forks[fork.replica] = old
        }
    }

    public mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure) {
        try setSkipped(space, skipped.change.position, skipped)
    }

    public mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure) {
        try setSkipped(space, position, nil)
    }

    private mutating func setSkipped(
        _ space: SpaceID, _ position: CommitPosition, _ record: SkippedRecord?
    ) throws(StoreFailure) {
        let old = tables.spaces[space]?.skipped[position]
        try change(space) {
            $0.skipped[position] = record
        } undoing: {
            $0.skipped[position] = old
        }
    }
}

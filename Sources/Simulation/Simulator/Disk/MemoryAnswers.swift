// Remembered answers in memory.

public import Bytes
public import Causality
public import Node

extension MemoryReads {
    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        tables.spaces[space]?.idempotency[key]
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.idempotency[key]
        try change(space) {
            $0.idempotency[key] = record
        } undoing: {
            $0.idempotency[key] = old
        }
    }

    public mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure) {
        for space in tables.spaces.keys {
            let old = tables.spaces[space]?.idempotency ?? [:]
            let kept = old.mapValues { $0.expiring(later: moved) }.filter { $0.value.expires >= wall }
            if kept != old {
                try change(space) {
                    $0.idempotency = kept
                } undoing: {
                    $0.idempotency = old
                }
            }
        }
    }
}

// How many changes lie beyond a vector, as peers and backlogs are told.

import Causality

extension StoreReading {
    /// How many durable changes of a space these vectors lack.
    func changes(of space: Space, beyond known: VersionVector) throws(StoreFailure) -> UInt64 {
        // Each position is a change.
        if known.entries.isEmpty, space.held == space.durable { return space.position.value }
        var count: UInt64 = 0
        for entry in space.durable.entries(beyond: known) {
            count += UInt64(try changes(of: space.id, entry.replica, after: known[entry.replica]))
        }
        return count
    }

    /// Changes of a log that end after this sequence.
    func changes(
        of space: SpaceID, _ replica: ReplicaID, after last: SequenceNumber
    ) throws(StoreFailure) -> Int {
        var count = try changeCount(space, replica, after: last)
        // The run that begins before it may reach beyond.
        if last > .none, let run = try runs(space, replica, from: last + 1, bytesMax: 1).first,
            run.first <= last
        {
            count += try commits(space, after: CommitPosition(run.position.value - 1), limit: run.changes)
                .count { $0.last > last }
        }
        return count
    }
}

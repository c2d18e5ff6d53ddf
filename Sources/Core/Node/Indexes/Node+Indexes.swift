// The steps of building and dropping indexes, one a tick as long as there is work.

import Causality

extension Node {
    /// At the start: goes on with what is not done.
    mutating func openIndexes(at now: Instant) {
        if isIndexing { indexPace.begin(at: now.monotonic) }
    }

    /// A batch was lost, maybe with a step in it. Not at once: the next one may fail as well.
    mutating func pauseIndexes(at now: Instant) {
        if isIndexing { indexPace.pause(at: now.monotonic) }
    }

    private var isIndexing: Bool { spaces.contains { $0.documents.indexes.isAtWork } }

    /// One step when it is due.
    mutating func tickIndexes(at now: Instant) {
        guard indexPace.isDue(at: now.monotonic), transaction.failure == nil else { return }
        if isDiskLow { return indexPace.pause(at: now.monotonic) }
        do throws(StoreFailure) {
            indexPace.stepped(hasMore: try advanceIndexes(), at: now.monotonic)
        } catch {
            transaction.fail(error)
        }
    }

    private mutating func advanceIndexes() throws(StoreFailure) -> Bool {
        for index in spaces.indices {
            if try spaces[index].advanceIndexes(in: &transaction) { return true }
        }
        return false
    }
}

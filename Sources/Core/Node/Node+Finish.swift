// The end of a batch, before the store commits: our logs are sealed (one seal a group commit authenticates
// all of it), rows and records are written, and what links are to get is computed from what is then durable.

import Causality
import Identity
import Wire

extension Node {
    mutating func finishSpaces(at now: Instant) throws(StoreFailure) {
        if batch.failure != nil { return }
        for space in retiring.sorted() {
            guard let index = spaceIndex(space) else { continue }
            try keepContinuity(
                "the log of this node in space \(spaces[index].name) went on elsewhere", at: now)
            try store.put(spaces[index].record)
        }
        for index in spaces.indices where spaces[index].hasUnwritten {
            try spaces[index].seal(with: configuration.device, in: &store, &batch)
            try spaces[index].writeDocuments(to: &store, &batch)
        }
        // Reads fill the cache as well as writes do, and all spaces share it.
        let sharing = spaces.reduce(0) { $0 + ($1.documents.count > 0 ? 1 : 0) }
        for index in spaces.indices { spaces[index].trimDocuments(sharing: sharing) }
        if batch.isWriting { counters.commits += 1 }
    }
}

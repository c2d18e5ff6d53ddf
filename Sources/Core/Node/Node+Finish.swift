// The end of a batch, before the store commits: our logs are sealed (one seal a group commit authenticates
// all of it), rows and records are written, and what links are to get is computed from what is then durable.

import Causality
import Identity
import Wire

extension Node {
    mutating func finishSpaces(at now: Instant) throws(StoreFailure) {
        if batch.failure != nil { return }
        for index in spaces.indices where spaces[index].hasUnwritten {
            try spaces[index].seal(with: configuration.device, in: &store, &batch)
            try spaces[index].writeRun(to: &store, &batch)
            try spaces[index].writeDocuments(to: &store, &batch)
            if spaces[index].held != spaces[index].durable { try store.put(spaces[index].record) }
            spaces[index].trimDocuments()
        }
        if batch.isWriting { counters.commits += 1 }
    }
}

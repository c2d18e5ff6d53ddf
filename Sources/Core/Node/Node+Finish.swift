// The end of a batch, before the store commits: our logs are sealed (one seal a group commit authenticates
// all of it), rows and records are written, and what links are to get is computed from what is then durable.

import Bytes
import Causality

extension Node {
    mutating func finishSpaces(at now: Instant) throws(StoreFailure) {
        if transaction.failure != nil { return }
        for index in spaces.indices where spaces[index].findings.isRetiring {
            try storeRestoreReason(
                "the log of this node in space \(spaces[index].name) went on elsewhere", at: now)
            try store.put(spaces[index].record)
            try spaces[index].setRestored(true, in: &transaction)
        }
        for index in spaces.indices { recordDamages(in: index, at: now) }
        for index in spaces.indices where spaces[index].hasUnwritten {
            try spaces[index].seal(with: configuration.device, in: &transaction)
        }
        // Reads fill the cache as well as writes do, and all spaces share it.
        let sharing = spaces.reduce(0) { $0 + ($1.documents.cache.count > 0 ? 1 : 0) }
        for index in spaces.indices { spaces[index].documents.trim(sharing: sharing) }
        if transaction.isWriting { counters.commits += 1 }
    }

    /// Documents that were found damaged in this batch: somebody should look.
    private mutating func recordDamages(in index: SpaceHandle, at now: Instant) {
        for (key, damage) in spaces[index].documents.takeDamages() {
            if damage.isUnreadable {
                recordUnreadable(key, of: spaces[index].id, damage.reason, at: now)
                continue
            }
            raise(
                Alarm(
                    code: "snapshot-damaged",
                    message:
                        "the snapshot of document \(key) of space \(spaces[index].name) does not decode "
                        + "(\(damage.reason)); the document was made from its changes, and nothing is lost",
                    hint: "look at the disk and the memory: what changed one may change another",
                    since: now.wall, space: spaces[index].id))
        }
    }
}

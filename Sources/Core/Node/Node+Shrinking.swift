// The database file gets smaller after logs were forgotten: a few of its free pages are given back after each
// batch in which nothing was written, until none is left. Writes take free pages first, so nothing hurries.

import Bytes
import Causality

/// When pages are given back next. Times are monotonic milliseconds.
struct Shrinking: Sendable {
    private(set) var deadline: UInt64?

    mutating func begin(at now: UInt64) { deadline = deadline ?? now }
    mutating func rest(at now: UInt64, for milliseconds: UInt64) { deadline = now + milliseconds }
    mutating func end() { deadline = nil }
}

extension Node {
    /// At the end of a batch. `isIdle`: nothing was written in it.
    mutating func shrinkDue(isIdle: Bool, at now: Instant) {
        guard let due = shrinking.deadline, due <= now.monotonic else { return }
        guard isIdle else {
            return shrinking.rest(at: now.monotonic, for: NodeLimits.shrinkRestMilliseconds)
        }
        do throws(StoreFailure) {
            if try transaction.store.shrink(pagesMax: NodeLimits.shrinkStepPages) {
                shrinking.rest(at: now.monotonic, for: NodeLimits.shrinkStepMilliseconds)
            } else {
                shrinking.end()
            }
        } catch {
            // Nothing of the node's depends on it: whatever the disk has, the next write says it.
            shrinking.rest(at: now.monotonic, for: NodeLimits.baseRestMilliseconds)
        }
    }
}

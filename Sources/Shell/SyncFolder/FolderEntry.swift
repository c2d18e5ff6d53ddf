// What is known of a file that somebody else left in the folder, and whether to read it (again): a value, so
// that its rules can be tested without a disk.

import Causality
import Node

/// One name in the folder that is not this node's.
struct FolderEntry {
    enum Outcome {
        case unread
        /// It was read to its end.
        case whole(BundleMark)
        /// It is not taken as it stands.
        case refused
        /// A bundle of a space that this node has no part in.
        case foreign(SpaceID)
        /// This node cannot take it now.
        case later
    }

    var outcome = Outcome.unread
    /// When it was looked into last; nil: never.
    var identity: FileIdentity?
    /// It may have changed since without another identity.
    var isRacy = false
    var space: SpaceID?
    /// Of the last reading to the end.
    var tally = BundleTally()
    /// Milliseconds since 1970.
    var readAt: UInt64?
    var problem: String?
    /// Monotonic milliseconds before which it is not read again as it stands.
    var retryAt: UInt64 = 0
    var tries = 0
    /// How much had been taken from all files when it was read.
    var news: UInt64 = 0

    enum Step {
        case pass
        /// It may be what was read already, under another identity.
        case compare(BundleMark)
        case read
    }

    /// `spaces`: those of this node. `news`: how much was taken from all files.
    func step(_ found: FileIdentity, spaces: Set<SpaceID>, news: UInt64, at now: UInt64) -> Step {
        let isSame = found == identity
        switch outcome {
        case .unread: return .read
        case .whole(let mark):
            if !isSame || isRacy, now >= retryAt || !isSame { return .compare(mark) }
            // What it goes on from may be here now.
            return tally.lacking > 0 && news > self.news && now >= retryAt ? .read : .pass
        case .refused: return !isSame || isRacy && now >= retryAt ? .read : .pass
        case .foreign(let space): return !isSame || spaces.contains(space) ? .read : .pass
        case .later: return !isSame || now >= retryAt ? .read : .pass
        }
    }
}

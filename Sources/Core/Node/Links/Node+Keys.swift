// Key epochs as the roster brings them, and as links show them.

import Causality
import Replication
import Roster
import Wire

extension Node {
    /// The roster of a space grew, or was opened: keys that it brings are stored with it, and what could not
    /// be read for want of them is asked for again.
    mutating func updateKeys(in index: SpaceHandle, isForced: Bool, at now: Instant) {
        spaces[index].membership.readKeys(with: configuration.box, isForced: isForced, at: now)
        guard spaces[index].membership.takeKeysUnstored() else { return }
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.put(spaces[index].record)
        } catch {
            return transaction.fail(error)
        }
        // Who sends under a key that lacks even now is named again.
        spaces[index].findings.alarms.resolveAll(Self.keyLacking)
        for channel in links.channels(of: spaces[index].id) {
            if links[channel].forks.isUnread {
                beginAgain(links.place(channel, in: index), at: now)
            } else {
                links[channel].sync.askAgain(at: now.monotonic)
            }
        }
    }

    /// A link was opened under an epoch, so its peer has that one.
    mutating func recordEpoch(_ epoch: UInt64, of peer: DeviceID, in index: SpaceHandle) {
        guard let number = UInt32(exactly: epoch) else { return }
        spaces[index].membership.recordLinked(peer, under: KeyEpochNumber(number))
    }
}

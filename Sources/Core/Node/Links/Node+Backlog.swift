// BACKLOG: a peer that stays behind for a moment is told by how many changes, and again while it catches up,
// so that both ends can show it. A peer that is level hears that once.

import Causality
import Replication
import SecureLink
import Wire

/// What each side told the other of its backlog on a channel.
struct Backlog: Sendable {
    /// The peer's last word: how many changes it holds that I lack. Nothing was said: none.
    var told: UInt64 = 0
    /// My last word.
    private(set) var said: UInt64 = 0
    /// When it is counted next, monotonic milliseconds; nil while the peer is level.
    private(set) var due: UInt64?

    static let firstMilliseconds: UInt64 = 1_000
    static let againMilliseconds: UInt64 = 5_000

    /// True when it is to be counted now: the peer has been behind for a moment, or is not any more.
    mutating func isDue(isBehind: Bool, at now: UInt64) -> Bool {
        guard isBehind else {
            due = nil
            return said > 0
        }
        guard let due else {
            self.due = now + Self.firstMilliseconds
            return false
        }
        return now >= due
    }

    /// The new count; true when the peer is to hear it.
    mutating func say(_ changes: UInt64, at now: UInt64) -> Bool {
        if due != nil { due = now + Self.againMilliseconds }
        defer { said = changes }
        return changes != said
    }
}

extension Node {
    /// What the peer of a channel is to hear of its backlog now.
    func nextBacklog(
        on channel: inout SpaceChannel, in index: SpaceHandle, _ told: AdvertisedLogs, at now: Instant
    ) throws(StoreFailure) -> BacklogFrame? {
        guard let known = channel.sync.peerHave else { return nil }
        let isBehind = !told.sealed.entries(beyond: known).isEmpty
        guard channel.backlog.isDue(isBehind: isBehind, at: now.monotonic) else { return nil }
        let count = isBehind ? try store.changes(of: spaces[index], beyond: known) : 0
        return channel.backlog.say(count, at: now.monotonic) ? BacklogFrame(changes: count) : nil
    }

    mutating func backlogArrived(_ frame: BacklogFrame, _ place: ChannelPlace, at now: Instant) {
        let space = spaces[place.space].id
        let before = greatestBacklog(of: space)
        // Whatever it says is a number that every reader of JSON can hold, and sums of it do not overflow.
        links[place.channel].backlog.told = min(frame.changes, NodeLimits.toldChangesMax)
        catchUps.said(
            greatestBacklog(of: space), of: space, isFirst: before == 0,
            held: spaces[place.space].position.value, at: now.monotonic)
    }

    /// By how many changes the linked peer that is furthest ahead said that this node is behind.
    private func greatestBacklog(of space: SpaceID) -> UInt64 {
        links.channels(of: space).map { links[$0].backlog.told }.max() ?? 0
    }
}

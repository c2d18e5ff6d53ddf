// The tree on which changes spread (Plumtree; `PushTree` says why one an author). What comes first makes its
// link the log's supplier; what comes twice prunes the other one. What a peer holds, and nobody brings in the
// time of a few round trips, is asked for by GRAFT: from one peer at a time, and from another when that one
// brings nothing. Everything here can be lost or wrong: it costs time, since HAVE goes on.
//
//     first full HAVE names what I lack, nobody brings it    GRAFT at once: this is how a newcomer catches
//     up,
//                                                            from one peer, whatever the number of its links
//     a later HAVE does                                      wait for the eager links, then GRAFT
//     I lack nothing, and few of my links are eager          GRAFT another one

import Causality
import Mesh
import Replication
import SecureLink
import Wire

extension Node {
    mutating func graftArrived(_ frame: GraftFrame, _ place: ChannelPlace) {
        let logs = frame.logs.filter { spaces[place.space].logs[$0] != nil }
        // Only of logs that are not held: nothing to push.
        if logs.isEmpty, !frame.logs.isEmpty { return }
        links[place.channel].sync.graft(logs)
    }

    mutating func pruneArrived(_ frame: PruneFrame, _ place: ChannelPlace) {
        let logs = frame.logs.filter { spaces[place.space].logs[$0] != nil }
        if logs.isEmpty, !frame.logs.isEmpty { return }
        links[place.channel].sync.prune(logs)
    }

    /// Something that was lacking came here.
    mutating func cameNew(_ replica: ReplicaID, bytes: Int, _ place: ChannelPlace, at now: Instant) {
        let pushes = links[place.channel].sync.tree.pushes(replica)
        links[place.channel].supply.usefulAt = now.monotonic
        links.counters.usefulBytes += UInt64(bytes)
        spaces[place.space].replication.gossip.budget.earn(bytes)
        spaces[place.space].replication.gossip.deliverers[replica] = links[place.link].device
        if pushes { spaces[place.space].replication.gossip.suppliers[replica] = place.connection }
    }

    /// A segment came whose changes are known already: one of the two links that push the log is too many.
    mutating func cameTwice(
        _ replica: ReplicaID, of author: DeviceID, _ place: ChannelPlace, at now: Instant
    ) {
        let space = spaces[place.space].id
        let channel = links[place.channel]
        guard let supplier = spaces[place.space].replication.gossip.suppliers[replica],
            let other = links.connections.link(of: supplier),
            let first = links.connections.channel(of: space, on: other),
            links[first].sync.tree.pushes(replica)
        else {
            // Whoever brought it first is gone, or was asked once: this is the one that pushes it.
            if channel.sync.tree.pushes(replica) {
                spaces[place.space].replication.gossip.suppliers[replica] = place.connection
            }
            return
        }
        if supplier == place.connection { return }
        // It was told, and this was under way; only one that goes on is told again.
        if !channel.sync.tree.pushes(replica), channel.supply.isSettlingPrune(at: now.monotonic) { return }
        if links[place.link].device == author, channel.sync.tree.pushes(replica) {
            // The author itself: no way is shorter, however the race went.
            spaces[place.space].replication.gossip.suppliers[replica] = place.connection
            prune(replica, on: first)
        } else {
            prune(replica, on: place.channel)
        }
    }

    private mutating func prune(_ replica: ReplicaID, on channel: ChannelHandle) {
        links.counters.prunes += 1
        links[channel].supply.prune(replica)
        links[channel].sync.prune([replica])
    }
}

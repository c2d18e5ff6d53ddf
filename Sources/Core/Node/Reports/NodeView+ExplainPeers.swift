// `explain`: what keeps something from a peer. The questions are asked in the order of the road: does the
// peer hold it, may it, is it linked, is this space spoken of on the link, and what keeps the next segment
// back.

import Causality
import Identity
import Mesh
import Replication
import Roster
import Wire

extension NodeView {
    /// `wanted`: changes that are held here and that the peer is to hold; without any the question is what
    /// the peer holds that is lacking here, `asked` above all.
    func whereabouts(
        of peer: DeviceID, on wanted: [Dot], asked: Dot?, in index: SpaceHandle, at now: Instant
    ) throws(StoreFailure) -> PeerWhereabouts {
        let vector = spaces[index].peerVectors[peer]
        let lacks = wanted.filter { vector?.contains($0) != true }
        var isHeld: Bool?
        if let vector { isHeld = asked.map(vector.contains) ?? (!wanted.isEmpty && lacks.isEmpty) }
        let whereabouts: Whereabouts
        if let asked, spaces[index].forks.closed.isClosed(asked) {
            isHeld = nil
            whereabouts = Whereabouts(.voidFork, "no node is sent it: it is void")
        } else if isHeld == true {
            whereabouts = Whereabouts(.held, "it said that it has it on its disk")
        } else if let member = spaces[index].roster.member(peer), member.state != .active {
            whereabouts =
                member.state == .left
                ? Whereabouts(.left, "it left the space")
                : Whereabouts(.removed, "it was removed from the space")
        } else if spaces[index].roster.role(of: peer) == .relay {
            whereabouts = Whereabouts(.relay, "it is a relay: it is sent no changes")
        } else {
            whereabouts = try whyNotThere(peer, lacks, isAskedFor: asked != nil, in: index, at: now)
        }
        return PeerWhereabouts(
            device: peer, name: spaces[index].nameOf(peer), isHeld: isHeld,
            lacks: Array(lacks.prefix(NodeLimits.explainedChangesMax)), whereabouts: whereabouts)
    }

    private func whyNotThere(
        _ peer: DeviceID, _ lacks: [Dot], isAskedFor: Bool, in index: SpaceHandle, at now: Instant
    ) throws(StoreFailure) -> Whereabouts {
        // 1. The link.
        guard let connection = links.connections.table.links(to: peer).first?.connection,
            let link = links.connections.link(of: connection)
        else {
            let isRefused = reachability.refusal(of: peer, at: now) != nil
            return Whereabouts(isRefused ? .refused : .notLinked, whyNotLinked(peer, at: now))
        }
        if let silence = whySilent(links[link], at: now) { return Whereabouts(.silent, silence) }
        // 2. The space on it.
        guard let channel = links.connections.channel(of: spaces[index].id, on: link).map({ links[$0] })
        else {
            return Whereabouts(.notOpened, "it is linked, and this space is not spoken of on the link yet")
        }
        guard channel.isReady else {
            let which = channel.isFull ? "its roster has not come" : "the roster held here does not list it"
            return Whereabouts(.rosterFirst, "rosters are exchanged first, and \(which) yet")
        }
        guard channel.sync.peerHave != nil else {
            return Whereabouts(.notHeard, "it has not said yet what it holds")
        }
        // 3. The change.
        guard let dot = lacks.first else {
            let told = channel.backlog.told
            let behind = told > 0 ? "; it holds \(counted(told, "change")) on the way here" : ""
            return Whereabouts(
                .notHere,
                (isAskedFor ? "it did not say that it holds it" : "nothing of it is held here to be sent")
                    + behind)
        }
        return whyNotSent(dot, on: channel, in: index)
    }

    /// What keeps a change that is held here on this side of a channel that is open.
    private func whyNotSent(_ dot: Dot, on channel: SpaceChannel, in index: SpaceHandle) -> Whereabouts {
        let sync = channel.sync
        if sync.sent.contains(dot) {
            return Whereabouts(
                .underWay,
                "it was sent on this link, and the peer has not said yet that it has it on its disk")
        }
        if let told = spaces[index].replication.advertised, told.durable.contains(dot),
            !told.sealed.contains(dot)
        {
            return Whereabouts(
                .notSealed, "it waits for the seal of its author that covers it, and goes with that")
        }
        if !sync.tree.pushes(dot.replica) {
            return Whereabouts(
                .lazy, "other links bring it this log; it asks here for what they do not bring")
        }
        if !sync.hasRoom {
            let bytes = sync.sentBytes - sync.acknowledgedBytes
            return Whereabouts(
                .window, "\(bytes) bytes are under way to it; more is sent as it takes them in")
        }
        if let cap = whyHeldBack(channel) { return Whereabouts(.heldBack, cap) }
        return Whereabouts(.queued, "it is sent next")
    }
}

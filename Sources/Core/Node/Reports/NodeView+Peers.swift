// What a person sees of peers: each with its addresses and what came of dialling them, how far it is behind
// and ahead, and in one sentence why there is no link or no sync.

import Causality
import Identity
import Mesh
import Replication
import Roster
import Wire

extension NodeView {
    /// What `GET /v1/peers` shows: every active member of our spaces but ourselves, ascending by device; and
    /// what could not be counted for it.
    func peerReports(at now: Instant) -> (reports: [PeerReport], failures: [StoreFailure]) {
        var devices: Set<DeviceID> = []
        for space in spaces {
            for member in space.roster.members() where member.state == .active && member.device != device {
                devices.insert(member.device)
            }
        }
        var failures: [StoreFailure] = []
        return (devices.sorted().map { peerReport($0, &failures, at: now) }, failures)
    }

    /// Addresses behind which nobody is known yet: of the configuration and of tokens, ascending.
    func unassignedReports(at now: Instant) -> [AddressReport] {
        reachability.book.unassigned.filter { (reachability.book[$0]?.source ?? .relayed) >= .hint }
            .map { addressReport($0, isLinked: false, at: now) }
    }

    private func peerReport(
        _ peer: DeviceID, _ failures: inout [StoreFailure], at now: Instant
    ) -> PeerReport {
        let addresses = reachability.book.addresses(of: peer)
        let connection = links.connections.table.links(to: peer).first?.connection
        let link = connection.flatMap { links.connections.link(of: $0) }
        let state: String =
            if link != nil {
                "connected"
            } else if reachability.refusal(of: peer, at: now) != nil {
                "refused"
            } else if addresses.contains(where: reachability.dialer.isUnderWay) {
                "dialling"
            } else {
                "waiting"
            }
        let known = links.peerStates[peer]
        let traffic = links.connections.traffic(with: peer)
        let shared = spaces.filter { $0.roster.role(of: peer) != nil }
        let syncs = shared.map { sync(of: peer, in: $0, link, &failures) }
        let heard = link.map { links[$0].liveness.heard } ?? reachability.linkedAt[peer]
        let dials = addresses.map { addressReport($0, isLinked: link != nil, at: now) }
        return PeerReport(
            device: peer,
            name: shared.lazy.compactMap { $0.roster.description(of: peer)?.name.string }.first ?? "",
            addresses: addresses.map(\.string), state: state,
            since: known.map { $0.state == state ? $0.since : now.wall } ?? now.wall,
            rttMilliseconds: link.flatMap { links[$0].liveness.roundTripMilliseconds },
            whyNot: link.map { whyNotInSync($0, syncs, at: now) }
                ?? whyNotWanted(peer) ?? reachability.whyNotLinked(peer, dials, at: now),
            spaces: syncs, dials: dials, heardAt: heard.map(now.wall(of:)),
            lastSeenAt: lastSeen(peer, at: now),
            clockOffsetMilliseconds: link.map { links[$0].clockOffset }, bytesReceived: traffic.received,
            bytesSent: traffic.sent)
    }

    /// What became of an address. `isLinked`: its device is.
    private func addressReport(_ address: PeerAddress, isLinked: Bool, at now: Instant) -> AddressReport {
        let isOpen = links.connections.linkHandles.contains {
            links[links[$0].connection].purpose.address == address
        }
        return reachability.report(
            address, isOpen: isOpen, isLinked: isLinked, at: now)
    }

    // MARK: Why not

    private func whyNotInSync(_ link: LinkHandle, _ syncs: [PeerReport.Sync], at now: Instant) -> String? {
        if let silence = whySilent(links[link], at: now) { return silence }
        for channel in links[link].channels.map({ links[$0.handle] }) {
            guard let index = spaces.handle(of: channel.space) else { continue }
            if !channel.isFull { return "the roster of \(spaces[index].name) does not list it yet" }
            if let cap = whyHeldBack(channel) { return cap }
            for log in links.buffer.logs(of: channel.space) {
                switch links.buffer.lack(of: log) {
                case .dot(let dot, _): return "changes of \(log.replica) wait for \(dot)"
                case .rosterHead: return "changes of \(log.replica) wait for the roster"
                case nil: break
                }
            }
        }
        for sync in syncs where sync.behindChanges ?? 0 > 0 {
            let name = spaces.handle(of: sync.space).map { spaces[$0].name } ?? ""
            return "it holds \(counted(sync.behindChanges ?? 0, "change")) of \(name) on the way here"
        }
        return nil
    }

    /// Of a link on which nothing is heard; nil for one that lives.
    func whySilent(_ link: PeerLink, at now: Instant) -> String? {
        guard link.liveness.isDoubtful(at: now.monotonic) else { return nil }
        let silence = TimeSpan(from: link.liveness.heard, to: now.monotonic)
        return "nothing was heard on its link for \(silence); it is dialled beside it, and the link ends "
            + "after \(TimeSpan(links.connections.times.deadMilliseconds))"
    }

    /// Why a device without a link has none.
    func whyNotLinked(_ peer: DeviceID, at now: Instant) -> String {
        let dials = reachability.book.addresses(of: peer).map { addressReport($0, isLinked: false, at: now) }
        return whyNotWanted(peer) ?? reachability.whyNotLinked(peer, dials, at: now)
    }

    /// Why a member of a large space is not linked; nil when it should be.
    private func whyNotWanted(_ peer: DeviceID) -> String? {
        let shared = spaces.indices.filter { spaces[$0].roster.role(of: peer) != nil }
        let isLarge = shared.allSatisfy { spaces[$0].replication.view?.isLarge ?? false }
        guard !shared.isEmpty, isLarge else { return nil }
        return "not linked: \(settings.activeLinks) links are enough in a large space, its changes come "
            + "through others"
    }

    /// Why changes wait on this side of a channel; nil when no cap holds them back.
    func whyHeldBack(_ channel: SpaceChannel) -> String? {
        switch channel.heldBackBy {
        case .link: "held back: \(settings.linkBytesPerSecond) bytes/s are allowed on a link"
        case .total: "held back: \(settings.totalBytesPerSecond) bytes/s are allowed in all"
        case nil: nil
        }
    }

    // MARK: Changes

    private func sync(
        of peer: DeviceID, in space: Space, _ link: LinkHandle?, _ failures: inout [StoreFailure]
    ) -> PeerReport.Sync {
        let channel = link.flatMap { links.connections.channel(of: space.id, on: $0) }.map { links[$0] }
        let known = channel?.sync.peerHave ?? space.peerVectors[peer]
        var ahead: UInt64?
        do throws(StoreFailure) {
            if let known { ahead = try store.changes(of: space, beyond: known) }
        } catch {
            failures.append(error)
        }
        return PeerReport.Sync(
            space: space.id, behindChanges: channel?.backlog.told, aheadChanges: ahead,
            treeRole: channel.map { Self.role(of: $0.sync.tree) })
    }

    /// Changes held here that a member lacks, as far as it said; nil when it said nothing, or is a relay.
    func behindChanges(of peer: DeviceID, in space: Space) -> UInt64? {
        guard let role = space.roster.role(of: peer), role > .relay else { return nil }
        let link = links.connections.table.links(to: peer).first
            .flatMap { links.connections.link(of: $0.connection) }
        var failures: [StoreFailure] = []
        return sync(of: peer, in: space, link, &failures).aheadChanges
    }

    private static func role(of tree: PushTree) -> String {
        if !tree.pushesSome { return "lazy" }
        return tree.exceptionCount == 0 ? "eager" : "eager for some logs"
    }
}

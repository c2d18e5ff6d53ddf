// Wires replication to the links and the store: hands frames and commits to the machines of a space
// (`Replication`) and of its channels (`ChannelParts`), and performs what they say.

import Causality
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    // MARK: Gaps

    /// A peer's HAVE came. What it names beyond what is held here may open a gap.
    mutating func recordAhead(_ entries: [VersionVector.Entry], _ place: ChannelPlace, at now: Instant) {
        let missing = spaces[place.space].logHeads.missing(of: entries)
        if missing.isEmpty { return }
        links[place.channel].supply.isAhead = true
        guard spaces[place.space].replication.repair.opensGap(for: links[place.link].device) else { return }
        let peers = gapPeers(of: place.space, at: now)
        guard let peer = peers.first(where: { $0.channel == place.channel }) else { return }
        spaces[place.space].replication.repair.open(
            missing, namedBy: peer, among: peers, dice: &links.dice, at: now.monotonic)
    }

    /// Asks for what is missing when its time has come; makes links eager when few are.
    mutating func requestMissing(_ index: SpaceHandle, at now: Instant) {
        for action in nextRepairs(of: index, at: now) { perform(action, in: index, isPaid: false, at: now) }
    }

    /// The copies of channels and logs that decide are gone when this returns.
    private mutating func nextRepairs(of index: SpaceHandle, at now: Instant) -> [GapRepair.Action] {
        // A relay reads no changes and asks for none.
        let peers = spaces[index].keys.current.content == nil ? [] : gapPeers(of: index, at: now)
        guard peers.contains(where: \.isReady) else {
            spaces[index].replication.repair.rest()
            return []
        }
        if links.pause.isOn(at: now.monotonic) {
            spaces[index].replication.repair.pause(until: links.pause.until)
            return []
        }
        let heads = spaces[index].logHeads
        return spaces[index].replication.repair.step(peers, heads, dice: &links.dice, at: now.monotonic)
    }

    /// A link is gone: what it brought is asked for from another one at once, without waiting for a gap.
    mutating func supplierLost(_ lost: ConnectionID, of peer: DeviceID, at now: Instant) {
        if links.isStopping { return }
        for index in spaces.indices {
            let orphans = spaces[index].replication.suppliers.lose(lost)
            let peers = orphans.isEmpty ? [] : gapPeers(of: index, at: now)
            let actions = spaces[index].replication.repair.lose(
                lost, of: peer, orphans: orphans, peers, at: now.monotonic)
            for action in actions { perform(action, in: index, isPaid: true, at: now) }
        }
    }

    /// Every channel of a space as the repair of gaps sees it, ascending.
    private func gapPeers(of index: SpaceHandle, at now: Instant) -> [GapPeer] {
        let isWatched = spaces[index].replication.repair.hasGap
        return links.channels(of: spaces[index].id).map { handle in
            let (channel, link) = (links[handle], links[handle].link)
            let isReceiving =
                isWatched && links[links[link].connection].secure.heldBytes > 0
                && !links[link].liveness.isSilent(at: now.monotonic)
            return GapPeer(
                channel: handle, connection: links.connectionID(of: link), device: links[link].device,
                isReady: channel.isReady, have: channel.sync.peerHave, isTold: channel.sync.told != nil,
                tree: channel.sync.tree, isAhead: channel.supply.isAhead, usefulAt: channel.supply.usefulAt,
                roundTrip: links[link].liveness.roundTripMilliseconds, isReceiving: isReceiving)
        }
    }

    /// `isPaid`: the HAVE that goes with a GRAFT is paid from the budget of the space.
    private mutating func perform(
        _ action: GapRepair.Action, in index: SpaceHandle, isPaid: Bool, at now: Instant
    ) {
        switch action {
        case .setAhead(let channel, let isAhead): links[channel].supply.isAhead = isAhead
        case .graft(let channel, let logs, let isAgain):
            graft(logs, links.place(channel, in: index), isAgain: isAgain, isPaid: isPaid, at: now)
        }
    }

    /// Says what is held here, so that only what is missing comes, and GRAFT.
    private mutating func graft(
        _ logs: [ReplicaID], _ place: ChannelPlace, isAgain: Bool, isPaid: Bool, at now: Instant
    ) {
        var channel = links.connections.withdraw(place.channel)
        // It pushes these already, or was asked before: what it sent was dropped here, which only a full
        // HAVE can tell it.
        let isPushed =
            logs.isEmpty ? channel.sync.tree.isEager : logs.contains(where: channel.sync.tree.pushes)
        if isAgain || isPushed { channel.sync.askAgain(at: now.monotonic) }
        channel.sync.graft(logs)
        channel.supply.graft(logs)
        links[place.channel] = channel
        sendHave(place, isPaid: isPaid, at: now)
        send([LinkFrame(GraftFrame(logs), on: place.number)], on: place.link)
        links.counters.grafts += 1
    }

    /// When `requestMissing` has something to do. It is not called while nobody is connected.
    func repairDeadline(of index: SpaceHandle) -> UInt64? {
        links.connections.isEmpty ? nil : spaces[index].replication.repair.deadline
    }

    // MARK: The push tree

    mutating func graftArrived(_ frame: GraftFrame, _ place: ChannelPlace) {
        let logs = frame.logs.filter { spaces[place.space].logs[$0] != nil }
        // Only of logs that are not held: nothing to push.
        if logs.isEmpty, !frame.logs.isEmpty { return }
        links[place.channel].sync.graft(logs)
        if spaces[place.space].roster.isRemoved(device) { links[place.channel].asked.formUnion(logs) }
    }

    mutating func pruneArrived(_ frame: PruneFrame, _ place: ChannelPlace) {
        let logs = frame.logs.filter { spaces[place.space].logs[$0] != nil }
        if logs.isEmpty, !frame.logs.isEmpty { return }
        links[place.channel].sync.prune(logs)
    }

    /// Something that was missing came here.
    mutating func recordNew(_ replica: ReplicaID, bytes: Int, _ place: ChannelPlace, at now: Instant) {
        let isPushed = links[place.channel].sync.tree.pushes(replica)
        links[place.channel].supply.usefulAt = now.monotonic
        recordHelp(place, at: now)
        links.counters.usefulBytes += UInt64(bytes)
        spaces[place.space].replication.budget.earn(bytes)
        spaces[place.space].replication.suppliers.recordNew(
            replica, from: links[place.link].device, on: place.connection, isPushed: isPushed)
    }

    /// A segment came whose changes are known already: one of the two links that push the log is too many.
    mutating func recordDuplicate(
        _ replica: ReplicaID, of author: DeviceID, _ place: ChannelPlace, at now: Instant
    ) {
        let source = Suppliers.Source(
            connection: place.connection, device: links[place.link].device,
            isPushed: links[place.channel].sync.tree.pushes(replica),
            isSettlingPrune: links[place.channel].supply.isSettlingPrune(at: now.monotonic))
        let supplier = spaces[place.space].replication.suppliers[replica]
            .flatMap { links.connections.link(of: $0) }
            .flatMap { links.connections.channel(of: spaces[place.space].id, on: $0) }
        let surplus = spaces[place.space].replication.suppliers.recordDuplicate(
            replica, of: author, from: source,
            isSupplied: supplier.map { links[$0].sync.tree.pushes(replica) } ?? false)
        guard let surplus else { return }
        let channel = surplus == place.connection ? place.channel : supplier ?? place.channel
        links.counters.prunes += 1
        links[channel].supply.prune(replica)
        links[channel].sync.prune([replica])
    }
}

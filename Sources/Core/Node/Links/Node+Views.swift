// Wires the views of spaces to the links: which devices are dialled, which link is one too many, and what
// neighbours and walks say. A link is kept as long as one shared space wants it.

import Causality
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    // MARK: Who is wanted

    /// Brings the views up to the rosters. Costs nothing while those are as they were.
    private mutating func refreshViews(at now: Instant) {
        for index in spaces.indices
        where spaces[index].replication.view?.isUp(to: spaces[index].roster.count) != true {
            let members = spaces[index].roster.activeDevices().filter { $0 != device }
            var view =
                spaces[index].replication.view.take()
                ?? SpaceView(seed: links.dice.next(), at: now.monotonic)
            view.update(members, outcasts: outcasts(of: index), rosterCount: spaces[index].roster.count)
            spaces[index].replication.view = view
        }
    }

    /// Admins that were removed and may have removed us in turn (decision 0174).
    private func outcasts(of index: SpaceHandle) -> [SpaceView.Outcast] {
        let roster = spaces[index].roster
        return roster.removedAdmins().compactMap { outcast in
            let exclusion = roster.exclusion(of: outcast)
            guard outcast != device, let removal = exclusion.first else { return nil }
            return SpaceView.Outcast(
                device: outcast, exclusion: exclusion.map(\.id), since: removal.timestamp.milliseconds)
        }
    }

    /// Links that a large space is to have.
    var activeLinks: Int { configuration.settings.activeLinks }

    /// Devices worth a dial now: all members of small spaces, the targets of large ones, removed admins that
    /// are to hear of it, and those that somebody waits for. Static peers are wanted whatever this says.
    /// O(members of small spaces).
    mutating func wantedPeers(at now: Instant) -> Set<DeviceID> {
        refreshViews(at: now)
        var wanted: Set<DeviceID> = []
        for index in spaces.indices {
            let space = spaces[index].id
            guard var view = spaces[index].replication.view.take() else { continue }
            if view.isLarge {
                let mute = muteDevices(of: space, at: now)
                let targets = view.targets(
                    linked: linkedDevices(of: space).subtracting(mute), mute: mute, wanted: activeLinks,
                    at: now.monotonic)
                for device in targets { learnAddresses(of: device, in: index, view) }
                wanted.formUnion(targets)
                wanted.formUnion(view.visited)
            } else {
                wanted.formUnion(view.members)
            }
            for outcast in view.outcastsToTell(at: now.wall) {
                reachability.learn(
                    spaces[index].roster.member(outcast)?.description.addresses ?? [], of: outcast)
                wanted.insert(outcast)
            }
            spaces[index].replication.view = view
        }
        wanted.formUnion(readers.awaitedDevices(countMax: MeshLimits.awaitedMax))
        return wanted
    }

    /// Where a device may be found, as the roster and those who met it say.
    private mutating func learnAddresses(of device: DeviceID, in index: SpaceHandle, _ view: SpaceView) {
        let said = spaces[index].roster.description(of: device)?.addresses ?? []
        reachability.learn(said, of: device)
        // A walk is a peer's word, whoever it says it is of.
        guard let told = view.contact(of: device) else { return }
        reachability.learn(
            told.addresses, of: device, from: told.teller, countMax: MeshLimits.addressesOfDeviceMax / 2)
    }

    private func linkedDevices(of space: SpaceID) -> Set<DeviceID> {
        Set(links.channels(of: space).map { links.peer(of: $0) })
    }

    /// Devices whose links stand for a while without having said what they hold.
    private func muteDevices(of space: SpaceID, at now: Instant) -> Set<DeviceID> {
        Set(links.channels(of: space).filter { isMute($0, at: now) }.map { links.peer(of: $0) })
    }

    /// A relay takes nothing in and need not speak, so it is not closed for it; see `trim`.
    private func isMute(_ channel: ChannelHandle, at now: Instant) -> Bool {
        links[channel].sync.peerHave == nil
            && now.monotonic >= links[links[channel].link].begun + MeshLimits.muteMilliseconds
    }

    // MARK: What peers say

    mutating func neighbourArrived(_ frame: NeighbourFrame, _ place: ChannelPlace, at now: Instant) {
        links[place.channel].view.neighbour = frame
        trim(place.space, at: now)
    }

    /// A device on its walk: passed on, or remembered here.
    mutating func walkArrived(_ frame: WalkFrame, _ place: ChannelPlace, at now: Instant) {
        let space = spaces[place.space].id
        guard frame.device != device, isLarge(place.space),
            spaces[place.space].roster.role(of: frame.device) != nil
        else { return }
        // A flood of walks goes no further than here.
        guard links[place.channel].view.paysWalk(at: now.monotonic) else { return }
        let (peer, linked) = (links[place.link].device, linkedDevices(of: space).sorted())
        switch spaces[place.space].replication.view?.receive(frame, from: peer, linked: linked) {
        case .passed(let onward, let next): send(onward, to: next, in: space)
        case .ended: reachability.checkDials(by: now.monotonic + 1_000)
        case nil: break
        }
    }

    private mutating func send(_ body: some FrameBody, to device: DeviceID, in space: SpaceID) {
        let found = links.channels(of: space).first { links.peer(of: $0) == device }
        guard let channel = found else { return }
        send([LinkFrame(body, on: links[channel].number)], on: links[channel].link)
    }

    // MARK: Time

    /// Says how many links there are, where that changed, and begins the walks that are due.
    mutating func tickViews(at now: Instant) {
        refreshViews(at: now)
        for index in spaces.indices {
            let space = spaces[index].id
            guard isLarge(index) else { continue }
            let mute = muteDevices(of: space, at: now)
            if spaces[index].replication.view?.recordMute(mute) == true { reachability.checkDials() }
            trim(index, at: now)
            beginVisit(index, at: now)
            guard spaces[index].replication.view?.beginsWalk(at: now.monotonic) == true else { continue }
            sendNeighbours(index, again: true, at: now)
            let walk = WalkFrame(
                stops: MeshLimits.walkStops, device: device, addresses: reachability.advertisedAddresses)
            let linked = linkedDevices(of: space).sorted()
            if let first = spaces[index].replication.view?.firstStop(linked) {
                send(walk, to: first, in: space)
            }
        }
    }

    /// Dials one member that is not linked, when one is due, whatever the number of links.
    private mutating func beginVisit(_ index: SpaceHandle, at now: Instant) {
        guard var view = spaces[index].replication.view.take() else { return }
        let linked = linkedDevices(of: spaces[index].id)
        let visited = view.beginVisit(linked: linked, at: now.monotonic)
        if let visited { learnAddresses(of: visited, in: index, view) }
        spaces[index].replication.view = view
        guard let visited else { return }
        // Once in a while, whatever came of the last dial.
        reachability.resetBackOff(of: visited)
    }

    /// Something that was missing came. On a young link, while many older ones had not brought it, it shows
    /// that those do not do what they are for.
    mutating func recordHelp(_ place: ChannelPlace, at now: Instant) {
        let begun = links[place.link].begun
        guard now.monotonic < begun + MeshLimits.graceMilliseconds, isLarge(place.space) else { return }
        let older = links.channels(of: spaces[place.space].id).count { channel in
            links[channel].sync.peerHave != nil
                && links[links[channel].link].begun + MeshLimits.helpedOverMilliseconds <= begun
        }
        guard older >= activeLinks - 1 else { return }
        let helper = links[place.link].device
        spaces[place.space].replication.view?.recordHelp(by: helper, at: now.monotonic)
    }

    /// Tells peers of a large space how many links there are: once a link, and again with each walk.
    mutating func sendNeighbours(_ index: SpaceHandle, again: Bool, at now: Instant) {
        let space = spaces[index].id
        guard isLarge(index) else { return }
        let channels = links.channels(of: space)
        for channel in channels {
            guard links[channel].isReady, links[channel].view.tells(again: again) else { continue }
            let isNeeded = channels.count <= activeLinks / 2 || isFixed(links[channel].link)
            let frame = NeighbourFrame(links: channels.count, isNeeded: isNeeded)
            send([LinkFrame(frame, on: links[channel].number)], on: links[channel].link)
        }
    }

    /// The configuration names the peer of a link.
    private func isFixed(_ link: LinkHandle) -> Bool {
        links[links[link].connection].purpose.address.map(reachability.isFixed) ?? false
    }

    /// Closes one link of a large space when there are too many; whoever it is hears of others first.
    private mutating func trim(_ index: SpaceHandle, at now: Instant) {
        let space = spaces[index].id
        let channels = links.channels(of: space)
        let isVisiting = spaces[index].replication.view?.visited.isEmpty == false
        guard isLarge(index), channels.count > activeLinks || isVisiting else { return }
        let awaited = Set(readers.awaitedDevices(countMax: MeshLimits.awaitedMax))
        let asked = spaces[index].replication.repair.asked
        var channelOf: [DeviceID: ChannelHandle] = [:]
        let candidates = channels.map { channel in
            let (link, neighbour) = (links[channel].link, links[channel].view.neighbour)
            let device = links[link].device
            channelOf[device] = channel
            let isNeeded =
                isFixed(link) || links.connectionID(of: link) == asked || awaited.contains(device)
                || isWantedElsewhere(link, but: space)
            return PartialView.Link(
                device: device, links: neighbour.map { Int($0.links) }, isNeeded: isNeeded,
                claimsNeed: neighbour?.isNeeded ?? false,
                isMute: isMute(channel, at: now) && !isFixed(link) && !awaited.contains(device)
                    && spaces[index].roster.role(of: device) != .relay,
                begun: links[link].begun, usefulAt: links[channel].supply.usefulAt)
        }
        let wanted = activeLinks
        let chosen = spaces[index].replication.view?.surplus(
            candidates, wanted: wanted, at: now.monotonic)
        guard let chosen, let channel = channelOf[chosen] else { return }
        let others = peersToAdvertise(chosen, in: index).filter { $0.device != device }
        let (link, number) = (links[channel].link, links[channel].number)
        if !others.isEmpty { send([LinkFrame(PeersFrame(others), on: number)], on: link) }
        close(link, .enough, "\(activeLinks) links are enough in this space", at: now)
    }

    /// Another space of the link is small, and wants all its members.
    private func isWantedElsewhere(_ link: LinkHandle, but space: SpaceID) -> Bool {
        links[link].channels.contains { channel in
            guard channel.space != space, let index = spaces.handle(of: channel.space) else { return false }
            return spaces[index].replication.view?.isLarge == false
        }
    }

    /// When links of a space may be closed: they turn out to say nothing, a visit is over, or there are more
    /// than enough.
    private func linkMoments(_ channels: [ChannelHandle], _ view: SpaceView) -> [UInt64] {
        let (visited, isCrowded) = (view.visited, channels.count > activeLinks)
        var moments: [UInt64] = []
        for channel in channels {
            let link = links[channel].link
            let begun = links[link].begun
            if links[channel].sync.peerHave == nil { moments.append(begun + MeshLimits.muteMilliseconds) }
            if visited.contains(links[link].device) { moments.append(begun + MeshLimits.visitMilliseconds) }
            if isCrowded { moments.append(begun + MeshLimits.graceMilliseconds) }
        }
        moments = moments.filter { $0 > links.clock }
        // What is closed has come to stand as mute only at the last look.
        if isCrowded, view.hasMute || view.nextTrim > links.clock { moments.append(view.nextTrim) }
        return moments
    }

    /// When `tickViews` or the targets have something to do.
    var viewsDeadline: UInt64? {
        spaces.compactMap { space in
            guard let view = space.replication.view, view.isLarge else {
                return space.replication.view?.deadline
            }
            let channels = links.channels(of: space.id)
            return (linkMoments(channels, view) + [view.deadline].compactMap(\.self)).min()
        }.min()
    }
}

// The handshake is complete: who is at the other end is proved. Whether it belongs here, and which of several
// links stays, is decided now.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    mutating func established(_ connection: ConnectionHandle, _ link: EstablishedLink, at now: Instant) {
        switch (link.use, links[connection].purpose) {
        case (.join(let invite), .accepted):
            return admitting(connection, link, InviteID(raw: invite), at: now)
        case (.join, .join(_, let request)): return proveInvite(connection, link, request, at: now)
        case (.mesh, .accepted), (.mesh, .mesh), (.mesh, .tell): break
        case (.join, .mesh), (.join, .tell), (.mesh, .join):
            return close(connection, .protocolFault, "a link of another profile", at: now)
        }
        // 1. Ourselves: by another way, or in a second place.
        if link.peer.device == device { return linkedToOurselves(connection, link, at: now) }
        // 2. Devices that are refused, and the limit of links.
        if let refusal = reachability.refusal(of: link.peer.device, at: now) {
            let seconds = (refusal.until - now.monotonic + 999) / 1_000
            return close(connection, .overloaded, "refused for \(seconds) s: \(refusal.reason)", at: now)
        }
        guard makeRoom(for: link.peer.device, at: now) else {
            return close(connection, .overloaded, "\(MeshLimits.linksMax) links are open", at: now)
        }
        let index = spaces.handle(of: link.space)
        guard index != nil || left[link.space] != nil else {
            return close(connection, .done, "the space was left", at: now)
        }
        // 3. One of two links to a device.
        guard enterTable(connection, link, at: now) else { return }
        begin(connection, link, in: index, at: now)
    }

    /// False when there is no room for a link of this device. Those that no roster lists have room of their
    /// own, in which the newest displace the oldest, and never take that of listed ones.
    private mutating func makeRoom(for peer: DeviceID, at now: Instant) -> Bool {
        let unlisted = links.connections.linkHandles.filter { !isMember(links[$0].device) }
        if isMember(peer) { return links.connections.table.count - unlisted.count < MeshLimits.linksMax }
        // By connection where they began together.
        let oldest = unlisted.enumerated().map { (links[$1].begun, $0, $1) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        for (_, _, link) in oldest.prefix(max(0, oldest.count + 1 - MeshLimits.unlistedLinksMax)) {
            close(
                link, .overloaded, "\(MeshLimits.unlistedLinksMax) devices that no roster lists are linked",
                at: now)
        }
        return true
    }

    private mutating func linkedToOurselves(
        _ connection: ConnectionHandle, _ link: EstablishedLink, at now: Instant
    ) {
        if link.peer.instance != instance {
            copySeen(
                of: device, "this device's key is in use by another running node",
                hint: "stop one of the two, or make the copy a device of its own: repld --new-identity",
                at: now)
        } else if let address = links[connection].purpose.address {
            reachability.recordOwn(address)
        }
        close(connection, .ownDevice, "this is the dialling device itself", at: now)
    }

    /// False when another link to the device stays and this one was closed.
    private mutating func enterTable(
        _ connection: ConnectionHandle, _ link: EstablishedLink, at now: Instant
    ) -> Bool {
        guard let verdict = links.connections.enter(connection, link, at: now) else {
            close(
                connection, .overloaded, "\(MeshLimits.instancesLinkedMax) copies of this device are linked",
                at: now)
            return false
        }
        if let address = links[connection].purpose.address {
            reachability.recordDialSuccess(
                address, device: link.peer.device, space: link.space, at: now)
        }
        guard verdict.isAccepted else {
            close(connection, .replaced, "another link to this device stays", at: now)
            return false
        }
        for old in verdict.close.compactMap({ links.connections.handle(of: $0) }) {
            close(old, .replaced, "a newer link to this device stays", at: now)
        }
        for old in verdict.probe.compactMap({ links.connections.link(of: $0) }) {
            let token = links[old].liveness.ask(at: now.monotonic)
            links[old].cloneProbe = token
            send([ping(token, at: now)], on: old)
        }
        return true
    }

    /// `index` nil: a space that was left, on which only that is spoken of.
    private mutating func begin(
        _ connection: ConnectionHandle, _ established: EstablishedLink, in index: SpaceHandle?,
        at now: Instant
    ) {
        let peer = established.peer.device
        let link = links.connections.begin(connection, established, at: now)
        let allowed = index.map { standing(of: peer, in: $0, at: now) } ?? leavingStanding(at: now)
        let channel = links.connections.open(0, for: established.space, allowed, on: link)
        reachability.recordLinked(peer, at: now)
        links.recordState(of: peer, "connected", at: now)
        if isMember(peer) { recordMember(link, at: now) }
        if let index, case .mesh(let epoch) = established.use {
            recordEpoch(epoch, of: peer, in: index)
        }
        beginChannel(channel, at: now)
        openChannels(on: link, at: now)
        // For the round trip, and for the peer to compare its clock. A peer that no roster lists gets roster
        // frames only.
        guard links[channel].isFull else { return }
        let token = links[link].liveness.ask(at: now.monotonic)
        send([ping(token, at: now)], on: link)
    }

    /// A listed device is linked, or the device of a link was listed just now. Of others nothing is kept,
    /// said or compared: there may be any number of them.
    mutating func recordMember(_ link: LinkHandle, at now: Instant) {
        let device = links[link].device
        links.recordLevel(of: links[link].connection)
        reachability.recordMemberLink(device, instance: links[link].instance, at: now)
        batch.log(.info, "link-up", "linked to \(named(device))")
        checkClock(device, links[link].clockOffset, at: now)
    }

    /// What the peer may say in a space.
    func standing(of peer: DeviceID, in index: SpaceHandle, at now: Instant) -> SpaceChannel.PeerStanding {
        if spaces[index].roster.role(of: peer) != nil { return .full }
        if spaces[index].roster.isRemoved(peer) { return farewell(at: now) }
        return .provisional(
            bytesLeft: MeshLimits.provisionalBytes,
            deadline: now.monotonic + MeshLimits.provisionalMilliseconds)
    }

    /// The first words on a channel: which roster operations are held.
    mutating func beginChannel(_ channel: ChannelHandle, at now: Instant) {
        // Of a space that was left only the peer says what it holds.
        guard let index = spaces.handle(of: links[channel].space) else { return }
        send([rosterHave(of: index, on: links[channel].number)], on: links[channel].link)
    }

    /// Opens what is shared beyond channel 0. The initiator begins; the other side opens what it learns of
    /// later.
    mutating func openChannels(on link: LinkHandle, at now: Instant) {
        for index in spaces.indices {
            let number = links[link].nextChannel
            guard links.connections.channel(of: spaces[index].id, on: link) == nil,
                spaces[index].roster.role(of: links[link].device) != nil, number < .max - 2
            else { continue }
            links[link].nextChannel = number + 2
            openChannel(number, of: index, on: link, at: now)
        }
        openLeavingChannels(on: link, at: now)
    }

    /// Opens one of our channels, or says again that it is open.
    mutating func openChannel(_ number: UInt16, of index: SpaceHandle, on link: LinkHandle, at now: Instant) {
        let tag = LinkKeys.openTag(
            accessSecret: spaces[index].keys.current.access, handshakeHash: links[link].handshakeHash,
            role: links[link].role)
        let standing = standing(of: links[link].device, in: index, at: now)
        let channel = links.connections.open(number, for: spaces[index].id, standing, on: link)
        send(
            [LinkFrame(type: OpenFrame.type, channel: number, body: OpenFrame(tag: tag).encoded())], on: link)
        beginChannel(channel, at: now)
    }

    /// Somebody with an invite of ours is linked.
    mutating func admitting(
        _ connection: ConnectionHandle, _ link: EstablishedLink, _ invite: InviteID, at now: Instant
    ) {
        guard let index = spaces.handle(of: link.space) else {
            return close(connection, .done, "the space was left", at: now)
        }
        let refusal = spaces[index].invites.refusal(
            of: invite, to: link.peer.device, in: spaces[index].roster, at: now)
        if let refusal { return refuse(connection, refusal, at: now) }
        links[connection].phase = .admitting(
            deadline: now.monotonic + MeshLimits.provisionalMilliseconds, hasProved: false)
    }

    mutating func refuse(
        _ connection: ConnectionHandle, _ refusal: JoinRefusal, at now: Instant
    ) {
        close(connection, CloseCode(rawValue: refusal.closeCode), refusal.message, at: now)
    }
}

// The handshake is complete: who is at the other end is proved. Whether it belongs here, and which of several
// links stays, is decided now.

import Causality
import Crypto
import Identity
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    mutating func established(_ id: ConnectionID, _ link: EstablishedLink, at now: Instant) {
        guard let connection = links.connections[id] else { return }
        switch (link.use, connection.purpose) {
        case (.join(let invite), .accepted): return admitting(id, link, InviteID(raw: invite), at: now)
        case (.join, .join(_, let request)): return proveInvite(id, link, request, at: now)
        case (.mesh, .accepted), (.mesh, .mesh), (.mesh, .tell): break
        default: return close(id, .protocolFault, "a link of another profile", at: now)
        }
        // 1. Ourselves: by another way, or in a second place.
        if link.peer.device == device { return linkedToOurselves(id, link, at: now) }
        // 2. Devices that are refused, and the limit of links.
        if let refusal = links.faults.refusal(of: link.peer.device, at: now.monotonic) {
            let seconds = (refusal.until - now.monotonic + 999) / 1_000
            return close(id, .overloaded, "refused for \(seconds) s: \(refusal.reason)", at: now)
        }
        guard makeRoom(for: link.peer.device, at: now) else {
            return close(id, .overloaded, "\(MeshLimits.linksMax) links are open", at: now)
        }
        let index = spaces.handle(of: link.space)
        guard index != nil || left.index(of: link.space) != nil else {
            return close(id, .done, "the space was left", at: now)
        }
        // 3. One of two links to a device.
        guard enterTable(id, link, at: now) else { return }
        begin(id, link, in: index, at: now)
    }

    /// False when there is no room for a link of this device. Those that no roster lists have room of their
    /// own, in which the newest displace the oldest, and never take that of listed ones.
    private mutating func makeRoom(for peer: DeviceID, at now: Instant) -> Bool {
        let unlisted = links.connections.values.filter { connection in
            connection.link.map { !isMember($0.device) } ?? false
        }
        if isMember(peer) { return links.table.count - unlisted.count < MeshLimits.linksMax }
        let oldest = unlisted.map { ($0.link?.begun ?? 0, $0.id) }.sorted { $0 < $1 }
        for (_, id) in oldest.prefix(max(0, oldest.count + 1 - MeshLimits.unlistedLinksMax)) {
            close(
                id, .overloaded, "\(MeshLimits.unlistedLinksMax) devices that no roster lists are linked",
                at: now)
        }
        return true
    }

    private mutating func linkedToOurselves(_ id: ConnectionID, _ link: EstablishedLink, at now: Instant) {
        if link.peer.instance != instance {
            raise(
                Alarm(
                    code: "cloned",
                    message: "this device's key is in use by another running node",
                    hint: "stop one of the two, or give the copy a key of its own", since: now.wall,
                    device: device))
        } else if let address = links.connections[id]?.purpose.address {
            links.ownAddresses.insert(address)
            links.book.markOwn(address)
        }
        close(id, .ownDevice, "this is the dialling device itself", at: now)
    }

    /// False when another link to the device stays and this one was closed.
    private mutating func enterTable(_ id: ConnectionID, _ link: EstablishedLink, at now: Instant) -> Bool {
        let silent = Set(
            links.table.links(to: link.peer.device).map(\.connection).filter {
                links.connections[$0]?.link?.liveness.isSilent(at: now.monotonic) ?? true
            })
        let others = links.table.links(to: link.peer.device).count {
            $0.instance != link.peer.instance && !silent.contains($0.connection)
        }
        guard others < MeshLimits.instancesLinkedMax else {
            close(id, .overloaded, "\(others) copies of this device are linked", at: now)
            return false
        }
        let verdict = links.table.enter(
            id, peer: link.peer.device, instance: link.peer.instance, isInitiator: link.role == .initiator,
            isSilent: silent.contains)
        if let address = links.connections[id]?.purpose.address { proved(address, link, at: now) }
        guard verdict.isAccepted else {
            close(id, .replaced, "another link to this device stays", at: now)
            return false
        }
        for old in verdict.close { close(old, .replaced, "a newer link to this device stays", at: now) }
        for old in verdict.probe {
            guard let token = links.connections[old]?.link?.liveness.ask(at: now.monotonic) else { continue }
            links.connections[old]?.link?.cloneProbe = token
            send([ping(token, at: now)], on: old)
        }
        return true
    }

    /// The address leads to the device, under this space's key.
    private mutating func proved(_ address: PeerAddress, _ link: EstablishedLink, at now: Instant) {
        links.book.proved(address, device: link.peer.device, at: now.wall)
        for name in links.names.names(of: address) where links.book[name]?.device == nil {
            links.book.assign(name, to: link.peer.device)
        }
        links.addressesVersion += 1
        links.keyOfAddress[address] = link.space
        links.keyTurns[address] = nil
        links.dialer.succeeded(address)
    }

    /// `index` nil: a space that was left, on which only that is spoken of.
    private mutating func begin(
        _ id: ConnectionID, _ link: EstablishedLink, in index: SpaceHandle?, at now: Instant
    ) {
        let peer = link.peer.device
        let offset = Int64(clamping: link.peer.wallMilliseconds) &- Int64(clamping: now.wall)
        var state = PeerLink(
            device: peer, instance: link.peer.instance, handshakeHash: link.handshakeHash, role: link.role,
            begun: now.monotonic, liveness: Liveness(links.times, at: now.monotonic),
            nextChannel: link.role == .initiator ? 2 : 1,
            clockOffset: offset)
        let allowed = index.map { standing(of: peer, in: $0, at: now) } ?? leavingStanding(at: now)
        state.channels[0] = SpaceChannel(space: link.space, standing: allowed)
        links.connections[id]?.link = state
        links.linkedAt[peer] = now.monotonic
        links.counters.linksOpened += 1
        noteState(of: peer, "connected", at: now)
        if isMember(peer) { noteMember(state, at: now) }
        beginChannel(0, on: id, at: now)
        openChannels(on: id, at: now)
        // For the round trip, and for the peer to compare its clock. A peer that no roster lists gets roster
        // frames only.
        guard links.connections[id]?.link?.channels[0]?.isFull == true,
            let token = links.connections[id]?.link?.liveness.ask(at: now.monotonic)
        else { return }
        send([ping(token, at: now)], on: id)
    }

    /// A listed device is linked, or the device of a link was listed just now. Of others nothing is kept,
    /// said or compared: there may be any number of them.
    mutating func noteMember(_ link: PeerLink, at now: Instant) {
        links.discovery.ledger.linked(link.device, instance: link.instance, at: now.monotonic)
        batch.log(.info, "link-up", "linked to \(link.device.text)")
        checkClock(link.device, link.clockOffset, at: now)
    }

    /// What the peer may say in a space.
    func standing(of peer: DeviceID, in index: SpaceHandle, at now: Instant) -> SpaceChannel.Standing {
        spaces[index].roster.role(of: peer) != nil
            ? .full
            : .provisional(
                bytesLeft: MeshLimits.provisionalBytes,
                deadline: now.monotonic + MeshLimits.provisionalMilliseconds)
    }

    /// The first words on a channel: which roster operations are held.
    mutating func beginChannel(_ number: UInt16, on id: ConnectionID, at now: Instant) {
        guard let space = links.connections[id]?.link?.channels[number]?.space,
            let index = spaces.handle(of: space)
        else { return }
        send([rosterHave(of: index, on: number)], on: id)
    }

    /// Opens what is shared beyond channel 0. The initiator begins; the other side opens what it learns of
    /// later.
    mutating func openChannels(on id: ConnectionID, at now: Instant) {
        guard let link = links.connections[id]?.link else { return }
        for space in spaces {
            guard link.channel(of: space.id) == nil, space.roster.role(of: link.device) != nil,
                let number = links.connections[id]?.link?.nextChannel, number < .max - 2
            else { continue }
            links.connections[id]?.link?.nextChannel = number + 2
            guard let index = spaces.handle(of: space.id) else { continue }
            openChannel(number, of: index, on: id, at: now)
        }
        openLeavingChannels(on: id, at: now)
    }

    /// Opens one of our channels, or says again that it is open.
    mutating func openChannel(_ number: UInt16, of index: SpaceHandle, on id: ConnectionID, at now: Instant) {
        guard let link = links.connections[id]?.link else { return }
        let space = spaces[index]
        let tag = LinkKeys.openTag(
            accessSecret: space.keys.current.access, handshakeHash: link.handshakeHash, role: link.role)
        let standing = standing(of: link.device, in: index, at: now)
        links.connections[id]?.link?.channels[number] = SpaceChannel(space: space.id, standing: standing)
        send(
            [LinkFrame(type: OpenFrame.type, channel: number, body: OpenFrame(tag: tag).encoded())], on: id)
        beginChannel(number, on: id, at: now)
    }
}

// Whom to dial and when, and what time does to links. A node without a space dials nobody except to join.

import Bytes
import Causality
import Crypto
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// The value's links at its start: addresses of the last run and those of the configuration.
    mutating func openLinks(at now: Instant) throws(StoreFailure) {
        if let bytes = try store.meta(NodeMeta.addresses) {
            do throws(DecodeFault) {
                links.book = try AddressBook(decoding: bytes)
            } catch {
                batch.log(
                    .warning, "address-book",
                    "the stored addresses cannot be read (\(error)); peers tell them anew")
            }
        }
        takeStaticPeers()
        for index in spaces.indices { learnAddresses(of: index) }
    }

    /// Starts the dials that are due.
    mutating func dialDue(at now: Instant) {
        guard !spaces.isEmpty, !links.isStopping, now.monotonic >= links.nextDialCheck else { return }
        let candidates = dialCandidates(at: now)
        for address in links.dialer.start(candidates, at: now.monotonic) {
            guard let space = spaceToDial(address) else {
                links.dialer.failed(address, reason: "no space shared", at: now.monotonic)
                continue
            }
            dial(address, for: .mesh(address, space))
        }
        // A refused device, or one that a roster lists later, is looked at again without an event.
        links.nextDialCheck = min(
            links.dialer.deadline(candidates) ?? .max, viewsDeadline ?? .max, now.monotonic + 30_000)
    }

    mutating func dial(_ address: PeerAddress, for purpose: ConnectionPurpose) {
        let id = links.nextDial
        links.nextDial = ConnectionID(id.value + 1)
        links.dials[id] = PendingDial(address: address, purpose: purpose)
        batch.emit(.dial(id, address.string))
    }

    /// Addresses worth a dial: fixed ones and hints, and those of members that are not linked; ascending.
    private mutating func dialCandidates(at now: Instant) -> [PeerAddress] {
        var busy: Set<DeviceID> = []
        for address in links.dials.values.map(\.address)
            + links.connections.values.compactMap(\.purpose.address)
        {
            if let device = links.book[address]?.device { busy.insert(device) }
        }
        let wanted = wantedPeers(at: now)
        return links.book.addresses.filter { address in
            guard let entry = links.book[address], !links.ownAddresses.contains(address) else { return false }
            guard let peer = entry.device else { return entry.source != .announced }
            guard peer != device, !links.table.isLinked(to: peer), !busy.contains(peer),
                links.faults.refusal(of: peer, at: now.monotonic) == nil
            else { return false }
            return entry.source == .fixed || wanted.contains(peer)
        }
    }

    func isMember(_ peer: DeviceID) -> Bool { spaces.contains { $0.roster.role(of: peer) != nil } }

    // MARK: Time

    /// What is due on links, joins and the address book.
    mutating func tickLinks(at now: Instant) {
        for id in links.connectionIDs {
            guard let connection = links.connections[id] else { continue }
            if connection.secure.deadline != nil {
                take(links.connections[id]?.secure.tick(at: now) ?? [], of: id, at: now)
            } else if let deadline = connection.proofDeadline, now.monotonic >= deadline {
                close(id, .silent, "no proof of the invite came", at: now)
            } else if connection.link != nil {
                tickLink(id, at: now)
            }
        }
        tickViews(at: now)
        tickJoins(at: now)
        guard links.book.isChanged, now.monotonic >= links.nextBookWrite else { return }
        do throws(StoreFailure) {
            try batch.write(&store)
            try store.setMeta(NodeMeta.addresses, links.book.encode())
            links.book.markStored()
            links.nextBookWrite = now.monotonic + 10_000
        } catch {
            batch.fail(error)
        }
    }

    private mutating func tickLink(_ id: ConnectionID, at now: Instant) {
        switch links.connections[id]?.link?.liveness.check(at: now.monotonic) {
        case .dead: return close(id, .silent, "nothing was heard for 30 s", at: now)
        case .ping(let token): send([Self.ping(token)], on: id)
        case .fine, nil: break
        }
        for number in links.connections[id]?.link?.channelNumbers ?? [] {
            guard
                case .provisional(_, let deadline)? = links.connections[id]?.link?.channels[number]?.standing,
                now.monotonic >= deadline
            else { continue }
            if number == 0 { return close(id, .notMember, "the roster does not list this device", at: now) }
            links.connections[id]?.link?.channels[number] = nil
        }
    }

    /// When `tickLinks`, `dialDue` or `pump` have something to do.
    var linksDeadline: UInt64? {
        var next: UInt64? =
            spaces.isEmpty || links.isStopping || links.nextDialCheck == .max ? nil : links.nextDialCheck
        func take(_ moment: UInt64?) {
            if let moment { next = min(next ?? .max, moment) }
        }
        for connection in links.connections.values {
            take(connection.secure.deadline)
            take(connection.proofDeadline)
            guard let link = connection.link else { continue }
            take(link.liveness.deadline)
            for channel in link.channels.values {
                take(channel.sync.resendAt)
                take(digestDeadline(channel))
                take(haveDeadline(channel))
                take(rateDeadline(channel, link))
                if case .provisional(_, let deadline) = channel.standing { take(deadline) }
            }
        }
        for space in spaces { take(gossipDeadline(of: space.id)) }
        take(viewsDeadline)
        for join in links.joins.values { take(join.deadline) }
        if links.book.isChanged { take(links.nextBookWrite) }
        return next
    }
}

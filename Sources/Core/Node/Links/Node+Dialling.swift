// Whom to dial and when. A node without a space dials nobody except to join or to leave. Candidates are the
// addresses of members that are not linked, or whose links have not answered a PING lately; several addresses
// of one device are tried in the order of their likelihood, a little apart (`Dialer`).

import Bytes
import Causality
import Mesh
import Roster
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
        guard isDialling, now.monotonic >= links.nextDialCheck else { return }
        let candidates = dialCandidates(at: now)
        for address in links.dialer.start(candidates, at: now.monotonic) {
            if address.isName {
                if links.names.begin(address) { batch.emit(.resolve(host: address.host)) }
            } else if let space = spaceToDial(address) {
                links.book.tried(address, at: now.wall)
                dial(address, for: .mesh(address, space))
            } else {
                dialEnded(address, "no space is shared with it", at: now)
            }
        }
        // A refused device, or one that a roster lists later, is looked at again without an event.
        links.nextDialCheck = min(
            links.dialer.deadline(candidates) ?? .max, viewsDeadline ?? .max, now.monotonic + 30_000)
    }

    /// A node that is in no space dials nobody, but to tell that it left one.
    var isDialling: Bool { !(spaces.isEmpty && left.leaving.isEmpty) && !links.isStopping }

    mutating func dial(_ address: PeerAddress, for purpose: ConnectionPurpose) {
        let id = links.nextDial
        links.nextDial = ConnectionID(id.value + 1)
        links.dials[id] = PendingDial(address: address, purpose: purpose)
        batch.emit(.dial(id, address.string))
    }

    /// Addresses worth a dial: the first of each device, then the second of each, and so on.
    private mutating func dialCandidates(at now: Instant) -> [DialCandidate] {
        let linked = wellLinked(at: now)
        var wanted = wantedPeers(at: now)
        // Those whose links do not answer, and those to be told that this device left.
        wanted.formUnion(links.connections.table.peers)
        for space in left.leaving {
            for member in space.roster.members() where member.state == .active {
                wanted.insert(member.device)
            }
        }
        let networks = Set(listening.compactMap { PeerAddress($0)?.network })
        let isNear = { (address: PeerAddress) in address.network.map(networks.contains) ?? false }
        var ranked: [(place: Int, candidate: DialCandidate)] = []
        for device in links.book.devices where device != self.device && !linked.contains(device) {
            guard links.faults.refusal(of: device, at: now.monotonic) == nil else { continue }
            let isWanted = wanted.contains(device)
            var place = 0
            for address in links.book.addresses(of: device, near: isNear)
            where isDialled(address) && (isWanted || links.book[address]?.source == .fixed) {
                let isHearsay = links.book.source(of: address, for: device) == .relayed
                ranked.append((place, DialCandidate(address, device: device, isHearsay: isHearsay)))
                place += 1
            }
        }
        for address in links.book.unassigned where isDialled(address) {
            guard let source = links.book[address]?.source, source >= .hint else { continue }
            let means = links.names[address]?.addresses ?? []
            let isThere = { (address: PeerAddress) in
                links.book[address]?.device.map(linked.contains) ?? false
            }
            if !means.isEmpty, means.allSatisfy(isThere) { continue }
            ranked.append((0, DialCandidate(address)))
        }
        return ranked.enumerated().sorted { ($0.1.place, $0.0) < ($1.1.place, $1.0) }.map(\.1.candidate)
    }

    /// Not ours, as far as is known, and somebody may be there.
    private func isDialled(_ address: PeerAddress) -> Bool {
        !links.ownAddresses.contains(address) && !listening.contains(address.string)
            && address.whyNotDialled == nil
    }

    /// Devices with a link that answers.
    func wellLinked(at now: Instant) -> Set<DeviceID> {
        var devices: Set<DeviceID> = []
        for link in links.connections.linkHandles where !links[link].liveness.isDoubtful(at: now.monotonic) {
            devices.insert(links[link].device)
        }
        return devices
    }

    func isMember(_ peer: DeviceID) -> Bool {
        spaces.contains { $0.roster.role(of: peer) != nil }
            || left.leaving.contains { $0.roster.role(of: peer) != nil }
    }

    // MARK: What came of dials

    /// A dial or its handshake came to nothing.
    mutating func dialEnded(_ address: PeerAddress, _ reason: String, at now: Instant) {
        links.book.failed(address, reason: reason, at: now.wall)
        links.dialer.failed(address, bound: backOffBound(of: address), at: now.monotonic)
        links.nextDialCheck = 0
    }

    /// The greatest wait before an address is dialled again (decision 0053): who was linked lately, in this
    /// run or in one that ended a moment ago, is away for a moment only, more often than not.
    func backOffBound(of address: PeerAddress) -> UInt64 {
        let isExpectedSoon = links.book.devices(at: address).contains { device in
            if let linked = links.linkedAt[device], links.clock < linked + MeshLimits.recentMilliseconds {
                return true
            }
            return links.clock < links.started + MeshLimits.recentMilliseconds
                && links.book.addresses(of: device).contains { links.book[$0]?.lastSuccess != nil }
        }
        return isExpectedSoon ? MeshLimits.backOffRecentMax : MeshLimits.backOffMax
    }

    /// A lookup ended. Its addresses are dialled as their own back-off says; the name itself is looked up
    /// again after its own.
    mutating func resolved(_ host: String, _ hosts: [String], failure: String?, at now: Instant) {
        for (name, means, gone) in links.names.answer(host, hosts, failure: failure, at: now.wall) {
            for address in gone { links.book.unname(address) }
            for address in means {
                links.book.add(address, device: links.book[name]?.device, source: .named)
            }
            // Who is known to be there is known by the name too.
            let proven = means.filter { links.book[$0]?.lastSuccess != nil }
            let owners = Set(proven.compactMap { links.book[$0]?.device })
            if let owner = owners.first, owners.count == 1, links.book[name]?.device == nil {
                links.book.assign(name, to: owner)
            }
            links.dialer.failed(name, bound: backOffBound(of: name), at: now.monotonic)
        }
        links.nextDialCheck = 0
    }

    /// There is news of a device: whatever waits for it is due.
    mutating func expect(_ device: DeviceID) {
        for address in links.book.addresses(of: device) { links.dialer.reset(address) }
        links.nextDialCheck = 0
    }

    /// A beacon of a member came from this address: only a hint to dial.
    mutating func heardBeacon(of peer: DeviceID, from address: PeerAddress) {
        guard peer != device, isMember(peer) else { return }
        links.book.hear(address, of: peer)
        if links.connections.table.isLinked(to: peer) { return }
        expect(peer)
    }
}

// Whom to dial and when. Candidates are the addresses of devices that are wanted and not linked, or whose
// links have not answered a PING lately; several addresses of one device are tried in the order of their
// likelihood, a little apart (`Dialer`).

import Causality
import Mesh
import Wire

/// Whom the node wants to reach, as its spaces and links are now.
struct DialTargets: Sendable {
    /// Devices with a link that answers: not dialled.
    let linked: Set<DeviceID>
    /// Devices worth a dial. Static peers are wanted whatever this says.
    let wanted: Set<DeviceID>
    /// The spaces of this node.
    let spaces: [SpaceID]
    /// When time makes other devices wanted.
    let changesAt: UInt64?
}

extension Reachability {
    /// `startDials` may have something to do.
    func isDialCheckDue(at now: Instant) -> Bool { now.monotonic >= nextDialCheck }

    /// Something happened that may make an address due.
    mutating func checkDials() { nextDialCheck = 0 }

    /// Something happened that may make an address due at this moment.
    mutating func checkDials(by moment: UInt64) { nextDialCheck = min(nextDialCheck, moment) }

    /// The dials and lookups that are due. `spacesShared` gives the spaces whose keys may open an address
    /// behind which this device is expected; nil: nobody knows who is there.
    mutating func startDials(
        _ targets: DialTargets, spacesShared: (DeviceID?) -> [SpaceID], at now: Instant
    ) -> [ReachabilityAction] {
        let candidates = dialCandidates(targets, at: now)
        var actions: [ReachabilityAction] = []
        for address in dialer.start(candidates, at: now.monotonic) {
            if address.isName {
                if names.begin(address) { actions.append(.resolve(host: address.host)) }
            } else if let space = spaceToDial(address, targets, spacesShared) {
                book.tried(address, at: now.wall)
                actions.append(.dial(address, space))
            } else {
                recordDialFailure(address, "no space is shared with it", at: now)
            }
        }
        // A refused device, or one that a roster lists later, is looked at again without an event.
        nextDialCheck = min(
            dialer.deadline(candidates) ?? .max, targets.changesAt ?? .max, now.monotonic + 30_000)
        return actions
    }

    /// Addresses worth a dial: the first of each device, then the second of each, and so on.
    private func dialCandidates(_ targets: DialTargets, at now: Instant) -> [DialCandidate] {
        let networks = Set(listening.compactMap { PeerAddress($0)?.network })
        let isNear = { (address: PeerAddress) in address.network.map(networks.contains) ?? false }
        var ranked: [(rank: Int, candidate: DialCandidate)] = []
        for device in book.devices where device != self.device && !targets.linked.contains(device) {
            guard refusal(of: device, at: now) == nil else { continue }
            let isWanted = targets.wanted.contains(device)
            var rank = 0
            for address in book.addresses(of: device, near: isNear)
            where isDialled(address) && (isWanted || isFixed(address)) {
                let isHearsay = book.source(of: address, for: device) == .relayed
                ranked.append((rank, DialCandidate(address, device: device, isHearsay: isHearsay)))
                rank += 1
            }
        }
        for address in book.unassigned where isDialled(address) {
            guard let source = book[address]?.source, source >= .hint else { continue }
            let means = names[address]?.addresses ?? []
            let isThere = { (address: PeerAddress) in
                book[address]?.device.map(targets.linked.contains) ?? false
            }
            if !means.isEmpty, means.allSatisfy(isThere) { continue }
            ranked.append((0, DialCandidate(address)))
        }
        return ranked.enumerated().sorted { ($0.1.rank, $0.0) < ($1.1.rank, $1.0) }.map(\.1.candidate)
    }

    /// Not ours, as far as is known, and somebody may be there.
    private func isDialled(_ address: PeerAddress) -> Bool {
        !isOwn(address) && address.whyNotDialled == nil
    }

    /// The configuration names it.
    func isFixed(_ address: PeerAddress) -> Bool { book[address]?.source == .fixed }

    /// The space under whose key an address is dialled next: the one that opened it last, else each in turn.
    private func spaceToDial(
        _ address: PeerAddress, _ targets: DialTargets, _ spacesShared: (DeviceID?) -> [SpaceID]
    ) -> SpaceID? {
        if let known = keys.space(of: address), targets.spaces.contains(known) { return known }
        let shared = spacesShared(book[address]?.device)
        return shared.isEmpty ? nil : shared[keys.turn(of: address) % shared.count]
    }

    // MARK: What came of dials

    /// A dial or its handshake came to nothing.
    mutating func recordDialFailure(_ address: PeerAddress, _ reason: String, at now: Instant) {
        book.failed(address, reason: reason, at: now.wall)
        dialer.failed(address, bound: backOffBound(of: address, at: now), at: now.monotonic)
        checkDials()
    }

    /// The dial led to a device that is linked already. That link may be one that does not answer: the
    /// address is not dialled again at once.
    mutating func recordReplacedDial(_ address: PeerAddress, at now: Instant) {
        dialer.failed(address, bound: backOffBound(of: address, at: now), at: now.monotonic)
    }

    /// Our key did not fit. True when another one may: it is tried at once, as part of the same attempt.
    mutating func tryNextKey(of address: PeerAddress, keyCount: Int) -> Bool {
        guard keys.advance(address, keyCount: keyCount) else { return false }
        dialer.released(address)
        return true
    }

    /// The address leads to the device, under this space's key.
    mutating func recordDialSuccess(
        _ address: PeerAddress, device: DeviceID, space: SpaceID, at now: Instant
    ) {
        precondition(device != self.device, "\(address) leads to this device")
        book.proved(address, device: device, at: now.wall)
        for name in names.names(of: address) where book[name]?.device == nil {
            book.assign(name, to: device)
        }
        recordNews()
        keys.recordOpened(address, by: space)
        dialer.succeeded(address)
    }

    /// The address leads to this device.
    mutating func recordOwn(_ address: PeerAddress) {
        ownAddresses.insert(address)
        book.markOwn(address)
    }

    /// A link that we had dialled is over; `begun` is when it was established. `isUnwanted`: the peer said
    /// that we are no member any more.
    mutating func recordLinkEnd(
        of device: DeviceID, at address: PeerAddress, begun: UInt64, isUnwanted: Bool, reason: String,
        now: Instant
    ) {
        precondition(begun <= now.monotonic, "a link to \(address) ends at \(now.monotonic), before \(begun)")
        recordLinked(device, at: now)
        book.wasUsed(address, at: now.wall)
        book.failed(address, reason: reason, at: now.wall)
        dialer.linkEnded(
            address, wasUseful: !isUnwanted && now.monotonic >= begun + MeshLimits.usefulMilliseconds,
            bound: isUnwanted ? MeshLimits.backOffMax : backOffBound(of: address, at: now),
            at: now.monotonic)
    }

    /// The greatest wait before an address is dialled again (decision 0053): a device that was linked
    /// lately, in this run or in one that ended a moment ago, is away for a moment only, more often than
    /// not.
    private func backOffBound(of address: PeerAddress, at now: Instant) -> UInt64 {
        let isExpectedSoon = book.devices(at: address).contains { device in
            if let linked = linkedAt[device], now.monotonic < linked + MeshLimits.recentMilliseconds {
                return true
            }
            return now.monotonic < started + MeshLimits.recentMilliseconds
                && book.addresses(of: device).contains { book[$0]?.lastSuccess != nil }
        }
        return isExpectedSoon ? MeshLimits.backOffRecentMax : MeshLimits.backOffMax
    }

    /// A lookup ended. Its addresses are dialled as their own back-off says; the name itself is looked up
    /// again after its own.
    mutating func resolved(_ host: String, _ hosts: [String], failure: String?, at now: Instant) {
        for (name, means, gone) in names.answer(host, hosts, failure: failure, at: now.wall) {
            for address in gone { book.unname(address) }
            for address in means { book.add(address, device: book[name]?.device, source: .named) }
            // A device that is known to be at these addresses is known by the name too.
            let proven = means.filter { book[$0]?.lastSuccess != nil }
            let owners = Set(proven.compactMap { book[$0]?.device })
            if let owner = owners.first, owners.count == 1, book[name]?.device == nil {
                book.assign(name, to: owner)
            }
            dialer.failed(name, bound: backOffBound(of: name, at: now), at: now.monotonic)
        }
        checkDials()
    }

    // MARK: What makes addresses due

    /// The network changed: what led to ourselves may lead to others.
    mutating func forgetOwnAddresses() { ownAddresses = [] }

    /// The network changed, the machine slept, or a space was gained: all that waits may be dialled at once.
    mutating func resetBackOff() {
        dialer.reset()
        checkDials()
    }

    /// There is news of a device: all of its addresses may be dialled at once.
    mutating func resetBackOff(of device: DeviceID) {
        for address in book.addresses(of: device) { dialer.reset(address) }
        checkDials()
    }
}

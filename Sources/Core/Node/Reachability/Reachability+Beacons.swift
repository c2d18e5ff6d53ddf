// Beacons: what this node sends on its networks, and what becomes of what it hears there (DESIGN 10). A
// beacon that counts makes one address worth a dial and does nothing else; no datagram is ever answered.
// What a recorded one can cause at most stands in `BeaconLedger`.

import Bytes
import Causality
import Crypto
import Mesh
import Roster
import Wire

/// What beacons need of the node's spaces. It lives for one call.
struct BeaconSpaces {
    /// Ascending by space.
    let epochs: [SpaceEpochs]
    /// Access secrets of a space, the current one first.
    let secrets: (SpaceID) -> [Secret]
    /// Nil for a space that this node is not in.
    let roster: (SpaceID) -> Roster?
}

extension Reachability {
    // MARK: Sending

    /// The shell says what the machine's networks are now.
    mutating func update(_ networks: LocalNetworks, at now: Instant) -> [ReachabilityAction] {
        let hasNewRoute = !Set(networks.routes).subtracting(discovery.networks.routes).isEmpty
        let problems = networks.problems.filter { !discovery.networks.problems.contains($0) }
        discovery.networks = networks
        if hasNewRoute { announce(at: now) }
        return problems.map { .log(.warning, code: "discovery", message: $0) }
    }

    /// There is news that others should hear of soon: a few fast beacons. A node that cannot send any has to
    /// begin with all three when it can: a space or a route is news then.
    mutating func announce(at now: Instant) {
        guard isDiscoverable, !discovery.networks.routes.isEmpty else { return }
        discovery.schedule.announce(at: now.monotonic)
    }

    /// The beacons that are due: one for each space on each route, with a nonce and a counter each.
    mutating func dueBeacons(
        _ spaces: BeaconSpaces, entropy: inout Entropy, at now: Instant
    ) -> [ReachabilityAction] {
        if discovery.updateKeys(spaces.epochs, spaces.secrets) {
            announce(at: now)
        }
        guard isDiscoverable, !discovery.networks.routes.isEmpty,
            discovery.schedule.take(at: now.monotonic)
        else { return [] }
        var actions: [ReachabilityAction] = []
        for key in discovery.keys where key.isCurrent {
            let tag = key.tag(of: device)
            for route in discovery.networks.routes {
                discovery.counter += 1
                let beacon = Beacon(
                    deviceTag: tag, instance: instance, counter: discovery.counter, port: route.port)
                let datagram = beacon.sealed(under: key.key, nonce: entropy.bytes(XChaCha.nonceBytes))
                discovery.sent.insert(datagram)
                discovery.counts.sent += 1
                actions.append(.beacon(datagram, on: route))
            }
        }
        return actions
    }

    // MARK: Hearing

    /// A datagram came. `sender` is "ip:port", of a link-local address with its scope. `linkedInstances`
    /// gives the processes of a device that are linked.
    mutating func heard(
        _ datagram: [UInt8], from sender: String, _ spaces: BeaconSpaces,
        linkedInstances: (DeviceID) -> [UInt64], at now: Instant
    ) -> [ReachabilityAction] {
        var actions: [ReachabilityAction] = []
        guard let host = acceptedHost(datagram, from: sender, at: now) else { return [] }
        if discovery.senders.insert(host, at: now.monotonic) { actions.append(.trySender(host: host)) }
        guard Beacon.hasForm(datagram) else {
            discovery.counts.malformed += 1
            return actions
        }
        _ = discovery.updateKeys(spaces.epochs, spaces.secrets)
        discovery.counts.processed += 1
        do throws(DecodeFault) {
            if let (beacon, key) = try open(datagram) {
                actions += dispatch(
                    beacon, underKey: key, from: host, spaces, linkedInstances, at: now)
            } else {
                discovery.counts.foreign += 1
            }
        } catch {
            discovery.counts.malformed += 1
        }
        return actions
    }

    /// The host that sent a datagram which is looked at; nil for one that is dropped unread.
    private mutating func acceptedHost(_ datagram: [UInt8], from sender: String, at now: Instant) -> String? {
        guard datagram.count == Beacon.byteCount else {
            discovery.counts.malformed += 1
            return nil
        }
        // What we sent ourselves is known by sight.
        if discovery.sent.contains(datagram) {
            discovery.counts.own += 1
            return nil
        }
        guard discovery.budget.admit(at: now.monotonic) else {
            discovery.counts.flooded += 1
            return nil
        }
        // "ip" of "ip:port", IPv6 in its brackets.
        guard let host = PeerAddress(sender)?.host else {
            discovery.counts.malformed += 1
            return nil
        }
        return host
    }

    /// Tries all keys; what was spent is charged, whatever comes of it.
    private mutating func open(_ datagram: [UInt8]) throws(DecodeFault) -> (Beacon, key: Int)? {
        var tried = 0
        defer { discovery.budget.charge(trials: tried) }
        for (index, key) in discovery.keys.enumerated() {
            tried += 1
            if let beacon = try Beacon(opening: datagram, under: key.key) { return (beacon, index) }
        }
        return nil
    }

    private mutating func dispatch(
        _ beacon: Beacon, underKey index: Int, from host: String, _ spaces: BeaconSpaces,
        _ linkedInstances: (DeviceID) -> [UInt64], at now: Instant
    ) -> [ReachabilityAction] {
        guard let roster = spaces.roster(discovery.keys[index].space),
            let peer = discovery.device(tagged: beacon.deviceTag, underKey: index, in: roster)
        else {
            discovery.counts.foreign += 1
            return []
        }
        // A beacon of an earlier process of ours, or of a copy of this box: both come up on links, if at all.
        if peer == device {
            discovery.counts.own += 1
            return []
        }
        guard roster.role(of: peer) != nil else {
            discovery.counts.foreign += 1
            return []
        }
        guard discovery.ledger.take(beacon, of: peer, at: now.monotonic) else {
            discovery.counts.replayed += 1
            return []
        }
        discovery.counts.heard += 1
        guard let address = PeerAddress("\(host):\(beacon.port)"), !ownAddresses.contains(address),
            discovery.ledger.mayHint(peer, at: now.monotonic)
        else { return [] }
        // A member may be reached there: it is dialled soon, unless it is linked.
        let linked = linkedInstances(peer)
        if linked.isEmpty {
            book.hear(address, of: peer)
            resetBackOff(of: peer)
            return []
        }
        return linked.contains(beacon.instance) ? [] : [.probe(peer)]
    }

    /// A member is linked: its beacons of this instance are no news.
    mutating func recordMemberLink(_ device: DeviceID, instance: UInt64, at now: Instant) {
        discovery.ledger.linked(device, instance: instance, at: now.monotonic)
    }

    /// Datagrams that the shell dropped.
    mutating func recordDropped(_ dropped: DroppedDatagrams) {
        discovery.counts.malformed += dropped.malformed
        discovery.counts.flooded += dropped.flooded
        discovery.counts.unsent += dropped.unsent
    }
}

// Beacons: what this node calls out on its networks, and what becomes of what it hears there (DESIGN 10). A
// beacon that counts makes one address worth a dial and does nothing else; no datagram is ever answered.
// What a recorded one can cause at most stands in `BeaconLedger`.

import Bytes
import Causality
import Crypto
import Mesh
import Roster
import Wire

extension Node {
    // MARK: Sending

    /// The shell says what the machine's networks are now.
    mutating func networksChanged(_ networks: LocalNetworks, at now: Instant) {
        let hasNewRoute = !Set(networks.routes).subtracting(links.discovery.networks.routes).isEmpty
        for problem in networks.problems where !links.discovery.networks.problems.contains(problem) {
            batch.log(.warning, "discovery", problem)
        }
        links.discovery.networks = networks
        if hasNewRoute { announceByBeacon(at: now) }
    }

    /// There is news that others should hear of soon: a few fast beacons.
    mutating func announceByBeacon(at now: Instant) {
        // Who cannot say it has to begin with all three when it can: a space or a route is news then.
        if isCallingOut { links.discovery.schedule.announce(at: now.monotonic) }
    }

    /// Sends the beacons that are due: one for each space on each route, with a nonce and a counter each.
    mutating func callOut(at now: Instant) {
        if links.discovery.follow(spaces) { announceByBeacon(at: now) }
        guard isCallingOut, links.discovery.schedule.take(at: now.monotonic) else { return }
        for key in links.discovery.keys where key.isCurrent {
            let tag = key.tag(of: device)
            for route in links.discovery.networks.routes {
                links.discovery.counter += 1
                let beacon = Beacon(
                    deviceTag: tag, instance: instance, counter: links.discovery.counter, port: route.port)
                let datagram = beacon.sealed(under: key.key, nonce: entropy.bytes(XChaCha.nonceBytes))
                links.discovery.sent.insert(datagram)
                links.discovery.counts.sent += 1
                batch.emit(.beacon(datagram, on: route))
            }
        }
    }

    /// A node without a space, or without a network, has nothing to say.
    private var isCallingOut: Bool {
        !links.isStopping && !spaces.isEmpty && !links.discovery.networks.routes.isEmpty
    }

    /// When `callOut` has something to do.
    var discoveryDeadline: UInt64? { isCallingOut ? links.discovery.schedule.deadline : nil }

    // MARK: Hearing

    /// A datagram came. `sender` is "ip:port", of a link-local address with its scope.
    mutating func heard(_ datagram: [UInt8], from sender: String, at now: Instant) {
        if links.isStopping { return }
        guard datagram.count == Beacon.byteCount else { return links.discovery.counts.malformed += 1 }
        // What we sent ourselves is known by sight.
        if links.discovery.sent.contains(datagram) { return links.discovery.counts.own += 1 }
        guard links.discovery.budget.admit(at: now.monotonic) else {
            return links.discovery.counts.flooded += 1
        }
        guard let host = Self.host(of: sender) else { return links.discovery.counts.malformed += 1 }
        if links.discovery.senders.insert(host, at: now.monotonic) {
            perform(joins.senderHeard(host, neighbourhood(at: now), at: now), at: now)
        }
        guard Beacon.hasForm(datagram) else { return links.discovery.counts.malformed += 1 }
        _ = links.discovery.follow(spaces)
        links.discovery.counts.processed += 1
        do throws(DecodeFault) {
            guard let (beacon, key) = try open(datagram) else { return links.discovery.counts.foreign += 1 }
            take(beacon, underKey: key, from: host, at: now)
        } catch {
            links.discovery.counts.malformed += 1
        }
    }

    /// Tries all keys; what was spent is charged, whatever comes of it.
    private mutating func open(_ datagram: [UInt8]) throws(DecodeFault) -> (Beacon, key: Int)? {
        var tried = 0
        defer { links.discovery.budget.charge(trials: tried) }
        for (index, key) in links.discovery.keys.enumerated() {
            tried += 1
            if let beacon = try Beacon(opening: datagram, under: key.key) { return (beacon, index) }
        }
        return nil
    }

    private mutating func take(_ beacon: Beacon, underKey index: Int, from host: String, at now: Instant) {
        let space = links.discovery.keys[index].space
        guard let place = spaces.handle(of: space),
            let peer = links.discovery.device(
                tagged: beacon.deviceTag, underKey: index, in: spaces[place].roster)
        else { return links.discovery.counts.foreign += 1 }
        // A beacon of an earlier process of ours, or of a copy of this box: both come up on links, if at all.
        if peer == device { return links.discovery.counts.own += 1 }
        guard spaces[place].roster.role(of: peer) != nil else { return links.discovery.counts.foreign += 1 }
        guard links.discovery.ledger.take(beacon, of: peer, at: now.monotonic) else {
            return links.discovery.counts.replayed += 1
        }
        links.discovery.counts.heard += 1
        guard let address = PeerAddress("\(host):\(beacon.port)") else { return }
        hint(peer, beacon.instance, at: address, now)
    }

    /// A member may be reached there: it is dialled soon, unless it is linked.
    private mutating func hint(
        _ peer: DeviceID, _ instance: UInt64, at address: PeerAddress, _ now: Instant
    ) {
        if links.ownAddresses.contains(address) { return }
        guard links.discovery.ledger.mayHint(peer, at: now.monotonic) else { return }
        let standing = links.connections.table.links(to: peer)
        if standing.isEmpty {
            heardBeacon(of: peer, from: address)
        } else if !standing.contains(where: { $0.instance == instance }) {
            // It may have started again while its old link looks alive: that is asked for a sign of life.
            for link in standing.compactMap({ links.connections.link(of: $0.connection) }) {
                let token = links[link].liveness.ask(at: now.monotonic)
                send([ping(token, at: now)], on: link)
            }
        }
    }

    /// "ip" of "ip:port", IPv6 in its brackets; nil when it is no such thing.
    private static func host(of sender: String) -> String? { PeerAddress(sender)?.host }

    // MARK: Reports

    func discoveryReport() -> DiscoveryReport {
        DiscoveryReport(networks: links.discovery.networks, counts: links.discovery.counts)
    }

    mutating func noteDropped(_ dropped: DroppedDatagrams) {
        links.discovery.counts.malformed += dropped.malformed
        links.discovery.counts.flooded += dropped.flooded
        links.discovery.counts.unsent += dropped.unsent
    }

    /// Prometheus lines: name without prefix, help, value.
    func discoveryCounts() -> [(String, String, UInt64)] {
        let counts = links.discovery.counts
        return [
            ("beacons_sent_total", "Beacons sent, all spaces and routes.", counts.sent),
            ("beacons_unsent_total", "Beacons that the system did not take.", counts.unsent),
            ("beacons_heard_total", "Beacons of members that were news.", counts.heard),
            ("datagrams_processed_total", "Datagrams on which keys were tried.", counts.processed),
            ("datagrams_foreign_total", "Datagrams under none of our keys.", counts.foreign),
            ("datagrams_replayed_total", "Beacons heard before.", counts.replayed),
            ("datagrams_malformed_total", "Datagrams that are no beacon.", counts.malformed),
            ("datagrams_flooded_total", "Datagrams over the rate, unread.", counts.flooded),
            ("datagrams_own_total", "Beacons of ours that came back.", counts.own),
        ]
    }
}

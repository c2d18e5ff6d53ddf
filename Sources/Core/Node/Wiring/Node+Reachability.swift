// Wires the machine of reachability: hands it what the spaces and links are now, and performs what it asks
// for. A node without a space dials nobody except to join or to leave, and sends no beacons.

import Causality
import Mesh
import Roster
import Wire

extension Node {
    /// The node's links at its start: addresses of the last run and those of the configuration.
    mutating func openLinks(at now: Instant) throws(StoreFailure) {
        if let bytes = try store.meta(NodeMeta.addresses) {
            perform(reachability.restoreBook(bytes), at: now)
        }
        updateActivity()
        setStaticPeers()
        for index in spaces.indices { learnAddresses(of: index) }
    }

    /// Performs what reachability asks for, in order.
    mutating func perform(_ actions: [ReachabilityAction], at now: Instant) {
        for action in actions {
            switch action {
            case .dial(let address, let space): dial(address, for: .mesh(address, space))
            case .resolve(let host): batch.emit(.resolve(host: host))
            case .beacon(let datagram, let route): batch.emit(.beacon(datagram, on: route))
            case .trySender(let host):
                perform(joins.senderHeard(host, neighbourhood(at: now), at: now), at: now)
            case .probe(let peer): probeLinks(of: peer, at: now)
            case .log(let level, let code, let message): batch.log(level, code, message)
            }
        }
    }

    /// Asks all links of a device for a sign of life.
    private mutating func probeLinks(of peer: DeviceID, at now: Instant) {
        for link in links.connections.table.links(to: peer).compactMap({
            links.connections.link(of: $0.connection)
        }) {
            let token = links[link].liveness.ask(at: now.monotonic)
            send([ping(token, at: now)], on: link)
        }
    }

    /// A node that is in no space dials nobody, but to tell that it left one, and sends no beacons.
    mutating func updateActivity() {
        reachability.setActivity(
            isDialling: isDialling, isDiscoverable: !spaces.isEmpty && !links.isStopping)
    }

    // MARK: Dials

    /// Starts the dials that are due.
    mutating func dialDue(at now: Instant) {
        updateActivity()
        guard isDialling, reachability.isDialCheckDue(at: now) else { return }
        perform(startDials(at: now), at: now)
    }

    private mutating func startDials(at now: Instant) -> [ReachabilityAction] {
        var wanted = wantedPeers(at: now)
        // Those whose links do not answer, and those to be told that this device left.
        wanted.formUnion(links.connections.table.peers)
        for space in left.leaving {
            wanted.formUnion(space.roster.activeDevices())
        }
        let targets = DialTargets(
            linked: wellLinked(at: now), wanted: wanted, spaces: spaces.map(\.id), changesAt: viewsDeadline)
        let (spaces, left) = (spaces, left)
        return reachability.startDials(
            targets, spacesShared: { Self.spacesShared(with: $0, spaces, left) }, at: now)
    }

    /// The spaces whose keys may open a link to a device; nil: nobody knows which one it is.
    private static func spacesShared(with peer: DeviceID?, _ spaces: Spaces, _ left: LeftSpaces) -> [SpaceID]
    {
        var shared = spaces.map(\.id)
        if let peer {
            let listed = spaces.filter { $0.roster.role(of: peer) != nil }.map(\.id)
            // Whoever shares a space hears of those that were left on the same link.
            if !listed.isEmpty { return listed }
        }
        shared += left.leaving.filter { space in peer.map { space.roster.role(of: $0) != nil } ?? true }
            .map(\.id)
        return shared
    }

    /// Devices with a link that answers.
    private func wellLinked(at now: Instant) -> Set<DeviceID> {
        var devices: Set<DeviceID> = []
        for link in links.connections.linkHandles where !links[link].liveness.isDoubtful(at: now.monotonic) {
            devices.insert(links[link].device)
        }
        return devices
    }

    // MARK: Beacons

    /// There is news that others should hear of soon.
    mutating func announceByBeacon(at now: Instant) {
        updateActivity()
        reachability.announce(at: now)
    }

    /// Sends the beacons that are due.
    mutating func sendDueBeacons(at now: Instant) {
        perform(
            reachability.dueBeacons(
                beaconSpaces, entropy: &entropy, at: now),
            at: now)
    }

    /// A datagram came to the beacon port.
    mutating func heard(_ datagram: [UInt8], from sender: String, at now: Instant) {
        if links.isStopping || transaction.failure != nil { return }
        let table = links.connections.table
        perform(
            reachability.heard(
                datagram, from: sender, beaconSpaces,
                linkedInstances: { table.links(to: $0).map(\.instance) }, at: now),
            at: now)
    }

    private var beaconSpaces: BeaconSpaces {
        let spaces = spaces
        return BeaconSpaces(
            epochs: spaces.indices.map {
                SpaceEpochs(
                    space: spaces[$0].id, count: spaces[$0].keys.epochs.count,
                    current: spaces[$0].keys.currentName)
            },
            secrets: { spaces.handle(of: $0).map { spaces[$0].keys.accessSecrets(previous: 4) } ?? [] },
            roster: { spaces.handle(of: $0).map { spaces[$0].roster } })
    }

    // MARK: The address book on disk

    /// Writes the address book when that is due.
    mutating func writeBook(at now: Instant) {
        guard reachability.isBookDue(at: now) else { return }
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.setMeta(NodeMeta.addresses, reachability.book.encode())
            reachability.recordBookWrite(at: now)
        } catch {
            transaction.fail(error)
        }
        reachability.forgetDroppedAddresses()
    }
}

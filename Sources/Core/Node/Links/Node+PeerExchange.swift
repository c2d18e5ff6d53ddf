// Where others are found. Each node tells on each channel its own addresses and what it knows of the other
// members', so whoever knows one member finds all, and keeps them when the one that introduced them is gone.
// What is said of others is bounded by who says it, tried last, and not passed on when there is better.

import Causality
import Mesh
import Roster
import Wire

extension Node {
    /// Addresses for invites, rosters and peers: `advertise`, then what we listen on.
    func announcedAddresses() -> [PeerAddress] {
        var addresses: [PeerAddress] = []
        for text in configuration.settings.advertise + listening {
            guard let address = PeerAddress(text), !address.isUnspecified, !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return Array(addresses.prefix(MeshLimits.addressesOfDeviceMax))
    }

    /// What the peer of a channel should know of the space's members, ascending by device: all of a small
    /// space, and of a large one this device and some that are linked now.
    func peersToTell(_ peer: DeviceID?, in index: SpaceHandle) -> [PeersFrame.Entry] {
        var entries: [PeersFrame.Entry] = []
        if isLarge(index) { return sampleToTell(peer, in: index) }
        for member in spaces[index].roster.members() where member.state == .active && member.device != peer {
            let addresses =
                member.device == device ? announcedAddresses() : links.book.addressesToTell(of: member.device)
            if addresses.isEmpty { continue }
            entries.append(
                .init(
                    device: member.device, addresses: Array(addresses.prefix(MeshLimits.addressesOfDeviceMax))
                ))
            if entries.count == WireLimits.peersMax { break }
        }
        return entries
    }

    private func sampleToTell(_ peer: DeviceID?, in index: SpaceHandle) -> [PeersFrame.Entry] {
        let linked = links.channels(of: spaces[index].id).map { links.peer(of: $0) }
        let sample = linked.filter { $0 != peer }.prefix(MeshLimits.sampleMax) + [device]
        return Set(sample).sorted().compactMap { member in
            let known = member == device ? announcedAddresses() : links.book.addressesToTell(of: member)
            let addresses = Array(known.prefix(MeshLimits.addressesOfDeviceMax))
            return addresses.isEmpty ? nil : PeersFrame.Entry(device: member, addresses: addresses)
        }
    }

    /// A peer names addresses. Its own it knows best; of others it only adds.
    mutating func peersArrived(_ frame: PeersFrame, _ place: ChannelPlace) {
        let peer = links[place.link].device
        let known = links.book.version
        for entry in frame.entries where entry.device != device {
            guard spaces[place.space].roster.role(of: entry.device) != nil else { continue }
            if entry.device == peer {
                links.book.announce(entry.device, entry.addresses)
            } else {
                for address in entry.addresses.prefix(MeshLimits.addressesOfDeviceMax) {
                    links.book.add(
                        address, device: entry.device, source: .relayed, announcer: peer)
                }
            }
        }
        guard links.book.version != known else { return }
        links.nextDialCheck = 0
        links.addressesVersion += 1
    }

    /// Addresses that members wrote into the roster.
    mutating func learnAddresses(of index: SpaceHandle) {
        links.addressesVersion += 1
        // Those of a large space are looked up when one of them is to be dialled.
        if spaces[index].roster.count > MeshLimits.fullMeshMembersMax,
            spaces[index].roster.members().count > MeshLimits.fullMeshMembersMax
        {
            return
        }
        for member in spaces[index].roster.members() where member.device != device {
            guard member.state == .active else { continue }
            for address in member.description.addresses.prefix(MeshLimits.addressesOfDeviceMax) {
                links.book.add(address, device: member.device, source: .announced)
            }
        }
    }
}

// Where others are found. Each node tells on each channel its own addresses and what it knows of the other
// members', so whoever knows one member finds all, and keeps them when the one that introduced them is gone.
// What is said of others is bounded by who says it, tried last, and not passed on when there is better.

import Causality
import Mesh
import Replication
import Roster
import Wire

extension Node {
    /// What the peer of a channel should know of the space's members, ascending by device: all of a small
    /// space, and of a large one this device and some that are linked now.
    func peersToAdvertise(_ peer: DeviceID?, in index: SpaceHandle) -> [PeersFrame.Entry] {
        var entries: [PeersFrame.Entry] = []
        if isLarge(index) { return sampleToAdvertise(peer, in: index) }
        for member in spaces[index].roster.activeDevices() where member != peer {
            let addresses = reachability.addressesToTell(of: member)
            if addresses.isEmpty { continue }
            entries.append(.init(device: member, addresses: addresses))
            if entries.count == WireLimits.peersMax { break }
        }
        return entries
    }

    private func sampleToAdvertise(_ peer: DeviceID?, in index: SpaceHandle) -> [PeersFrame.Entry] {
        let linked = links.channels(of: spaces[index].id).map { links.peer(of: $0) }
        let sample = linked.filter { $0 != peer }.prefix(MeshLimits.sampleMax) + [device]
        return Set(sample).sorted().compactMap { member in
            let addresses = reachability.addressesToTell(of: member)
            return addresses.isEmpty ? nil : PeersFrame.Entry(device: member, addresses: addresses)
        }
    }

    /// A peer names addresses. Its own it knows best; of others it only adds.
    mutating func peersArrived(_ frame: PeersFrame, _ place: ChannelPlace) {
        let roster = spaces[place.space].roster
        let known = frame.entries.filter { $0.device != device && roster.role(of: $0.device) != nil }
        reachability.learn(known, from: links[place.link].device)
    }

    /// Addresses that members wrote into the roster.
    mutating func learnAddresses(of index: SpaceHandle) {
        reachability.recordNews()
        let members = spaces[index].roster.activeDevices()
        // Those of a large space are looked up when one of them is to be dialled.
        if members.count > MeshLimits.fullMeshMembersMax { return }
        for member in members { learnAddresses(of: member, in: index) }
    }

    /// The same of operations that were just added.
    mutating func learnAddresses(said operations: [RosterOperation], in index: SpaceHandle) {
        let subjects = Set(operations.compactMap(\.describedDevice))
        if subjects.isEmpty { return }
        reachability.recordNews()
        if spaces[index].roster.count > MeshLimits.fullMeshMembersMax,
            spaces[index].roster.activeDevices().count > MeshLimits.fullMeshMembersMax
        {
            return
        }
        for member in subjects.sorted() { learnAddresses(of: member, in: index) }
    }

    private mutating func learnAddresses(of member: DeviceID, in index: SpaceHandle) {
        guard member != device, let said = spaces[index].roster.description(of: member) else { return }
        reachability.learn(said.addresses, of: member)
    }

    /// True when not everybody is linked to everybody.
    func isLarge(_ index: SpaceHandle) -> Bool { spaces[index].replication.view?.isLarge ?? false }
}

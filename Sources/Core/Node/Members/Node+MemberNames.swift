// Which member a request names. Every request that names a device comes through here.

import Causality
import Identity
import Roster
import Wire

extension Node {
    /// The member of a space that is meant. `isActive`: one that left or was removed is none.
    func member(
        _ reference: MemberReference, in index: SpaceHandle, isActive: Bool
    ) throws(NodeError) -> NamedDevice {
        // A whole ID is looked up: a roster may be large.
        if let device = MemberDirectory.device(reference), let member = spaces[index].roster.member(device),
            member.state == .active || !isActive
        {
            return NamedDevice(device, member.description.name.string)
        }
        let members = spaces[index].roster.members().filter { $0.state == .active || !isActive }
        return try MemberDirectory(members.map(MemberDirectory.Entry.init)).find(reference)
    }

    /// The device that is meant among the active members of all spaces of this node, itself included.
    func member(_ reference: MemberReference) throws(NodeError) -> NamedDevice {
        var entries: [DeviceID: MemberDirectory.Entry] = [:]
        for space in spaces {
            for member in space.roster.members() where member.state == .active {
                entries[member.device] = entries[member.device] ?? MemberDirectory.Entry(member)
            }
        }
        return try MemberDirectory(entries.keys.sorted().compactMap { entries[$0] }).find(reference)
    }

    /// A device as people are told of it, by what any space of this node says of it.
    func named(_ device: DeviceID) -> NamedDevice {
        if device == self.device { return NamedDevice(device, configuration.settings.deviceName) }
        for space in spaces {
            if let member = space.roster.member(device) {
                return NamedDevice(device, member.description.name.string)
            }
        }
        return NamedDevice(device, "")
    }
}

extension MemberDirectory.Entry {
    init(_ member: Member) {
        self.init(
            NamedDevice(member.device, member.description.name.string), isActive: member.state == .active)
    }
}

// What a person sees of spaces and their members.

import Causality
import Replication
import Roster
import Wire

extension Node {
    func report(_ space: Space) -> SpaceReport { report(space, nil) }

    /// `sync`: for `status`.
    func report(_ space: Space, _ sync: SyncReport?) -> SpaceReport {
        SpaceReport(
            id: space.id, name: space.name, role: space.roster.role(of: device) ?? .relay,
            members: space.roster.activeDevices().count,
            documents: space.documents.count, sync: sync)
    }

    func members(of index: SpaceHandle) -> [MemberReport] {
        spaces[index].roster.members().map { member in
            MemberReport(
                device: member.device, name: member.description.name.string, role: member.role,
                addedBy: spaces[index].named(member.addedBy),
                state: member.state.name)
        }
    }
}

// Who may what: roles of this device, and who is a member at all.

import Causality
import Roster
import Wire

extension Node {
    func isMember(_ peer: DeviceID) -> Bool {
        spaces.contains { $0.roster.role(of: peer) != nil }
            || left.leaving.contains { $0.roster.role(of: peer) != nil }
    }

    /// My right in a space, as its roster says now.
    func myRole(in index: SpaceHandle) throws(NodeError) -> Role {
        guard let role = spaces[index].roster.role(of: device) else { throw .noSuchSpace(spaces[index].name) }
        return role
    }

    func need(_ role: Role, in index: SpaceHandle) throws(NodeError) {
        let mine = try myRole(in: index)
        if mine < role { throw .noRight(have: mine, need: role) }
    }
}

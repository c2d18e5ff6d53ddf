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
        guard let role = spaces[index].roster.role(of: device) else { throw .notMember(spaces[index].name) }
        return role
    }

    /// What is on this disk can be read by whoever may use the socket, also when its roster does not list
    /// this device (any more).
    func need(_ role: Role, in index: SpaceHandle) throws(NodeError) {
        if role <= .reader, spaces[index].roster.role(of: device) == nil { return }
        let mine = try myRole(in: index)
        if mine < role { throw .noRight(have: mine, need: role) }
    }
}

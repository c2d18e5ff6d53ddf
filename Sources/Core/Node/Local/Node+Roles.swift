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
        if let role = spaces[index].roster.role(of: device) { return role }
        guard let removal = spaces[index].roster.removal(of: device) else {
            throw .notMember(spaces[index].name)
        }
        throw .removed(
            spaces[index].name, by: spaces[index].named(removal.author),
            atMilliseconds: removal.timestamp.milliseconds)
    }

    /// What is on this disk can be read by whoever may use the socket, also when its roster does not list
    /// this device (any more).
    func need(_ role: Role, in index: SpaceHandle) throws(NodeError) {
        if role <= .reader, spaces[index].roster.role(of: device) == nil { return }
        let mine = try myRole(in: index)
        if mine < role { throw .noRight(have: mine, need: role) }
    }
}

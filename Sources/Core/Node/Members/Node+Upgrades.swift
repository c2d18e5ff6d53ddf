// Which members must be upgraded before this node does what earlier programs cannot follow: the first removal
// shuts them out (decision 0170).

import Causality
import Roster
import Wire

extension Node {
    /// Active members that are not known to run a program of this level: by their own word in the roster, or
    /// on a link since this node started. Ascending by device; `removed` does not count, for it need not
    /// follow.
    func olderMembers(
        of index: SpaceHandle, than level: FeatureLevel = .removals, without removed: DeviceID? = nil
    ) -> [NamedDevice] {
        let (space, roster) = (spaces[index], spaces[index].roster)
        return roster.activeDevices().filter { member in
            if member == device || member == removed { return false }
            if let heard = links.levels[member], heard >= level { return false }
            return (roster.software(of: member)?.level ?? .none) < level
        }.map(space.named)
    }

    /// True once earlier programs cannot follow any more, so that waiting for them helps nobody.
    func hasLeftEarlierPrograms(_ index: SpaceHandle) -> Bool {
        spaces[index].roster.hasRestrictions || spaces[index].membership.epochs.names.count > 1
    }

    /// Throws who must be upgraded before the first removal, role below admin or new keys of a space.
    func needUpgraded(in index: SpaceHandle, without removed: DeviceID? = nil) throws(NodeError) {
        if hasLeftEarlierPrograms(index) { return }
        let older = olderMembers(of: index, without: removed)
        if older.isEmpty { return }
        let listed = Array(older.prefix(MemberDirectory.listedMax))
        throw .olderVersion(spaces[index].name, listed, more: older.count - listed.count)
    }
}

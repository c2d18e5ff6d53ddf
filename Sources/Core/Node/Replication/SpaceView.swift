// Which links one space wants. A space of few members is a full mesh: all of them. In a large one a partial
// view decides (`PartialView`, decision 0058): some links are dialled, the ones too many are closed after
// others were named, and walks keep in mind which devices are alive.

import Causality
import Mesh
import Wire

/// The members of a space, and the partial view of them. Times are monotonic milliseconds.
struct SpaceView: StateMachine {
    /// What becomes of a device on its walk.
    enum Walk: Sendable {
        /// It goes on to this neighbour.
        case passed(WalkFrame, to: DeviceID)
        /// It ended here, and is remembered.
        case ended
    }

    /// Operations of the roster that `members` is of; 0 before the first.
    private var rosterCount = 0
    /// Active members but ourselves, ascending.
    private(set) var members: [DeviceID] = []
    /// Members that were removed and may know us for removed too: nobody else would tell them, or us.
    private var outcasts: [Outcast] = []
    /// Exclusions that their subjects showed to hold, since the node started.
    private var told: Set<[RosterHead]> = []
    private var partial: PartialView
    /// Linked devices that say nothing, as of the last look.
    private var mute: Set<DeviceID> = []

    struct Outcast: Equatable, Sendable {
        let device: DeviceID
        /// The operations that say so (`Roster.exclusion`).
        let exclusion: [RosterHead]
        /// Wall milliseconds by the clock of who removed it.
        let since: UInt64
    }

    /// The view of a space whose roster is looked at first.
    init(seed: UInt64, at now: UInt64) { partial = PartialView(seed: seed, at: now) }

    /// True when not everybody is linked to everybody.
    var isLarge: Bool { members.count >= MeshLimits.fullMeshMembersMax }
    /// Devices that are kept in mind.
    var rememberedCount: Int { partial.passive.count }

    /// True while the roster has as many operations as when `members` was made of it.
    func isUp(to rosterCount: Int) -> Bool { self.rosterCount == rosterCount }

    /// The roster grew. `members` ascends.
    mutating func update(_ members: [DeviceID], outcasts: [Outcast], rosterCount: Int) {
        precondition(rosterCount > 0, "a roster without its first operation")
        (self.members, self.outcasts, self.rosterCount) = (members, outcasts, rosterCount)
        told.formIntersection(outcasts.map(\.exclusion))
    }

    /// Those that did not show yet that they know, and may still be somewhere. `now`: wall milliseconds.
    func outcastsToTell(at now: UInt64) -> [DeviceID] {
        outcasts.filter { !told.contains($0.exclusion) && now < $0.since + MeshLimits.outcastMilliseconds }
            .map(\.device)
    }

    /// The subject of an exclusion holds it.
    mutating func recordTold(_ exclusion: [RosterHead]) { told.insert(exclusion) }

    /// Devices of a large space worth a dial now, to reach `wanted` links.
    mutating func targets(
        linked: Set<DeviceID>, mute: Set<DeviceID>, wanted: Int, at now: UInt64
    ) -> Set<DeviceID> {
        precondition(isLarge, "a small space wants all its members")
        return partial.targets(linked: linked, mute: mute, wanted: wanted, members: members, at: now)
    }

    /// A member to be visited now; nil: none yet (`Visits`).
    mutating func beginVisit(linked: Set<DeviceID>, at now: UInt64) -> DeviceID? {
        isLarge ? partial.beginVisit(linked: linked, members: members, at: now) : nil
    }

    /// Devices that are dialled, or linked, for a visit.
    var visited: Set<DeviceID> { partial.visits.devices }

    /// A young link brought something that many older ones had not brought.
    mutating func recordHelp(by device: DeviceID, at now: UInt64) {
        if isLarge { partial.recordHelp(by: device, at: now) }
    }

    /// True when others say nothing than at the last look: it may be time to dial.
    mutating func recordMute(_ devices: Set<DeviceID>) -> Bool {
        defer { mute = devices }
        return devices != mute
    }

    /// When a link may be closed next, of those that are too many.
    var nextTrim: UInt64 { partial.nextTrim }
    /// Some links say nothing.
    var hasMute: Bool { !mute.isEmpty }

    /// What was heard last of where a device is; nil: nothing.
    func contact(of device: DeviceID) -> PartialView.Contact? { partial.contact(of: device) }

    /// A peer of a large space has enough links: others first for a while.
    mutating func avoid(_ peer: DeviceID, at now: UInt64) {
        if isLarge { partial.avoid(peer, at: now) }
    }

    /// A device came on its walk from `peer`. `linked`: the devices linked in this space, ascending.
    mutating func receive(_ walk: WalkFrame, from peer: DeviceID, linked: [DeviceID]) -> Walk {
        if walk.stops > 0, let next = partial.nextStop(linked, after: peer) {
            let onward = WalkFrame(stops: walk.stops - 1, device: walk.device, addresses: walk.addresses)
            return .passed(onward, to: next)
        }
        partial.hear(.init(device: walk.device, addresses: walk.addresses, teller: peer))
        return .ended
    }

    /// True when a walk of our own is due; then the next one is planned.
    mutating func beginsWalk(at now: UInt64) -> Bool { isLarge && partial.beginsWalk(at: now) }

    /// Where our own walk goes first; nil: nobody is linked.
    mutating func firstStop(_ linked: [DeviceID]) -> DeviceID? { partial.nextStop(linked, after: nil) }

    /// The device whose link is one too many; nil: none.
    mutating func surplus(_ links: [PartialView.Link], wanted: Int, at now: UInt64) -> DeviceID? {
        partial.surplus(links, wanted: wanted, at: now)
    }

    /// Members ascend, each once, and are of some roster.
    func checkInvariants(whole: Bool) {
        precondition(members.isEmpty || rosterCount > 0, "\(members.count) members of no roster")
        partial.checkInvariants()
        guard whole else { return }
        for (left, right) in zip(members, members.dropFirst()) {
            precondition(left < right, "member \(right) stands behind \(left)")
        }
    }

    /// When a walk or the targets of a large space are due.
    var deadline: UInt64? {
        guard isLarge else { return nil }
        return [partial.nextWalk, partial.visits.next, partial.targetsDeadline].compactMap(\.self).min()
    }
}

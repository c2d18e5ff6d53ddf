// What stands in a set of operations (decision 0167, WIRE.md "What stands"): a function of the set, whatever
// the order in which it came.
//
// Admins may be at odds: two remove each other, or one goes on granting on an old view after it was removed.
// Seniority decides. The *key* of an operation is the last, in the one order, of what makes its author admin
// in its view; the smaller is senior. Invites, adds, roles and removals are *acts*. An act stands iff
//
//   - something that made its author admin stands, and
//   - no standing restriction of its author that is senior to it contests it: one that the act was not made
//     on, or that did not stand in the act's view, and that was not made on the act itself.
//
// Both look at smaller keys only, so one pass over the acts, seniors first, decides. What does not stand has
// no effect, and what it would have replaced stays. If no admin is left by that, restrictions of the most
// senior one that did not leave by itself do not stand, and all is judged again.

import Bytes
public import Causality
import Wire

/// What does not stand in a set of operations. Operations beyond the set may be named too.
struct Standing: Equatable, Sendable {
    var fallen: Set<Int32> = []
    /// Devices of which no restriction stands, so that there is an admin.
    var spared: Set<DeviceID> = []

    func holds(_ index: Int32) -> Bool { fallen.isEmpty || !fallen.contains(index) }
    var isPlain: Bool { fallen.isEmpty && spared.isEmpty }
}

/// Why a change that its author could write has no effect.
public struct VoidCause: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case removed
        case demoted
        /// Who added the author, or gave it the right, could not.
        case notAdmitted
    }

    public let kind: Kind
    /// Who signed the restriction that it comes from, and when by its clock.
    public let by: DeviceID
    public let timestamp: Timestamp

    public init(kind: Kind, by: DeviceID, timestamp: Timestamp) {
        self.kind = kind
        self.by = by
        self.timestamp = timestamp
    }
}

extension Roster {
    /// Where a device stands.
    enum State: Equatable {
        case stranger
        case active(Role)
        case left
        case removed

        var role: Role? { if case .active(let role) = self { role } else { nil } }
    }

    /// As everything known says.
    func state(of device: DeviceID) -> State { state(of: device, in: nil, standing) }

    /// Among concurrent operations about the device, removal beats leaving and the least role beats a greater
    /// one.
    func state(of device: DeviceID, in reachable: ReachableSet?, _ standing: Standing) -> State {
        var hasLeft = false
        var least: Role?
        for index in counting(about: device, in: reachable, standing) {
            let effect = entries[Int(index)].effect
            if effect == .removal { return .removed }
            if effect == .leave { hasLeft = true }
            if let given = effect.roleGiven { least = min(least ?? .admin, given) }
        }
        if hasLeft { return .left }
        return least.map(State.active) ?? .stranger
    }

    /// The standing membership operations about the device that no standing later one supersedes.
    func counting(about device: DeviceID, in reachable: ReachableSet?, _ standing: Standing) -> [Int32] {
        let all = membership[device] ?? []
        if all.count == 1 {
            let isCounted = (reachable?.contains(Int(all[0])) ?? true) && standing.holds(all[0])
            return isCounted ? all : []
        }
        var superseded: Set<Int32> = []
        var result: [Int32] = []
        for index in all.reversed() where reachable?.contains(Int(index)) ?? true {
            let (isSuperseded, stands) = (superseded.contains(index), standing.holds(index))
            if isSuperseded || stands { superseded.formUnion(entries[Int(index)].supersedes) }
            if stands, !isSuperseded { result.append(index) }
        }
        return result
    }

    /// Devices of which changes held already may take effect now that did not, or the other way round,
    /// because of what was added since this was last asked.
    public mutating func takeRejudged() -> Set<DeviceID> {
        let taken = rejudged
        rejudged = []
        return taken
    }

    // MARK: Judging

    /// What stands in a set that is closed under "ancestor of". O(1) where it holds all restrictions or none,
    /// else O(acts).
    func standing(in reachable: ReachableSet) -> Standing {
        guard let first = restricting.first, let last = restricting.last else { return Standing() }
        if reachable.first == entries.count { return standing }
        let holdsAll =
            Int(last) < reachable.first || restricting.allSatisfy { reachable.contains(Int($0)) }
        if holdsAll, standing.spared.isEmpty, hasAdmin(in: reachable, standing) { return standing }
        let holdsAny = Int(first) < reachable.first || restricting.contains { reachable.contains(Int($0)) }
        return holdsAny ? judged(reachable) : Standing()
    }

    /// The same from nothing; nil: everything known.
    func judged(_ reachable: ReachableSet?) -> Standing {
        var standing = Standing()
        if restrictions.isEmpty { return standing }
        while true {
            standing.fallen = fallen(in: reachable, sparing: standing.spared)
            guard !hasAdmin(in: reachable, standing), let spared = mostSenior(in: reachable, standing) else {
                return standing
            }
            standing.spared.insert(spared)
        }
    }

    private func fallen(in reachable: ReachableSet?, sparing spared: Set<DeviceID>) -> Set<Int32> {
        var standing = Standing(spared: spared)
        for index in acts where reachable?.contains(Int(index)) ?? true {
            if !stands(index, in: reachable, standing) { standing.fallen.insert(index) }
        }
        return standing.fallen
    }

    /// Needs what is senior to it judged.
    private func stands(_ index: Int32, in reachable: ReachableSet?, _ standing: Standing) -> Bool {
        let entry = entries[Int(index)]
        if !standing.spared.isEmpty, let device = restricted[index], standing.spared.contains(device) {
            return false
        }
        guard entry.basis.contains(where: { standing.holds($0) }) else { return false }
        return contesting(index, in: reachable, standing) == nil
    }

    /// A standing restriction that makes the act fall.
    private func contesting(_ index: Int32, in reachable: ReachableSet?, _ standing: Standing) -> Int32? {
        let entry = entries[Int(index)]
        return restrictions[entry.author]?.first { restriction in
            restriction.index != index && (reachable?.contains(Int(restriction.index)) ?? true)
                && standing.holds(restriction.index) && comesFirst(restriction.index, before: index)
                && !entry.restrictionsSeen.contains(restriction.index)
                && !restriction.reachable.contains(Int(index))
        }?.index
    }

    private func comesFirst(_ restriction: Int32, before act: Int32) -> Bool {
        isPlanted("restriction-by-arrival") ? restriction < act : isSenior(restriction, to: act)
    }

    /// Strictly.
    func isSenior(_ left: Int32, to right: Int32) -> Bool {
        var (a, b) = (entries[Int(left)].key, entries[Int(right)].key)
        if isPlanted("junior-beats-senior") { swap(&a, &b) }
        if a == b || b < 0 { return false }
        return a < 0 || precedes(a, b)
    }

    func restricts(_ index: Int32) -> Bool { restricted[index] != nil }

    func hasAdmin(in reachable: ReachableSet?, _ standing: Standing) -> Bool {
        everAdmin.contains { state(of: $0, in: reachable, standing) == .active(.admin) }
    }

    /// Of those that were made admin and did not leave by themselves, the one whose making stands and is
    /// first in the one order.
    private func mostSenior(in reachable: ReachableSet?, _ standing: Standing) -> DeviceID? {
        var best: (made: Int32, device: DeviceID)?
        for device in everAdmin where !standing.spared.contains(device) {
            let counting = counting(about: device, in: reachable, standing)
            if counting.contains(where: { entries[Int($0)].effect == .leave }) { continue }
            let making = (membership[device] ?? []).filter { index in
                entries[Int(index)].effect.roleGiven == .admin && standing.holds(index)
                    && (reachable?.contains(Int(index)) ?? true)
            }
            guard let made = making.min(by: { precedes($0, $1) }) else { continue }
            if best.map({ precedes(made, $0.made) }) ?? true { best = (made, device) }
        }
        return best?.device
    }

    // MARK: As operations come

    /// Called after `index` was put into all indices. Mostly O(1): without restrictions everything stands,
    /// and what is new changes what stands of others only where it contests them or ends the last admin's
    /// role.
    mutating func extendStanding(with index: Int32) {
        if restrictions.isEmpty { return }
        let effect = entries[Int(index)].effect
        guard effect.isAct || effect == .leave else { return }
        if effect.isAct, !stands(index, in: nil, standing) { standing.fallen.insert(index) }
        let isRestricting = restricts(index) && standing.holds(index)
        let mayEndAdmin = isRestricting || effect == .leave
        if !standing.spared.isEmpty || isRestricting && contestsAnything(index)
            || mayEndAdmin && !hasAdmin(in: nil, standing)
        {
            judgeAgain(because: index)
        }
        if standing.holds(index), let device = restricted[index] { rejudged.insert(device) }
    }

    private mutating func judgeAgain(because index: Int32) {
        let before = standing
        standing = judged(nil)
        for act in before.fallen.symmetricDifference(standing.fallen) where act != index {
            if let device = operation(at: act).membershipSubject { rejudged.insert(device) }
        }
    }

    /// True when there are acts of the restricted device that the restriction was not made on.
    private func contestsAnything(_ index: Int32) -> Bool {
        guard let device = restricted[index],
            let restriction = restrictions[device]?.last(where: { $0.index == index })
        else { return false }
        for act in (actsBy[device] ?? []).reversed() where act != index {
            if Int(act) < restriction.reachable.first { return false }
            if !restriction.reachable.contains(Int(act)) { return true }
        }
        return false
    }

    /// The restriction because of which nothing of these stands any more.
    func restrictionFelling(_ basis: [Int32]) -> Int32? {
        standingRestriction(felling: basis) ?? restricting.first
    }

    /// The first one found that contests one of these or what they rest on.
    func standingRestriction(felling basis: [Int32]) -> Int32? {
        var open = basis
        var seen: Set<Int32> = []
        while let index = open.popLast() {
            if index == 0 || standing.holds(index) || !seen.insert(index).inserted { continue }
            if let restriction = contesting(index, in: nil, standing) { return restriction }
            open += entries[Int(index)].basis
        }
        return nil
    }
}

extension Effect {
    /// True when it gives a role that allows this.
    func gives(_ right: Right) -> Bool { roleGiven?.allows(right) ?? false }
}

// Who may do what. Two readings of a set of operations: *in a view*, which decides whether something is valid
// and stored and never changes; and *judged by everything known*, which decides whether it takes effect, and
// which a removal that arrives later can turn. Both are functions of sets, so replicas that hold the same
// agree.

public import Bytes
public import Causality
public import Wire

extension Roster {
    /// The role of a device as everything known says; nil when it is no active member.
    public func role(of device: DeviceID) -> Role? { state(of: device, in: nil, isJudged: true).role }

    /// The role of a device as the view says; nil when it is no active member there.
    public func role(of device: DeviceID, in view: View) -> Role? {
        state(of: device, in: view.reachable, isJudged: false).role
    }

    /// True when the author had the right in its view. Such a change is kept, and satisfies contexts, for
    /// ever.
    public func isStored(by author: DeviceID, in view: View, needing right: Right = .data) -> Bool {
        role(of: author, in: view)?.allows(right) ?? false
    }

    /// True when a change takes effect: it is stored, the author was added by somebody who could, and every
    /// known removal or loss of the right that the author had not seen has the change in its frontier. Else
    /// it is void. The answer for known changes can turn to false when an operation with `revokesRights` is
    /// added.
    public func isExecuted(
        _ change: DotRange, by author: DeviceID, in view: View, needing right: Right = .data
    ) -> Bool {
        isStored(by: author, in: view, needing: right)
            && isUnrestricted(change, by: author, in: view, needing: right)
    }

    /// The second half of `isExecuted`, for a change that is stored.
    public func isUnrestricted(
        _ change: DotRange, by author: DeviceID, in view: View, needing right: Right = .data
    ) -> Bool {
        guard let restrictions = anyRestriction(of: author) else { return true }
        guard let role = state(of: author, in: view.reachable, isJudged: true).role, role.allows(right) else {
            return false
        }
        for restriction in restrictions
        where !view.reachable.contains(Int(restriction.index)) && restriction.role?.allows(right) != true {
            if restriction.kept[change.replica] < change.last { return false }
        }
        return true
    }

    /// True when it takes rights away from somebody.
    public var hasRestrictions: Bool { !restrictions.isEmpty }

    /// Nil as long as nobody at all was restricted, which is the common case; then nothing can be void.
    private func anyRestriction(of author: DeviceID) -> [Restriction]? {
        restrictions.isEmpty ? nil : restrictions[author] ?? []
    }

    // MARK: Views

    /// What is reachable from these heads; nil when one is not known here: wait for it. O(operations) when
    /// not kept.
    public mutating func view(heads: [Bytes32]) -> View? {
        let ascending = heads.count > 1 ? Set(heads).sorted() : heads
        if let kept = views[ascending] { return kept }
        guard let view = computedView(ascending) else { return nil }
        keep(view, as: ascending)
        return view
    }

    /// Everything known now.
    public var wholeView: View {
        View(
            tops: heads.map { View.Top(id: $0, index: index(of: $0)) },
            reachable: ReachableSet(first: entries.count))
    }

    private func computedView(_ ascending: [Bytes32]) -> View? {
        var named: [View.Top] = []
        for head in ascending {
            guard let index = indices[head] else { return nil }
            named.append(View.Top(id: head, index: index))
        }
        // Strict ancestors first: a head among them is no top.
        var reachable = reachable(from: named.flatMap { entries[Int($0.index)].parents })
        let tops = named.filter { !reachable.contains(Int($0.index)) }
        for top in tops { reachable.insert(Int(top.index)) }
        return View(tops: tops, reachable: reachable)
    }

    mutating func keep(_ view: View) { keep(view, as: view.heads) }

    private mutating func keep(_ view: View, as heads: [Bytes32]) {
        if views.count >= RosterLimits.viewsKeptMax { views.removeAll(keepingCapacity: true) }
        views[heads] = view
    }

    private func index(of head: Bytes32) -> Int32 {
        guard let index = indices[head] else { preconditionFailure("head \(head) is not held") }
        return index
    }

    // MARK: Membership

    /// Where a device stands.
    enum Standing: Equatable {
        case stranger
        case active(Role)
        case left
        case removed

        var role: Role? { if case .active(let role) = self { role } else { nil } }
    }

    /// Among concurrent operations about the device, removal beats leaving and the least role beats a greater
    /// one.
    func state(of device: DeviceID, in reachable: ReachableSet?, isJudged: Bool) -> Standing {
        let isJudged = isJudged && !restrictions.isEmpty
        var hasLeft = false
        var least: Role?
        // A role given by somebody who could not give it still takes away: it caps, what it replaced stays.
        var cap: Role = .admin
        for (index, stands) in counting(about: device, in: reachable, isJudged: isJudged) {
            let effect = entries[Int(index)].effect
            if effect == .removal { return .removed }
            if effect == .leave {
                hasLeft = true
                continue
            }
            guard let given = effect.roleGiven else { continue }
            if stands { least = min(least ?? .admin, given) } else { cap = min(cap, given) }
        }
        if hasLeft { return .left }
        guard let least else { return .stranger }
        return .active(min(least, cap))
    }

    /// The membership operations about the device that no other in the set supersedes, each with whether it
    /// stands.
    private func counting(
        about device: DeviceID, in reachable: ReachableSet?, isJudged: Bool
    ) -> [(index: Int32, stands: Bool)] {
        let all = membership[device] ?? []
        if all.count == 1 {
            guard reachable?.contains(Int(all[0])) ?? true, !isJudged || isStanding[Int(all[0])] else {
                return []
            }
            return [(all[0], true)]
        }
        var superseded: Set<Int32> = []
        var result: [(index: Int32, stands: Bool)] = []
        for index in all.reversed() where reachable?.contains(Int(index)) ?? true {
            let stands = !isJudged || isStanding[Int(index)]
            let isSuperseded = superseded.contains(index)
            if isSuperseded || stands { superseded.formUnion(entries[Int(index)].supersedes) }
            if isSuperseded { continue }
            if !stands, case .add = entries[Int(index)].effect { continue }
            result.append((index, stands))
        }
        return result
    }

    /// `counting` in a view, as indices.
    func latest(about device: DeviceID, in reachable: ReachableSet) -> [Int32] {
        counting(about: device, in: reachable, isJudged: false).map(\.index)
    }

    // MARK: Standing

    /// Called after `index` was appended. Without any restriction everything stands; a new restriction can
    /// only concern what is concurrent with it, but what was granted on that follows, so all is judged again,
    /// in order.
    mutating func extendStanding(with index: Int32) {
        if restrictions.values.contains(where: { $0.last?.index == index }) {
            isStanding = []
            for index in entries.indices { isStanding.append(stands(index)) }
        } else {
            isStanding.append(restrictions.isEmpty || stands(Int(index)))
        }
        precondition(isStanding.count == entries.count, "standing is known of every operation")
    }

    /// Needs `isStanding` of everything before it. Removal and leaving always stand: less right is the safe
    /// side.
    private func stands(_ index: Int) -> Bool {
        let entry = entries[index]
        switch entry.effect {
        case .add, .role, .invite: break
        default: return true
        }
        let isContested = (restrictions[entry.author] ?? []).contains { restriction in
            restriction.index != index && !restriction.reachable.contains(index)
                && !entry.restrictionsSeen.contains(restriction.index)
        }
        return !isContested && entry.basis.allSatisfy { isStanding[Int($0)] }
    }
}

extension View {
    /// The view of an operation made on exactly this view.
    func adding(_ id: Bytes32, at index: Int32) -> View {
        var reachable = reachable
        reachable.insert(Int(index))
        return View(tops: [Top(id: id, index: index)], reachable: reachable)
    }
}

extension RosterOperation {
    /// True when adding it can turn `isExecuted` of changes held already; their documents are then rebuilt.
    public var revokesRights: Bool { restriction != nil }
}

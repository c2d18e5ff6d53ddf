// Who may do what. One function of a set of operations, asked of two sets: of *a view*, which decides whether
// something is valid and stored and never changes; and of *everything known*, which decides whether it takes
// effect, and which an operation that arrives later can turn. Replicas that hold the same agree.

public import Bytes
public import Causality
public import Wire

extension Roster {
    /// The role of a device as everything known says; nil when it is no active member.
    public func role(of device: DeviceID) -> Role? { state(of: device).role }

    /// The role of a device as the view says; nil when it is no active member there.
    public func role(of device: DeviceID, in view: View) -> Role? {
        state(of: device, in: view.reachable, view.standing).role
    }

    /// True when the author had the right in its view. Such a change is kept, and satisfies contexts, for
    /// ever.
    public func isStored(by author: DeviceID, in view: View, needing right: Right = .data) -> Bool {
        role(of: author, in: view)?.allows(right) ?? false
    }

    /// True when a change takes effect: it is stored, something that gave its author the right stands, and
    /// every standing removal or loss of the right that its view does not count has the change in its
    /// frontier. Else it is void. The answer for changes held already can turn, both ways, when operations
    /// are added: `takeRejudged` says whose.
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
        standing.isPlain && restrictions.isEmpty
            || voidCause(of: change, by: author, in: view, needing: right) == nil
    }

    /// Why a stored change has no effect; nil when it has.
    public func voidCause(
        of change: DotRange, by author: DeviceID, in view: View, needing right: Right = .data
    ) -> VoidCause? {
        if restrictions.isEmpty { return nil }
        let basis = counting(about: author, in: view.reachable, view.standing)
        let holds = basis.contains { standing.holds($0) && entries[Int($0)].effect.gives(right) }
        if !holds { return cause(.notAdmitted, restrictionFelling(basis)) }
        let ending = (restrictions[author] ?? []).filter { restriction in
            guard standing.holds(restriction.index), restriction.role?.allows(right) != true else {
                return false
            }
            let isSeen =
                view.reachable.contains(Int(restriction.index)) && view.standing.holds(restriction.index)
            return !isSeen && restriction.kept[change.replica] < change.last
        }
        guard let first = ending.min(by: { precedes($0.index, $1.index) }) else { return nil }
        return cause(first.role == nil ? .removed : .demoted, first.index)
    }

    private func cause(_ kind: VoidCause.Kind, _ index: Int32?) -> VoidCause {
        let operation = operation(at: index ?? 0)
        return VoidCause(kind: kind, by: operation.author, timestamp: operation.timestamp)
    }

    /// True when it takes rights away from somebody.
    public var hasRestrictions: Bool { !restrictions.isEmpty }

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
            reachable: ReachableSet(first: entries.count), standing: standing)
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
        return View(tops: tops, reachable: reachable, standing: standing(in: reachable))
    }

    /// The view of an operation made on exactly this view, which is held by now.
    func view(adding id: Bytes32, at index: Int32, to view: View, _ reachable: ReachableSet) -> View {
        let mayEndAdmin = entries[Int(index)].effect == .leave || restricts(index)
        // What is new stands in its own view. It was made on all that is there, so nothing falls for it or
        // stands again, unless it leaves no admin.
        let isPlain =
            view.standing.spared.isEmpty && (!mayEndAdmin || hasAdmin(in: reachable, view.standing))
        return View(
            tops: [View.Top(id: id, index: index)], reachable: reachable,
            standing: isPlain ? view.standing : standing(in: reachable))
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
}

extension RosterOperation {
    /// True when adding it can turn `isExecuted` of changes held already.
    public var revokesRights: Bool { restriction != nil }
}

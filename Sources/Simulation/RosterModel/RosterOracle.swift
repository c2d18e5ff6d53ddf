// The small model of what stands (decision 0167): the rules written down a second time, over explicit
// ancestor sets, to compare the roster and the nodes of a simulated mesh with. Nothing here is shared with
// the roster but the decoded operations. What follows from the ancestors of an operation is kept once it
// was worked out.

public import Bytes
public import Causality
public import Wire

/// Operations of one roster, and what follows from any closed set of them.
public final class RosterOracle {
    public typealias Ids = Set<Bytes32>

    public private(set) var operations: [Bytes32: RosterOperation] = [:]
    /// Strict.
    private var ancestors: [Bytes32: Ids] = [:]
    private var depths: [Bytes32: Int] = [:]
    /// What stands, by set.
    private var judgements: [Ids: Ids] = [:]
    /// What stands in an operation's own view, what makes its author a member there, and the last of that.
    private var seen: [Bytes32: Ids] = [:]
    private var bases: [Bytes32: [Bytes32]] = [:]
    private var keys: [Bytes32: Bytes32] = [:]

    /// Operations in an order in which each comes after its heads.
    public init(_ ordered: [RosterOperation] = []) {
        for operation in ordered { add(operation) }
    }

    /// One operation more; its heads were added before. O(acts²) of its view.
    public func add(_ operation: RosterOperation) {
        guard operations[operation.id] == nil else { return }
        precondition(
            operation.heads.allSatisfy { operations[$0] != nil }, "\(operation.id) comes before its heads")
        let mine = view(operation.heads)
        operations[operation.id] = operation
        ancestors[operation.id] = mine
        depths[operation.id] = operation.heads.map { (depths[$0] ?? 0) + 1 }.max() ?? 0
        let standing = standing(in: mine)
        let basis = counting(operation.author, in: mine, standing)
        (seen[operation.id], bases[operation.id]) = (standing, basis)
        keys[operation.id] = basis.max(by: precedes)
    }

    /// These operations and all that they were made on.
    public func view(_ heads: [Bytes32]) -> Ids {
        heads.reduce(into: Ids(heads)) { all, head in all.formUnion(ancestors[head] ?? []) }
    }

    /// What an operation was made on.
    public func ancestors(of id: Bytes32) -> Ids { ancestors[id] ?? [] }

    public var everything: Ids { Ids(operations.keys) }

    // MARK: Who is what

    public enum State: Hashable, Sendable { case stranger, active(Role), left, removed }

    public func role(of device: DeviceID, in view: Ids) -> Role? {
        if case .active(let role) = state(of: device, in: view) { role } else { nil }
    }

    public func state(of device: DeviceID, in view: Ids) -> State {
        state(of: device, in: view, standing(in: view))
    }

    private func state(of device: DeviceID, in view: Ids, _ standing: Ids) -> State {
        let counting = counting(device, in: view, standing).compactMap { operations[$0]?.body }
        if counting.contains(where: { if case .remove = $0 { true } else { false } }) { return .removed }
        if counting.contains(where: { if case .leave = $0 { true } else { false } }) { return .left }
        return counting.compactMap(roleGiven).min().map(State.active) ?? .stranger
    }

    /// True when a change that its author made in this view takes effect for whoever holds `known`; nil: all
    /// that was added.
    public func isExecuted(
        _ change: DotRange, by author: DeviceID, in view: Ids, of known: Ids? = nil
    ) -> Bool {
        guard let stored = role(of: author, in: view), stored >= .writer else { return false }
        let (seen, now) = (standing(in: view), standing(in: known ?? everything))
        let basis = counting(author, in: view, seen)
        guard basis.contains(where: { now.contains($0) }) else { return false }
        return now.allSatisfy { id in
            guard let operation = operations[id], !(view.contains(id) && seen.contains(id)) else {
                return true
            }
            switch operation.body {
            case .remove(let remove) where remove.device == author:
                return remove.frontier[change.replica] >= change.last
            case .role(let lower) where lower.device == author && lower.role < .writer:
                return lower.frontier[change.replica] >= change.last
            default: return true
            }
        }
    }

    // MARK: What stands

    /// The subset of a closed set that stands.
    public func standing(in set: Ids) -> Ids {
        if let known = judgements[set] { return known }
        var spared: Set<DeviceID> = []
        while true {
            let standing = standing(in: set, sparing: spared)
            let devices = Set(set.compactMap { operations[$0].flatMap(subject) })
            let hasAdmin = devices.contains { state(of: $0, in: set, standing) == .active(.admin) }
            let made =
                hasAdmin
                ? []
                : set.filter { id in
                    guard let operation = operations[id], let device = subject(of: operation) else {
                        return false
                    }
                    return standing.contains(id) && roleGiven(operation.body) == .admin
                        && !spared.contains(device)
                        && !counting(device, in: set, standing).contains { isLeave($0) }
                }
            guard !hasAdmin, let first = made.min(by: precedes), let operation = operations[first],
                let device = subject(of: operation)
            else {
                judgements[set] = standing
                return standing
            }
            spared.insert(device)
        }
    }

    private func standing(in set: Ids, sparing spared: Set<DeviceID>) -> Ids {
        let acts = set.filter { isAct($0) }
        let restrictions = acts.filter { operations[$0].flatMap(restricted) != nil }
        var standing = set.subtracting(acts)
        // Each looks at smaller keys only: ascending by key, in any order among equal ones.
        for id in acts.sorted(by: isSenior) {
            guard let operation = operations[id], let mine = ancestors[id], let seen = seen[id] else {
                continue
            }
            if let device = restricted(by: operation), spared.contains(device) { continue }
            let hasBasis = bases[id]?.contains { standing.contains($0) } ?? false
            let isContested = restrictions.contains { other in
                guard let restriction = operations[other], other != id, standing.contains(other) else {
                    return false
                }
                return restricted(by: restriction) == operation.author && isSenior(other, id)
                    && !(mine.contains(other) && seen.contains(other))
                    && ancestors[other]?.contains(id) == false
            }
            if hasBasis, !isContested { standing.insert(id) }
        }
        return standing
    }

    private func counting(_ device: DeviceID, in set: Ids, _ standing: Ids) -> [Bytes32] {
        let about = set.filter { standing.contains($0) && operations[$0].flatMap(subject) == device }
        return about.filter { id in !about.contains { ancestors[$0]?.contains(id) == true } }
    }

    private func isSenior(_ left: Bytes32, _ right: Bytes32) -> Bool {
        guard let a = keys[left], let b = keys[right] else { return false }
        return precedes(a, b)
    }

    private func precedes(_ a: Bytes32, _ b: Bytes32) -> Bool {
        let (left, right) = (depths[a] ?? 0, depths[b] ?? 0)
        return left == right ? a < b : left < right
    }

    // MARK: Kinds

    private func isAct(_ id: Bytes32) -> Bool {
        switch operations[id]?.body {
        case .invite, .add, .remove, .role: true
        default: false
        }
    }

    private func isLeave(_ id: Bytes32) -> Bool {
        if case .leave = operations[id]?.body { true } else { false }
    }

    private func roleGiven(_ body: RosterBody) -> Role? {
        switch body {
        case .genesis: .admin
        case .add(let add): add.role
        case .role(let change): change.role
        default: nil
        }
    }

    private func subject(of operation: RosterOperation) -> DeviceID? {
        switch operation.body {
        case .genesis, .leave: operation.author
        case .add(let add): add.device
        case .remove(let remove): remove.device
        case .role(let change): change.device
        default: nil
        }
    }

    private func restricted(by operation: RosterOperation) -> DeviceID? {
        switch operation.body {
        case .remove(let remove): remove.device
        case .role(let change): change.role == .admin ? nil : change.device
        default: nil
        }
    }
}

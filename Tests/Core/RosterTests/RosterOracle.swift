// The rules of decision 0021 written down a second time, over explicit ancestor sets and without regard to
// cost, to compare the roster with. Nothing here is shared with the roster but the decoded operations.

import Bytes
import Causality
import Roster
import Wire

struct RosterOracle {
    private var operations: [Bytes32: RosterOperation] = [:]
    /// Strict.
    private var ancestors: [Bytes32: Set<Bytes32>] = [:]
    private var standing: [Bytes32: Bool] = [:]

    /// Operations in an order in which each comes after its heads.
    init(_ ordered: [RosterOperation]) {
        for operation in ordered {
            operations[operation.id] = operation
            ancestors[operation.id] = operation.heads.reduce(into: Set(operation.heads)) { all, head in
                all.formUnion(ancestors[head] ?? [])
            }
        }
        for operation in ordered { standing[operation.id] = stands(operation) }
    }

    func view(_ heads: [Bytes32]) -> Set<Bytes32> {
        heads.reduce(into: Set(heads)) { all, head in all.formUnion(ancestors[head] ?? []) }
    }

    var everything: Set<Bytes32> { Set(operations.keys) }

    func role(of device: DeviceID, in view: Set<Bytes32>, judged: Bool) -> Role? {
        var roles: [Role] = []
        var caps: [Role] = []
        for operation in latest(about: device, in: view, judged: judged) {
            let stands = !judged || standing[operation.id] == true
            switch operation.body {
            case .remove, .leave: return nil
            case .genesis: roles.append(.admin)
            case .add(let add): if stands { roles.append(add.role) }
            case .role(let change): if stands { roles.append(change.role) } else { caps.append(change.role) }
            default: break
            }
        }
        return roles.isEmpty ? nil : (roles + caps).min()
    }

    func isExecuted(_ change: DotRange, by author: DeviceID, in view: Set<Bytes32>) -> Bool {
        guard let stored = role(of: author, in: view, judged: false), stored >= .writer,
            let judged = role(of: author, in: view, judged: true), judged >= .writer
        else { return false }
        return operations.values.allSatisfy { operation in
            if view.contains(operation.id) { return true }
            switch operation.body {
            case .remove(let remove) where remove.device == author:
                return remove.frontier[change.replica] >= change.last
            case .role(let lower) where lower.device == author && lower.role < .writer:
                return lower.frontier[change.replica] >= change.last
            default: return true
            }
        }
    }

    private func latest(about device: DeviceID, in view: Set<Bytes32>, judged: Bool) -> [RosterOperation] {
        let about = view.compactMap { operations[$0] }.filter { subject(of: $0) == device }
        return about.filter { operation in
            !about.contains { later in
                (!judged || standing[later.id] == true)
                    && ancestors[later.id]?.contains(operation.id) == true
            }
        }
    }

    private func stands(_ operation: RosterOperation) -> Bool {
        switch operation.body {
        case .add, .role, .invite: break
        default: return true
        }
        let mine = ancestors[operation.id] ?? []
        let isContested = operations.values.contains { other in
            other.id != operation.id && restricted(by: other) == operation.author && !mine.contains(other.id)
                && ancestors[other.id]?.contains(operation.id) == false
        }
        return !isContested
            && latest(about: operation.author, in: mine, judged: false).allSatisfy { standing[$0.id] == true }
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

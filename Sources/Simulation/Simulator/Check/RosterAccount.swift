// What the checkers know of rosters in a trial about members: every operation that an honest disk ever
// held, and which of them each node holds now. The small model says what follows from a set of them
// (decision 0167).

import Bytes
import Causality
import Node
import Roster
import RosterModel
import Wire

/// Rosters of all nodes of a space.
struct RosterAccount {
    let model = RosterOracle()
    private var held: [[Bytes32]]
    private var sets: [Set<Bytes32>]
    /// Every operation on an honest disk, but for those of which nobody hears any more.
    private(set) var everything: Set<Bytes32> = []
    private(set) var unheard: Set<Int> = []

    init(nodes: Int) {
        held = [[Bytes32]](repeating: [], count: nodes)
        sets = [Set<Bytes32>](repeating: [], count: nodes)
    }

    /// What a node holds, in the order in which it came.
    func operations(at index: Int) -> [Bytes32] { held[index] }
    func set(at index: Int) -> Set<Bytes32> { sets[index] }

    mutating func addCopy(of index: Int) {
        held.append(held[index])
        sets.append(sets[index])
    }

    /// The disk is gone, or its node is not trusted any more.
    mutating func forget(_ index: Int) {
        (held[index], sets[index]) = ([], [])
        gather()
    }

    private mutating func gather() {
        everything = sets.indices.reduce(into: []) { all, index in
            if !unheard.contains(index) { all.formUnion(sets[index]) }
        }
    }

    /// What only these hold counts for nobody else: they are out and know nobody who is a member.
    mutating func setAside(_ indices: Set<Int>) {
        unheard = indices
        gather()
    }

    /// Compares a node's account with its disk; what came since. `onEach` hears of each operation that takes
    /// rights away, when it and those before it are taken: what a node says is made as they come.
    mutating func take(
        _ index: Int, _ stored: [[UInt8]], onEach: (RosterAccount) -> Void = { _ in }
    ) throws(Violation) -> [RosterOperation] {
        // An older disk was put back, or what stood behind was in a batch that was lost.
        if stored.count < held[index].count {
            forget(index)
        } else if let last = held[index].last,
            try Self.operation(stored[held[index].count - 1], at: index).id != last
        {
            forget(index)
        }
        if stored.count == held[index].count { return [] }
        var added: [RosterOperation] = []
        for bytes in stored[held[index].count...] {
            let operation = try Self.operation(bytes, at: index)
            guard operation.heads.allSatisfy({ sets[index].contains($0) }) else {
                throw Violation(.stored, "node \(index): \(operation.id) is stored before its heads")
            }
            model.add(operation)
            held[index].append(operation.id)
            sets[index].insert(operation.id)
            if !unheard.contains(index) { everything.insert(operation.id) }
            added.append(operation)
            if operation.revokesRights { onEach(self) }
        }
        return added
    }

    private static func operation(_ bytes: [UInt8], at index: Int) throws(Violation) -> RosterOperation {
        do throws(DecodeFault) {
            return try RosterOperation(decoding: bytes)
        } catch {
            throw Violation(.stored, "node \(index): an operation of the roster: \(error)")
        }
    }

    /// What a device is as a node knows it.
    func state(of device: DeviceID, at index: Int) -> RosterOracle.State {
        sets[index].isEmpty ? .stranger : model.state(of: device, in: sets[index])
    }

    func role(of device: DeviceID, at index: Int) -> Role? {
        if case .active(let role) = state(of: device, at: index) { role } else { nil }
    }

    /// A node knows something that a device said, or that was said of it.
    func mentions(_ device: DeviceID, at index: Int) -> Bool {
        sets[index].contains { id in
            guard let operation = model.operations[id] else { return false }
            return operation.author == device || operation.membershipSubject == device
        }
    }

    /// Devices of which a node knows a removal that does not stand, or that came back.
    func doubted(at index: Int) -> Set<DeviceID> {
        let removed = sets[index].compactMap { id -> DeviceID? in
            if case .remove(let remove)? = model.operations[id]?.body { remove.device } else { nil }
        }
        return Set(removed).filter { state(of: $0, at: index) != .removed }
    }

    /// The same as all operations together say.
    func state(of device: DeviceID) -> RosterOracle.State {
        everything.isEmpty ? .stranger : model.state(of: device, in: everything)
    }

    func role(of device: DeviceID) -> Role? {
        if case .active(let role) = state(of: device) { role } else { nil }
    }

    /// What a node that holds these operations makes of a change.
    func status(of known: KnownChange, by author: DeviceID, at index: Int) -> ChangeStatus {
        let change = known.change
        let range = DotRange(change.replica, change.first, change.last)
        let view = model.view(known.heads)
        return model.isExecuted(range, by: author, in: view, of: sets[index]) ? .executed : .void
    }
}

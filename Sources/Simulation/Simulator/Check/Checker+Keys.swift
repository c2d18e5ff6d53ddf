// The keys of a space: who is out holds nothing under which those who know of it seal what is new, and in the
// end all active members seal under one epoch that is theirs alone (LIFECYCLE, decisions 0168 and 0176).

import Bytes
import Causality
import Identity
import Node
import Roster
import RosterModel
import Wire

extension Checker {
    /// After a commit: which keys the node's device ever had, and that it uses none of somebody's who is
    /// out, as far as it knows and has a better one. What such a device was given and did not take yet is
    /// not counted.
    mutating func takeKeys(
        _ index: Int, _ store: MemoryStore, in space: SpaceID, _ device: DeviceID, isNews: Bool
    )
        throws(Violation)
    {
        guard let roster else { return }
        let stored = try Self.storedKeys(of: index, store, in: space)
        // Opening them takes locked memory for each: not with every commit.
        let isSame = stored == views[index].storedKeys
        if isSame, !isNews { return }
        if !isSame {
            views[index].storedKeys = stored
            views[index].keys = nil
            if let stored { views[index].keys = try Self.opened(stored, of: index, in: space) }
        }
        guard let keys = views[index].keys else { return }
        if keysHeld[device]?.formUnion(keys) == nil { keysHeld[device] = keys }
        guard let content = keys.current.content, roster.role(of: device, at: index) != nil else { return }
        let name = ContentKeyID(of: content)
        let knowing = keysHeld.filter { other, held in
            held.content(named: name) != nil && isOut(other, at: index, roster)
                && isGiven(keys.currentName, to: other, at: index, roster)
        }
        guard let other = knowing.keys.min() else { return }
        let restored = try restoredRoster(index, store, in: space, device)
        let all = restored.epochs.good(in: restored.roster)
        let good = keys.epochs.map(\.name).filter(all.contains)
        guard let better = good.last else { return }
        throw Violation(
            .keys,
            "node \(index) seals under epoch \(keys.currentName.number.value), which \(other.short) has, "
                + "who is out; of \(restored.epochs.names.map(\.number.value)) it holds "
                + "\(better.number.value), which is good")
    }

    /// True when by the operations that a node holds the device got an epoch that is this one or one that was
    /// begun on it. What it was given by others is not known there yet.
    private func isGiven(_ name: KeyEpochName, to device: DeviceID, at index: Int, _ roster: RosterAccount)
        -> Bool
    {
        // What was made on the beginning of an epoch may lead back to it.
        func leads(_ other: KeyEpochName?, _ id: Bytes32) -> Bool {
            guard let other, other != name else { return other != nil }
            return other.number > name.number
                && (name == .first || roster.model.ancestors(of: id).contains { isOf(name, $0, roster) })
        }
        return roster.set(at: index).contains { id in
            guard let operation = roster.model.operations[id] else { return false }
            switch operation.body {
            case .genesis: return operation.author == device && name == .first
            case .keyEpoch(let epoch):
                return (operation.author == device || epoch.packages.contains { $0.device == device })
                    && leads(epoch.name, id)
            case .add(let add):
                return (add.device == device || operation.author == device)
                    && leads(Self.epochCarried(by: add.sealedKeys), id)
            default: return false
            }
        }
    }

    private func isOf(_ name: KeyEpochName, _ id: Bytes32, _ roster: RosterAccount) -> Bool {
        guard case .keyEpoch(let epoch)? = roster.model.operations[id]?.body else { return false }
        return epoch.name == name
    }

    /// The later form of an add begins with number and id.
    private static func epochCarried(by sealed: [UInt8]) -> KeyEpochName {
        guard sealed.count == 133 else { return .first }
        let number = sealed[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return KeyEpochName(KeyEpochNumber(number), KeyEpochID(raw: Bytes16(sealed[4..<20])))
    }

    /// True when the device was removed, or left, as a node knows.
    private func isOut(_ device: DeviceID, at index: Int, _ roster: RosterAccount) -> Bool {
        let state = roster.state(of: device, at: index)
        return state == .removed || state == .left
    }

    private func restoredRoster(_ index: Int, _ store: MemoryStore, in space: SpaceID, _ device: DeviceID)
        throws(Violation) -> RestoredRoster
    {
        do {
            let stored = try store.rosterOperations(space)
            guard let genesis = stored.first else { throw RosterFault.notGenesis }
            var restored = try RestoredRoster(genesis: genesis, for: device)
            for bytes in stored.dropFirst() { try restored.restore(bytes) }
            return restored
        } catch {
            throw Violation(.stored, "node \(index): the roster does not open: \(error)")
        }
    }

    private static func storedKeys(of index: Int, _ store: MemoryStore, in space: SpaceID)
        throws(Violation) -> [UInt8]?
    {
        do {
            return try store.spaces().first { $0.id == space }?.keys
        } catch {
            throw Violation(.stored, "node \(index): a space that does not open: \(error)")
        }
    }

    private static func opened(_ stored: [UInt8], of index: Int, in space: SpaceID) throws(Violation)
        -> SpaceKeys
    {
        do {
            return try SpaceKeys(decoding: stored, of: space)
        } catch {
            throw Violation(.stored, "node \(index): keys that do not open: \(error)")
        }
    }

    /// Nil when these nodes, all active members, seal under one epoch, and it is good where an admin is among
    /// them to make it so.
    func whyKeysDiffer(_ indices: [Int], hasAdmin: Bool, _ world: borrowing World) throws(Violation)
        -> String?
    {
        guard let space, let first = indices.first, let mine = views[first].keys else { return nil }
        for index in indices {
            guard let keys = views[index].keys else { return "node \(index) has no keys" }
            if keys.currentName != mine.currentName {
                let held = [keys, mine].map { $0.epochs.map(\.number.value) }
                return
                    "node \(index) seals under epoch \(keys.currentName.number.value) of \(held[0]), node "
                    + "\(first) under \(mine.currentName.number.value) of \(held[1])"
            }
        }
        let store = world.nodes[first].node?.store ?? world.nodes[first].disk
        let device = world.nodes[first].device
        let restored = try restoredRoster(first, store, in: space, device)
        let isGood = restored.epochs.isGood(mine.currentName, in: restored.roster)
        return isGood || !hasAdmin ? nil : "epoch \(mine.currentName.number.value) is not good"
    }

    /// True where some of these nodes have an epoch that nobody of them may give to the others: who made it
    /// left before anybody heard that, and only readers have it. An admin has to begin another one by hand.
    func isKeyStranded(_ indices: [Int], _ world: borrowing World) -> Bool {
        let names = Set(indices.compactMap { views[$0].keys?.currentName })
        guard names.count > 1, let greatest = names.max() else { return false }
        return !indices.contains { index in
            views[index].keys?.holds(greatest) == true
                && roster?.role(of: world.nodes[index].device) ?? .relay >= .writer
        }
    }

    /// True where a node lacks an epoch of another one which none of these boxes may give to it: all that
    /// have it came to it as readers (decision 0174).
    func isEpochWithheld(at sender: Int, from index: Int, of boxes: [Int], _ world: borrowing World) -> Bool {
        guard let roster, let held = views[sender].keys, let own = views[index].keys else { return false }
        let givers = boxes.map { ($0, world.nodes[$0].device) }
        return held.epochs.map(\.name).contains { name in
            !own.holds(name)
                && !givers.contains { box, device in
                    views[box].keys?.holds(name) == true && Self.mayGive(name, device, at: box, roster)
                }
        }
    }

    /// By what it is, or was in a view of before its removal.
    private static func mayGive(
        _ name: KeyEpochName, _ device: DeviceID, at box: Int, _ roster: RosterAccount
    ) -> Bool {
        if roster.role(of: device, at: box) ?? .relay >= .writer { return true }
        let (model, known) = (roster.model, roster.set(at: box))
        let own = known.filter { model.operations[$0]?.author == device }
        let removals = known.filter { id in
            guard case .remove(let remove)? = model.operations[id]?.body else { return false }
            return remove.device == device
        }
        let before = known.filter { removals.isDisjoint(with: model.view([$0])) }
        return known.contains { id in
            guard gives(name, to: device, id, roster) else { return false }
            let view = model.view([id])
            return [view, view.union(model.view(own.sorted())), before].contains {
                $0.contains(id) && model.role(of: device, in: $0) ?? .relay >= .writer
            }
        }
    }

    private static func gives(
        _ name: KeyEpochName, to device: DeviceID, _ id: Bytes32, _ roster: RosterAccount
    ) -> Bool {
        guard let operation = roster.model.operations[id] else { return false }
        switch operation.body {
        case .keyEpoch(let epoch):
            return epoch.name == name
                && (operation.author == device || epoch.packages.contains { $0.device == device })
        case .add(let add): return add.device == device && epochCarried(by: add.sealedKeys) == name
        default: return false
        }
    }
}

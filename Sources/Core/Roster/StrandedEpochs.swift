// Epochs that not everybody can open and that the current one does not lead back to: of admins that removed
// each other, each began one for its own side, and both sides wrote under theirs. All of it is to be read by
// all, so whoever holds such an epoch gives it on. A device that was removed, or is a reader only by now,
// does so too, as it could have done before it heard of that: on the view in which it got the epoch
// (decision 0174).

import Bytes
public import Causality
public import Crypto
public import Wire

extension MissingPackages {
    /// Of each stranded epoch that this device has to give on; ascending by epoch.
    public static func stranded(of keys: SpaceKeys, _ epochs: KeyEpochs, in roster: inout Roster) -> [Self] {
        if epochs.names.count == 1 || isPlanted("stranded-epochs-kept") { return [] }
        let role = roster.role(of: epochs.device)
        let mayGive = role?.allows(.keyEpoch) == true
        guard
            // By what others did: who leaves by itself keeps nothing.
            mayGive || roster.wasGiven(.keyEpoch, epochs.device)
        else { return [] }
        // Where none is good, an admin begins one that leads back to what it holds. While none hears of it,
        // those who stayed read each other under what they have.
        let isLast = mayGive && !epochs.isGood(keys.currentName, in: roster)
        let readers = Set(roster.activeDevices().filter { roster.role(of: $0) != .relay })
        var reached = mayGive ? keys.chain(from: keys.currentName, epochs, in: roster) : []
        if isLast { reached.remove(keys.currentName) }
        var lacking: [KeyEpochName: [DeviceID]] = [:]
        for name in epochs.names.reversed() where name != .first && !reached.contains(name) {
            guard keys.epoch(name)?.content != nil else { continue }
            let others = epochs.lacking(name, in: roster).filter {
                readers.contains($0) && $0 != epochs.device
            }
            if !mayGive {
                // One that it got when it had no right to give it may lead back to one that it had before.
                if !others.isEmpty, epochs.headsToGive(name, in: &roster) == nil { continue }
                // All have it then, and what it leads back to.
                reached.formUnion(keys.chain(from: name, epochs, in: roster))
            }
            lacking[name] = others
        }
        return lacking.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { name, devices in
            Self(
                of: name, for: devices, by: epochs.device, in: roster,
                when: role == nil ? .atOnce : isLast ? .afterAdmins : .inTurn)
        }
    }
}

extension SpaceKeys {
    /// Epochs to which this one leads back, by what each wraps. O(epochs).
    fileprivate func chain(from name: KeyEpochName, _ epochs: KeyEpochs, in roster: Roster)
        -> Set<KeyEpochName>
    {
        var chain: Set<KeyEpochName> = [name]
        // Each leads to lower numbers only.
        for name in epochs.names.reversed() where chain.contains(name) {
            for earlier in wrapped(by: name, epochs, in: roster) {
                chain.insert(KeyEpochName(earlier.number, earlier.id(in: space)))
            }
        }
        return chain
    }

    /// Packages of an epoch by a device that was removed since it got it, or lost the right to give them;
    /// none when its role then gave no right to.
    public func packages(
        fromBefore name: KeyEpochName, for devices: [DeviceID], _ epochs: KeyEpochs, in roster: inout Roster,
        _ entropy: inout Entropy, at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> [RosterOperation] {
        guard let epoch = epoch(name), let heads = epochs.headsToGive(name, in: &roster) else { return [] }
        return try Self.give(epoch, to: devices, on: heads, in: &roster, &entropy, at: timestamp, by: key)
    }
}

extension Roster {
    /// Some operation gave the device a role with this right.
    fileprivate func wasGiven(_ right: Right, _ device: DeviceID) -> Bool {
        (membership[device] ?? []).contains { entries[Int($0)].effect.gives(right) }
    }

    /// Heads of all that was not made on a removal by which the device is out; ascending, empty when it is
    /// not.
    fileprivate func headsBeside(removalsOf device: DeviceID) -> [Bytes32] {
        let returns = (membership[device] ?? []).filter {
            entries[Int($0)].effect.roleGiven != nil && standing.holds($0)
        }.map { reachable(from: [$0]) }
        let removals = (restrictions[device] ?? []).map(\.index).filter { index in
            entries[Int(index)].effect.roleGiven == nil && standing.holds(index)
                && !returns.contains { $0.contains(Int(index)) }
        }
        guard let first = removals.min() else { return [] }
        var (after, named) = (Set(removals), Set<Int32>())
        // Every operation stands after its parents.
        for index in entries.indices.map(Int32.init) {
            let parents = entries[Int(index)].parents
            if index > first, parents.contains(where: after.contains) { after.insert(index) }
            if after.contains(index) { continue }
            named.subtract(parents)
            named.insert(index)
        }
        return named.map { entries[Int($0)].id }.sorted()
    }
}

extension KeyEpochs {
    /// Heads of a view that holds the epoch and gives the device the right to pass it on. A device that has
    /// lost the right makes its packages on them. Nil: no view has both.
    fileprivate func headsToGive(_ name: KeyEpochName, in roster: inout Roster) -> [Bytes32]? {
        guard let source = source(of: name, in: roster), let place = roster.indices[source] else {
            return nil
        }
        // The member that gave the epoch may not have known the device. Then the view needs an operation of
        // the device, which made it a member there, or all that the device knows beside its removal.
        let latest = roster.latestBy[device].map { roster.entries[Int($0)].id }
        let own = [source, latest].compactMap(\.self).sorted()
        for heads in [[source], own, roster.headsBeside(removalsOf: device)] {
            guard !heads.isEmpty, heads.count <= RosterLimits.headsMax,
                let view = roster.view(heads: heads), view.reachable.contains(Int(place)),
                roster.role(of: device, in: view)?.allows(.keyEpoch) == true
            else { continue }
            return heads
        }
        return nil
    }

    /// The operation that gave the device the epoch, or began it there.
    fileprivate func source(of name: KeyEpochName, in roster: Roster) -> Bytes32? {
        let begun = beginnings[name]?.first { $0.author == device }?.index
        let index = begun ?? ownPackages.first { $0.name == name }?.index
        return index.map { roster.entries[Int($0)].id }
    }
}

// New keys: when somebody asks for them, with a removal, and where this device has to by itself
// (decisions 0168 and 0176).

import Causality
import Replication
import Roster
import Wire

extension Node {
    /// New secrets for all active members; keys and roster have them, the caller stores both.
    mutating func beginEpoch(in index: SpaceHandle, at now: Instant) throws(NodeError) -> KeyRotation {
        let rotation: KeyRotation
        do throws(RosterFault) {
            rotation = try spaces[index].membership.rotate(&entropy, at: now, by: configuration.device)
        } catch {
            throw .noRight(have: try myRole(in: index), need: .admin)
        }
        batch.log(
            .notice, "keys-rotated",
            "space \(spaces[index].name) has new keys: epoch \(rotation.id), begun by this node")
        return rotation
    }

    // MARK: Asked

    func keyEpochs(of index: SpaceHandle) -> [KeyEpochReport] {
        let (roster, epochs) = (spaces[index].roster, spaces[index].membership.epochs)
        let good = epochs.good(in: roster)
        return epochs.names.compactMap { name in
            epochs.beginning(of: name, in: roster).map { beginning in
                KeyEpochReport(
                    id: name.id, number: name.number.value, author: spaces[index].named(beginning.author),
                    timestamp: beginning.timestamp.milliseconds, isGood: good.contains(name),
                    isCurrent: name == spaces[index].keys.currentName)
            }
        }
    }

    mutating func rotateKeys(_ id: RequestID, in index: SpaceHandle, isForced: Bool, at now: Instant)
        throws(NodeError)
    {
        try need(.admin, in: index)
        if !isForced { try needUpgraded(in: index) }
        let rotation = try beginEpoch(in: index, at: now)
        storeRoster(rotation.operations, in: index, at: now)
        batch.answer(id, .keysRotated(rotation.id))
    }

    // MARK: By itself

    /// Gives packages, and begins epochs, where it is this device's turn.
    mutating func tickKeys(at now: Instant) {
        for index in spaces.indices
        where spaces[index].membership.keyWork.deadline.map({ $0 <= now.monotonic }) == true {
            givePackages(in: index, at: now)
            rotateWhereNoneIsGood(in: index, at: now)
        }
    }

    private mutating func givePackages(in index: SpaceHandle, at now: Instant) {
        let given: [RosterOperation]
        do throws(RosterFault) {
            given = try spaces[index].membership.givePackages(&entropy, at: now, by: configuration.device)
        } catch {
            // The right to was lost; others give them.
            return
        }
        if given.isEmpty { return }
        batch.log(.info, "keys-given", "members of space \(spaces[index].name) got the keys that they lacked")
        storeRoster(given, in: index, at: now)
    }

    /// Somebody who can open every epoch left, was removed elsewhere, or is a relay now.
    private mutating func rotateWhereNoneIsGood(in index: SpaceHandle, at now: Instant) {
        let work = spaces[index].membership.keyWork
        guard let since = work.noneGoodSince, let check = work.rotationCheck, check <= now.monotonic else {
            return
        }
        // Somebody left, and a member runs an earlier program: new keys would shut that one out.
        if !hasLeftEarlierPrograms(index), !olderMembers(of: index).isEmpty {
            return spaces[index].membership.putOffRotation(to: now.monotonic + KeyWork.upgradeMilliseconds)
        }
        let space = spaces[index].id
        let linked = links.channels(of: space).map { links[links[$0].link].device }
        let isFirst = spaces[index].roster.mostSenior(of: linked + [device]) == device
        let turn = since + KeyWork.rotationDelay(of: device, in: space)
        guard isFirst || turn <= now.monotonic else {
            return spaces[index].membership.putOffRotation(to: turn)
        }
        do throws(NodeError) {
            let rotation = try beginEpoch(in: index, at: now)
            storeRoster(rotation.operations, in: index, at: now)
        } catch {
            // No admin any more: others do.
            spaces[index].membership.putOffRotation(to: .max)
        }
    }
}

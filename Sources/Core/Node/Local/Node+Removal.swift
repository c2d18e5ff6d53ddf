// Members that an admin removes, or gives another role. The operation names what is held here of the device's
// logs, in the same transaction: that stays in effect, and what it wrote besides does not.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Node {
    mutating func removeMember(
        _ id: RequestID, _ reference: MemberReference, of space: SpaceReference, isDryRun: Bool,
        isForced: Bool, at now: Instant
    ) throws(NodeError) {
        let index = try handle(of: space)
        let member = try member(reference, in: index, isActive: true)
        let isMe = member.device == device
        if !isMe {
            try need(.admin, in: index)
            if !isForced { try needUpgraded(in: index, without: member.device) }
        }
        let kept = fence(of: member.device, in: index)
        let lost = try void(beyond: kept, of: member.device, in: index)
        let report = RemovalReport(
            removed: member, changes: lost.changes, documents: lost.documents,
            members: spaces[index].roster.activeDevices().count - 1)
        if isMe {
            // Its checks first, whether or not it is done.
            if let refusal = try refusalToLeave(index) {
                throw .leaveRefused(space: spaces[index].name, refusal)
            }
            if isDryRun { return batch.answer(id, .memberRemoved(report)) }
            return try leaveSpace(id, space, isForced: false, answer: .memberRemoved(report), at: now)
        }
        if isDryRun { return batch.answer(id, .memberRemoved(report)) }
        let epoch = try author(
            .remove(RosterBody.Remove(device: member.device, frontier: kept)), rotates: true, in: index,
            at: now)
        batch.log(
            .notice, "member-removed",
            "\(member) was removed from space \(spaces[index].name) by this node")
        batch.answer(id, .memberRemoved(report.rotated(to: epoch)))
    }

    mutating func changeRole(
        _ id: RequestID, of reference: MemberReference, to role: Role, in index: SpaceHandle,
        isForced: Bool, at now: Instant
    ) throws(NodeError) {
        let member = try member(reference, in: index, isActive: true)
        try need(.admin, in: index)
        let roster = spaces[index].roster
        guard roster.role(of: member.device) != role else { throw .sameRole(member, role) }
        if member.device == device,
            !roster.activeDevices().contains(where: { $0 != device && roster.role(of: $0) == .admin })
        {
            throw .lastAdmin(spaces[index].name)
        }
        // Earlier programs know of no other change of role.
        if role < .admin, !isForced { try needUpgraded(in: index) }
        let kept = fence(of: member.device, in: index)
        let change = RosterBody.RoleChange(device: member.device, role: role, frontier: kept)
        // A relay reads nothing of what is written from now on.
        _ = try author(.role(change), rotates: role == .relay, in: index, at: now)
        batch.log(
            .notice, "role-changed",
            "\(member) is \(role.name) of space \(spaces[index].name) from now on, by this node")
        guard let now = spaces[index].roster.member(member.device).map({ report($0, in: index, at: now) })
        else { preconditionFailure("\(member) is a member") }
        batch.answer(id, .member(now))
    }

    /// Signs an operation of this admin, and does what follows from it; new keys are in the same transaction.
    private mutating func author(
        _ body: RosterBody, rotates: Bool, in index: SpaceHandle, at now: Instant
    ) throws(NodeError) -> KeyEpochID? {
        let operation: RosterOperation
        do throws(RosterFault) {
            operation = try spaces[index].membership.roster.author(
                body, at: now.timestamp, by: configuration.device)
            _ = try spaces[index].membership.roster.add(operation)
        } catch {
            throw .noRight(have: try myRole(in: index), need: .admin)
        }
        let rotation = rotates ? try beginEpoch(in: index, at: now) : nil
        storeRoster([operation] + (rotation?.operations ?? []), in: index, at: now)
        return rotation?.id
    }

    /// How far this node holds a device's logs. A frontier names only so many: logs that go on come before
    /// those that are gone, and longer ones first.
    private func fence(of device: DeviceID, in index: SpaceHandle) -> VersionVector {
        let written = spaces[index].logs.written(by: device)
        let kept = [spaces[index].held, spaces[index].exceptions.gone].flatMap { held in
            written.map { VersionVector.Entry($0, held[$0]) }.filter { $0.last > .none }
                .sorted { ($1.last, $0.replica) < ($0.last, $1.replica) }
        }
        return VersionVector(kept.prefix(RosterLimits.frontierMax))
    }

    /// Changes of the device beyond a fence that are held here, and the documents that they touch.
    private mutating func void(
        beyond kept: VersionVector, of device: DeviceID, in index: SpaceHandle
    ) throws(NodeError) -> (changes: Int, documents: Int) {
        let logs = spaces[index].logs.written(by: device).filter { spaces[index].held[$0] > kept[$0] }
        if logs.isEmpty { return (0, 0) }
        try stored { node throws(StoreFailure) in
            try node.spaces[index].writeRun(to: &node.transaction)
        }
        return try reading(in: index) { node throws(StoreFailure) in
            var reader = LogReader(space: node.spaces[index].id)
            var (changes, touched) = (0, Set<Key>())
            for log in logs {
                let records = try node.spaces[index].logs.committed(
                    of: log, from: kept[log] + 1, in: node.store)
                changes += records.count
                for record in records {
                    touched.formUnion(try reader.change(record, from: node.store).touched)
                }
            }
            return (changes, touched.count)
        }
    }
}

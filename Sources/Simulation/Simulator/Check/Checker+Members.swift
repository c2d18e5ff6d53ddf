// Members come and go: what counts of a change follows from the operations of the roster that a node holds,
// whatever the order in which they came, and who was removed is told nothing of what came after it
// (LIFECYCLE, decisions 0167 and 0169).

import Bytes
import Causality
import Documents
import Identity
import Node
import Roster
import RosterModel
import Wire

extension Checker {
    /// What a node makes of a change now; nil: nobody has it.
    func status(_ number: Int, at index: Int) -> ChangeStatus? { views[index].statuses[number] }

    /// Changes are still to be judged.
    mutating func takeRejudging(_ index: Int, _ store: MemoryStore, in space: SpaceID) throws(Violation) {
        do throws(StoreFailure) {
            views[index].isRejudging = try store.meta("rejudging/\(space)") != nil
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
    }

    /// Where nobody's rights change, a change counts everywhere or nowhere, but for what is late.
    mutating func judge(_ number: Int, as status: ChangeStatus, at index: Int) throws(Violation) {
        let isLate = isLate(number, at: index)
        if isLate, views[index].inBase.contains(number) { return }
        if isLate, status == .void || views[index].isRejudging {
            marks.insert("change-late")
            return try checkMayBeLate(number, at: index)
        }
        do throws(Violation) {
            try universe.judge(number, as: status)
        } catch {
            let story = log(of: universe[number].change.replica, at: index)
            throw Violation(error.invariant, "node \(index): \(error.message), \(story)")
        }
    }

    /// New operations of the roster on a node's disk; true when there were any.
    mutating func takeRoster(
        _ index: Int, _ store: MemoryStore, in space: SpaceID, _ device: DeviceID, at time: UInt64
    ) throws(Violation) -> Bool {
        guard roster != nil else { return false }
        let stored: [[UInt8]]
        do throws(StoreFailure) {
            stored = try store.rosterOperations(space)
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        let isNews = stored.count != roster?.operations(at: index).count
        for device in isNews ? roster?.doubted(at: index) ?? [] : [] { doubts[device] = time }
        var doubted: Set<DeviceID> = []
        let added = try roster?.take(index, stored) { doubted.formUnion($0.doubted(at: index)) } ?? []
        for device in doubted { doubts[device] = time }
        if added.isEmpty { return false }
        views[index].isTurned = views[index].isTurned || added.contains(where: \.revokesRights)
        try checkServed(index, added, device, at: time)
        return true
    }

    /// Who was removed hears of the removal and of what it was made on, and of nothing that was made on it.
    /// Not asked of one that came back, or to whom some node may have spoken for which the removal does not
    /// stand.
    private mutating func checkServed(
        _ index: Int, _ added: [RosterOperation], _ device: DeviceID, at time: UInt64
    ) throws(Violation) {
        guard let roster, roster.state(of: device, at: index) == .removed, isOut(device, roster),
            !isDoubted(device, at: time)
        else { return }
        // Somebody who was let in again without hearing of it, and then removed, gets what was made between.
        var shown: Set<Bytes32> = []
        for id in roster.set(at: index) {
            guard case .remove(let remove)? = roster.model.operations[id]?.body, remove.device == device
            else {
                continue
            }
            shown.formUnion(roster.model.ancestors(of: id))
        }
        shown.formUnion(fellingReturns(of: device, after: shown, roster))
        let removals = lastRemovals(of: device, at: index, roster)
        let signers = exposed.union([device])
        for operation in added where !signers.contains(operation.author) && !shown.contains(operation.id) {
            let view = roster.model.ancestors(of: operation.id)
            guard !view.isDisjoint(with: removals), roster.model.state(of: device, in: view) == .removed
            else {
                continue
            }
            throw Violation(
                .servedNothing,
                "node \(index) was removed, and got \(operation.id) of \(operation.author.short), which was "
                    + "made after that")
        }
        marks.insert("removed-told")
    }

    /// Somebody served the device until lately, and might.
    private func isDoubted(_ device: DeviceID, at time: UInt64) -> Bool {
        doubts[device].map { time <= $0 + Self.underWayMilliseconds } ?? false
    }

    /// The longest pause, and a link on which nothing is heard any more.
    private static let underWayMilliseconds: UInt64 = 60_000

    /// Restrictions of those who removed a device or let it in again, of those who let these in, and of those
    /// who restricted these, with what they were made on. By these the device learns that its removal stands
    /// and its return does not.
    private func fellingReturns(of device: DeviceID, after shown: Set<Bytes32>, _ roster: RosterAccount)
        -> Set<Bytes32>
    {
        let giving = roster.model.operations.values.filter { operation in
            switch operation.body {
            case .add, .role: operation.membershipSubject != nil
            default: false
            }
        }
        let returns = giving.filter { $0.membershipSubject == device && !shown.contains($0.id) }
        let restricting = roster.model.operations.values.filter { $0.revokesRights }
        var givers = Set(returns.map(\.author))
        givers.formUnion(restricting.filter { $0.membershipSubject == device }.map(\.author))
        var count = 0
        while count < givers.count {
            count = givers.count
            for operation in giving + restricting {
                guard let subject = operation.membershipSubject, givers.contains(subject) else { continue }
                givers.insert(operation.author)
            }
        }
        let restrictions = restricting.filter { givers.contains($0.membershipSubject ?? device) }
        return restrictions.reduce(into: Set<Bytes32>()) {
            $0.formUnion(roster.model.ancestors(of: $1.id).union([$1.id]))
        }
    }

    /// Removals of the device that a node holds and after which it knows of no admission: what was made
    /// between earlier ones and its return it was given as a member.
    private func lastRemovals(of device: DeviceID, at index: Int, _ roster: RosterAccount) -> Set<Bytes32> {
        let about = roster.set(at: index).compactMap { roster.model.operations[$0] }.filter {
            $0.membershipSubject == device
        }
        let before = about.reduce(into: Set<Bytes32>()) { before, operation in
            if case .add = operation.body { before.formUnion(roster.model.ancestors(of: operation.id)) }
        }
        let removals = about.filter { if case .remove = $0.body { true } else { false } }
        return Set(removals.map(\.id)).subtracting(before)
    }

    /// True when all nodes that know of a removal of the device say that it is out.
    private func isOut(_ device: DeviceID, _ roster: RosterAccount) -> Bool {
        views.indices.allSatisfy { other in
            let set = roster.set(at: other)
            let isTold = set.contains { id in
                if case .remove(let remove)? = roster.model.operations[id]?.body {
                    remove.device == device
                } else {
                    false
                }
            }
            return !isTold || roster.state(of: device, at: other) == .removed
        } && roster.state(of: device) == .removed
    }

    /// A change that a node just took in: it counts as the roster says, and is nothing that a removed box may
    /// not have.
    mutating func checkNew(
        _ number: Int, as status: ChangeStatus, at index: Int, _ device: DeviceID, _ time: UInt64
    ) throws(Violation) {
        guard let roster else { return }
        let known = universe[number]
        guard let author = universe.devices[known.change.replica] else { return }
        if author != device, roster.state(of: device, at: index) == .removed, isOut(device, roster),
            !isDoubted(device, at: time), case let view = roster.model.view(known.heads),
            !view.isDisjoint(with: lastRemovals(of: device, at: index, roster)),
            roster.model.state(of: device, in: view) == .removed
        {
            throw Violation(
                .servedNothing, "node \(index) was removed, and got \(known.change.id), written after that")
        }
        if views[index].isRejudging { return }
        try checkStatus(number, status, by: author, at: index)
    }

    /// Void changes on a node, in the order in which the world learned of them.
    func void(at index: Int) -> [Dot] {
        views[index].statuses.filter { $0.value == .void }.keys.sorted().map { universe[$0].change.id }
    }

    /// A change that its author's node just made adopts nothing that another one of this device adopted and
    /// that counts there.
    mutating func checkAdoption(_ number: Int, by device: DeviceID, at index: Int) throws(Violation) {
        let change = universe[number].change
        // Copies of one box issue again what others of them adopted as well.
        guard let adopted = change.operations.first?.adopted, universe.devices[change.replica] == device,
            !universe.forking.contains(device)
        else { return }
        for other in views[index].statuses.keys.sorted() where other != number {
            guard views[index].statuses[other] == .executed else { continue }
            let earlier = universe[other].change
            // What stood in a branch that was closed is issued again.
            guard earlier.operations.first?.adopted == adopted,
                universe.devices[earlier.replica] == device, !isForked(other, at: index)
            else { continue }
            throw Violation(
                .adoptedOnce, "node \(index) adopts \(adopted) by \(change.id), and did by \(earlier.id)")
        }
    }

    private mutating func checkStatus(
        _ number: Int, _ status: ChangeStatus, by author: DeviceID, at index: Int
    ) throws(Violation) {
        guard let roster else {
            if !isForked(number, at: index) { try judge(number, as: status, at: index) }
            return
        }
        let known = universe[number]
        if isForked(number, at: index) { return }
        let expected = roster.status(of: known, by: author, at: index)
        guard status == expected else {
            throw Violation(
                .sameValidity,
                "node \(index): \(known.change.id) of \(author.short) is \(status), and by the operations "
                    + "that it holds \(expected)")
        }
    }

    /// After changes were judged again: what the disk says of each, and, unless more is to be judged, that it
    /// follows from the operations held.
    mutating func takeStatuses(_ index: Int, _ store: MemoryStore, in space: SpaceID) throws(Violation) {
        for (number, record) in try rows(of: index, store, in: space) {
            if let before = views[index].statuses.updateValue(record.status, forKey: number),
                before != record.status
            {
                marks.insert(record.status == .void ? "turned-void" : "turned-back")
                views[index].isTurned = true
                views[index].recordChanged(universe[number].documents)
            }
            guard !views[index].isRejudging, let author = universe.devices[record.replica] else { continue }
            try checkStatus(number, record.status, by: author, at: index)
        }
    }

    /// The space is gone from a node that left it; what it had acknowledged is asked of the others. Who was
    /// removed leaves by itself: what only it held is gone, as it was told. So it is where two leave at once,
    /// each as the other said that it holds everything (decision 0148).
    mutating func takeLeft(_ index: Int, _ device: DeviceID) {
        let wasRemoved = roster?.state(of: device, at: index) == .removed
        let countsOnDeparted = departed.contains { (roster?.role(of: $0, at: index) ?? .relay) > .relay }
        parted += views[index].acknowledged
        views[index] = NodeView()
        roster?.forget(index)
        departed.insert(device)
        if wasRemoved || countsOnDeparted { forgetLost() }
    }

    /// Members as a node lists them, against the model of all operations.
    func checkMembers(_ members: [MemberReport], at index: Int) throws(Violation) {
        guard let roster else { return }
        for member in members {
            let expected: String
            switch roster.state(of: member.device) {
            case .active(let role): expected = "active \(role)"
            case .left: expected = "left"
            case .removed: expected = "removed"
            case .stranger: expected = "no member"
            }
            let told = member.state == "active" ? "active \(member.role)" : member.state
            guard told == expected else {
                throw Violation(
                    .sameMembers,
                    "node \(index) lists \(member.device.short) as \(told), and by all operations it is "
                        + "\(expected)"
                )
            }
        }
        let listed = Set(members.filter { $0.state == "active" }.map(\.device))
        let devices = Set(roster.model.operations.values.compactMap(\.describedDevice))
        let expected = devices.filter { roster.role(of: $0) != nil }
        guard listed == expected else {
            throw Violation(
                .sameMembers, "node \(index) lists \(listed.count) active members, not \(expected.count)")
        }
    }
}

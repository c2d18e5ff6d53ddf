// What must be when all faults are over and members came and went: all that are active hold the same
// operations and changes, list the same members, and hold what was ever acknowledged to a program; who was
// removed says so, refuses writes, and has handed over what it wrote.

import Bytes
import Causality
import Documents
import Identity
import Node
import Roster
import RosterModel
import Wire

extension Trial {
    /// Honest nodes that are members, by all operations together. Without those set aside there is nobody who
    /// could tell the others that these are out.
    private var activeMembers: [Int] {
        guard let roster = checker.roster else { return [] }
        return members.indices.filter { index in
            !members[index].isTraitor && isInSpace(index) && !roster.unheard.contains(index)
                && roster.role(of: world.nodes[index].device) != nil
        }
    }

    var activeHolders: [Int] {
        activeMembers.filter { checker.roster?.role(of: world.nodes[$0].device) ?? .relay >= .reader }
    }

    /// Honest boxes that were removed and still have what they had, but for those set aside.
    private var removedBoxes: [Int] {
        members.indices.filter { index in
            !members[index].isTraitor && isInSpace(index)
                && checker.roster?.unheard.contains(index) == false
                && checker.roster?.state(of: world.nodes[index].device) == .removed
        }
    }

    /// Honest boxes that nobody let in who might have.
    private var strayBoxes: [Int] {
        members.indices.filter { index in
            !members[index].isTraitor && isInSpace(index)
                && checker.roster?.state(of: world.nodes[index].device) == .stranger
        }
    }

    /// Whose admission fell says nothing more; what only such a box signed is nobody's, and what is only on
    /// one that reaches nobody. What they hear after all were equal is asked of nobody.
    mutating func setUnheardAside() {
        checker.roster?.setAside([])
        guard let roster = checker.roster else { return }
        let active = activeMembers
        let heard = active + removedBoxes.filter { knowsWhereToGo($0, active, roster) }
        checker.roster?.setAside(Set(members.indices).subtracting(heard))
    }

    /// Nil when rosters are level, and whoever is out knows it and has handed over its log.
    func whyMembersDiffer() throws(Violation) -> String? {
        guard let roster = checker.roster else { return nil }
        let active = activeMembers
        let all = roster.everything
        for index in active {
            let lacking = all.subtracting(roster.set(at: index)).sorted().compactMap {
                roster.model.operations[$0]
            }
            if !lacking.isEmpty {
                let kinds = lacking.map { "\($0.body) of \($0.author.short)".prefix(120) }
                return "node \(index) lacks of \(all.count) operations \(kinds.joined(separator: ", "))"
            }
            if checker.views[index].isRejudging { return "node \(index) still judges" }
            if !isRunning(index) { return "node \(index) does not run" }
        }
        let admins = active.filter { roster.role(of: world.nodes[$0].device) == .admin }
        let mayRenew = !admins.isEmpty && !isWaitingForUpgrades
        if let reason = try checker.whyKeysDiffer(active, hasAdmin: mayRenew, world) { return reason }
        if let asking = members.indices.first(where: isAskingAsMember) {
            return "node \(asking) was let in and does not know it yet"
        }
        let canInvite = active.contains { roster.role(of: world.nodes[$0].device) == .admin }
        // A leave that is told only now may make an admin of somebody: after the end nobody asks for invites.
        for index in members.indices where !members[index].isTraitor && canInvite && !isServing {
            let isWaiting = !members[index].isJoined && members[index].joinAt < .max && !members[index].isOut
            if isWaiting { return "node \(index) has not joined" }
        }
        for index in removedBoxes where knowsWhereToGo(index, active, roster) {
            if !isRunning(index) { return "node \(index) does not run" }
            if roster.state(of: world.nodes[index].device, at: index) != .removed {
                return "node \(index) does not know that it was removed"
            }
            let lacking = active.first { other in
                !mayWaitForBranch(of: index, at: other)
                    && checker.views[index].acknowledged.contains { isLacking($0, at: other) }
            }
            if let lacking { return "node \(lacking) lacks something of the removed node \(index)" }
        }
        // By way of others one may learn later where to go.
        for index in strayBoxes where !isServing && knowsWhereToGo(index, active, roster) {
            if !isRunning(index) { return "node \(index) does not run" }
            if roster.role(of: world.nodes[index].device, at: index) != nil {
                return "node \(index) does not know that it is no member"
            }
        }
        return nil
    }

    /// The first new keys shut earlier programs out, and somebody never said what it runs (decision 0170).
    private var isWaitingForUpgrades: Bool {
        guard let roster = checker.roster else { return false }
        let operations = roster.everything.compactMap { roster.model.operations[$0] }
        var said: Set<DeviceID> = []
        for operation in operations {
            switch operation.body {
            case .keyEpoch: return false
            case .deviceSoftware: said.insert(operation.author)
            default: if operation.revokesRights { return false }
            }
        }
        return world.nodes.contains { roster.role(of: $0.device) != nil && !said.contains($0.device) }
    }

    /// It was let in and waits for the answer: it may be the admin that others wait for.
    private func isAskingAsMember(_ index: Int) -> Bool {
        members[index].isJoining && !members[index].isTraitor && !isInSpace(index)
            && checker.roster?.role(of: world.nodes[index].device) != nil
    }

    private func isRunning(_ index: Int) -> Bool {
        world.nodes[index].pausedUntil <= world.time && world.nodes[index].node != nil
    }

    /// One of several copies of a box knows no other member, or all members are copied: copies are not linked
    /// to each other, and each box has one link to a device.
    private var isCopyAlone: Bool {
        guard plan.isAboutMembers, let roster = checker.roster else { return false }
        let active = activeMembers
        let boxes = Dictionary(grouping: active) { world.nodes[$0].device }
        if !boxes.isEmpty, boxes.values.allSatisfy({ $0.count > 1 }) { return true }
        return active.contains { index in
            let device = world.nodes[index].device
            return active.contains { $0 != index && world.nodes[$0].device == device }
                && !active.contains { other in
                    world.nodes[other].device != device
                        && roster.role(of: world.nodes[other].device, at: index) != nil
                }
        }
    }

    /// A removed box hears of nobody who came after; when all it knows are out as well, nobody hears of it.
    /// Neither does anybody without a secret that one of those has, who came when the mesh was cut.
    private func knowsWhereToGo(_ index: Int, _ active: [Int], _ roster: RosterAccount) -> Bool {
        // Of copies of a box that is out one hears it, and a log that they wrote twice is not handed over.
        if checker.universe.forking.contains(world.nodes[index].device) { return false }
        return active.contains { dials(index, $0, roster) }
    }

    /// The box lists the other one as a member and can open a link to it.
    private func dials(_ index: Int, _ other: Int, _ roster: RosterAccount) -> Bool {
        let (device, peer) = (world.nodes[index].device, world.nodes[other].device)
        guard device != peer, roster.role(of: peer, at: index) != nil,
            let own = checker.views[index].keys, let others = checker.views[other].keys
        else { return false }
        // Another copy of the box showed newer ones, and then older ones open nothing.
        if checker.universe.forking.contains(device) || isCopied(peer) {
            return own.currentName == others.currentName
        }
        let names = own.epochs.map(\.name)
        // Older secrets are kept for those that are known of.
        if !roster.mentions(device, at: other) { return names.contains(others.currentName) }
        return others.epochs.contains { names.contains($0.name) }
    }

    private func isCopied(_ device: DeviceID) -> Bool {
        members.indices.filter { isInSpace($0) && world.nodes[$0].device == device }.count > 1
    }

    /// Boxes that have the space fell into parts which do not know each other any more, or have no secret in
    /// common: whoever came while the mesh was cut, by somebody who is out. A new invite is what helps.
    var isApart: Bool {
        guard plan.isAboutMembers, let roster = checker.roster else { return false }
        let boxes = members.indices.filter { !members[$0].isTraitor && isInSpace($0) }
        let first = boxes.first { roster.role(of: world.nodes[$0].device, at: $0) != nil }
        guard let first else { return false }
        var (reached, open) = ([first] as Set<Int>, [first])
        while let index = open.popLast() {
            for other in boxes where !reached.contains(other) {
                guard dials(index, other, roster) || dials(other, index, roster) else { continue }
                reached.insert(other)
                open.append(other)
            }
        }
        // Of one that knows that it is out nothing more is asked. A copy that heard of its removal, and not
        // that the box is a member all the same, is asked what members are, and its other half has new keys.
        let isOneLeft = boxes.contains { index in
            let device = world.nodes[index].device
            return !reached.contains(index)
                && (roster.role(of: device, at: index) != nil
                    || isCopied(device) && roster.role(of: device) != nil)
        }
        return isOneLeft || isCopyAlone || checker.isKeyStranded(activeMembers, world)
    }

    /// A branch of a device that was restored or copied, on boxes only that were removed: those hand over
    /// what nobody else says it has, and of this log the members have another branch.
    func isStranded(_ number: Int, _ holders: [Int]) -> Bool {
        let replica = checker.universe[number].change.replica
        guard plan.isAboutMembers, let device = checker.universe.devices[replica],
            checker.universe.forking.contains(device)
        else { return false }
        return !holders.contains { checker.holds(number, at: $0) }
    }

    /// A box that was removed wrote on a branch of somebody else's log that only it has, so what it wrote
    /// waits.
    private func mayWaitForBranch(of index: Int, at other: Int) -> Bool {
        guard (world.nodes[other].node?.earlyChanges.count ?? 0) > 0 else { return false }
        return checker.views[index].vector.entries.contains { entry in
            guard let device = checker.universe.devices[entry.replica],
                device != world.nodes[index].device, checker.universe.forking.contains(device),
                let number = checker.lastNumber(of: Dot(entry.replica, entry.last), at: index)
            else { return false }
            return isLacking(number, at: other)
        }
    }

    private func isLacking(_ number: Int, at index: Int) -> Bool {
        !checker.holds(number, at: index) && !checker.views[index].isClosed(checker.universe[number].change)
    }

    /// What is asked of trials about members only.
    mutating func checkEverybody() throws(Violation) {
        guard plan.isAboutMembers, let roster = checker.roster else { return }
        let active = activeMembers
        let removed = removedBoxes.filter {
            roster.state(of: world.nodes[$0].device, at: $0) == .removed && isRunning($0)
        }
        for index in active { request(index, .members(reference), for: .members) }
        for index in removed {
            let write = OperationRequest(document: "after/out", path: [.key("n")], verb: .increment(by: 1))
            let transaction = Transaction(operations: [write], conditions: [], idempotency: nil)
            request(index, .transact(reference, transaction), for: .refused)
        }
        // Some answer at once, and nothing happens after that where a node is alone.
        try look()
        try runEvents(until: world.time + 5_000)
        if let silent = active.first(where: { !members[$0].hasListed }) {
            throw Violation(.serves, "node \(silent) did not say who is a member")
        }
        if let silent = removed.first(where: { !members[$0].hasRefused }) {
            throw Violation(.serves, "node \(silent) did not say that it was removed")
        }
        let known = removed.filter { knowsWhereToGo($0, active, roster) }
        let unheard = unheardBoxes
        let left = checker.parted.filter { number in !unheard.contains { checker.holds(number, at: $0) } }
        let handedOver = known.filter { index in !active.contains { mayWaitForBranch(of: index, at: $0) } }
        for number in handedOver.flatMap({ checker.views[$0].acknowledged }) + left
        where !checker.lost.contains(number) {
            guard let lacking = activeHolders.first(where: { isLacking(number, at: $0) }) else { continue }
            throw Violation(
                .acknowledgedStays,
                "node \(lacking) has not \(checker.universe[number].change.id), which a node acknowledged "
                    + "that is out now\(checker.heldBy(number))")
        }
        if !removed.isEmpty { result.marks.insert("removed-at-the-end") }
    }

    /// Boxes that hand nothing over: who turned away, is out and knows nobody who is not, or, as shows later,
    /// was no member. What others left to them is with them.
    private var unheardBoxes: [Int] {
        guard let roster = checker.roster else { return [] }
        let active = activeMembers
        let heard = removedBoxes.filter {
            roster.state(of: world.nodes[$0].device, at: $0) == .removed && isRunning($0)
                && knowsWhereToGo($0, active, roster)
        }
        return members.indices.filter {
            members[$0].isTraitor || isInSpace($0) && !active.contains($0) && !heard.contains($0)
        }
    }

    /// With forks: each acknowledged transaction counts once, unless its change is void as its author was
    /// restricted. What is issued again of a copied box has another name, so there any restriction will do.
    func ledgerFault(at index: Int) -> String? {
        guard let roster = checker.roster else { return ledgerFaultBesideTraitors(at: index) }
        let isAnybodyRestricted = roster.model.operations.values.contains(where: \.revokesRights)
        let unheard = unheardBoxes
        return checker.ledgerFault(at: index) { number in
            if !checker.holds(number, at: index), unheard.contains(where: { checker.holds(number, at: $0) }) {
                return true
            }
            let device = checker.universe.devices[checker.universe[number].change.replica]
            if isAnybodyRestricted, let device, checker.universe.forking.contains(device) { return true }
            if let device, roster.role(of: device) == nil, !checker.holds(number, at: index) { return true }
            return checker.holds(number, at: index) && checker.status(number, at: index) == .void
        }
    }

    /// A checkpoint that stands after a box turned against the others may make late what that box had
    /// acknowledged before: nodes list such a change, and nobody makes it again.
    private func ledgerFaultBesideTraitors(at index: Int) -> String? {
        let gone = members.indices.filter { members[$0].isTraitor }.map { world.nodes[$0].device }
        return checker.ledgerFault(at: index) { number in
            guard let author = checker.universe.devices[checker.universe[number].change.replica] else {
                return false
            }
            return gone.contains(author) && checker.holds(number, at: index)
                && checker.status(number, at: index) == .void && checker.isLate(number, at: index)
        }
    }
}

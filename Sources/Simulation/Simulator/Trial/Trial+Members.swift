// Members come and go: admins remove others and give other roles, also each other while the mesh is cut,
// members leave, come back by a new invite, and an admin in wrong hands signs on an old view. Whoever asks
// does so by what its own node knows; what comes of all of it together is the small model's to say.

import Bytes
import Causality
import Node
import RosterModel
import SecureLink
import Wire

extension Trial {
    /// Of a kind, in a trial: more shows nothing new, and costs the model.
    private static let membershipStrikesMax = 8

    mutating func strikeMembers(_ kind: FaultKind, _ strike: inout Strike) throws(Violation) -> Bool {
        guard result.faults[kind, default: 0] < Self.membershipStrikesMax, checker.space != nil else {
            return false
        }
        switch kind {
        case .removals: return removeOne(&strike)
        case .crossedRemovals: return try removeEachOther(&strike)
        case .roleChanges: return changeRole(&strike)
        case .leaves: return leave(&strike)
        case .returns: return comeBack(&strike)
        case .adoptions: return adopt(&strike)
        default: return try backdate(&strike)
        }
    }

    // MARK: What its own node knows

    func isInSpace(_ index: Int) -> Bool {
        guard let space = checker.space else { return false }
        if let node = world.nodes[index].node { return node.spaceIDs.contains(space) }
        return world.nodes[index].disk.position(of: space) != nil
    }

    /// After a commit: what a node's roster says of itself.
    mutating func recordStanding(of index: Int) {
        guard let roster = checker.roster, !members[index].isTraitor, isInSpace(index),
            !roster.operations(at: index).isEmpty
        else { return }
        switch roster.state(of: world.nodes[index].device, at: index) {
        case .active(let role):
            if members[index].isOut { tell("node \(index) is a member again") }
            (members[index].role, members[index].isOut) = (role, false)
            members[index].isJoined = true
        case let state:
            if !members[index].isOut { tell("node \(index) knows that it is \(state)") }
            members[index].isOut = true
        }
    }

    /// Other members as a node knows them; of a copied box, the first.
    private func others(seenBy index: Int) -> [Int] {
        guard let roster = checker.roster else { return [] }
        let own = world.nodes[index].device
        return (0..<plan.nodeCount).filter { other in
            let device = world.nodes[other].device
            return device != own && roster.role(of: device, at: index) != nil
        }
    }

    private func reference(to index: Int) -> MemberReference { MemberReference(world.nodes[index].device) }

    private func admins() -> [Int] { running { members[$0].role == .admin } }

    // MARK: What they do

    private mutating func remove(_ victim: Int, by admin: Int) {
        tell("node \(admin) removes node \(victim)")
        request(
            admin, .removeMember(reference, reference(to: victim), isDryRun: false), for: .restrict(victim))
    }

    private mutating func removeOne(_ strike: inout Strike) -> Bool {
        guard let admin = admins().randomElement(using: &strike.dice),
            let victim = others(seenBy: admin).randomElement(using: &strike.dice)
        else { return false }
        remove(victim, by: admin)
        return true
    }

    /// Admins that cannot reach each other remove each other, in a ring of two or three.
    private mutating func removeEachOther(_ strike: inout Strike) throws(Violation) -> Bool {
        var devices: Set<DeviceID> = []
        // Of copies of one box only one: it would leave.
        let boxes = admins().shuffled(using: &strike.dice).filter {
            devices.insert(world.nodes[$0].device).inserted
        }
        let ring = Array(boxes.prefix(strike.number(2...3)))
        guard ring.count > 1 else { return false }
        var blocked: [Direction] = []
        for a in ring {
            for b in members.indices where a != b && (ring.contains(b) || strike.number(0...1) == 0) {
                blocked += [Direction(from: a, to: b), Direction(from: b, to: a)]
            }
        }
        for direction in blocked { world.block(direction) }
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(500...20_000), kind: .unblock(blocked)))
        for (place, admin) in ring.enumerated() {
            remove(ring[(place + 1) % ring.count], by: admin)
            try look()
        }
        return true
    }

    private mutating func changeRole(_ strike: inout Strike) -> Bool {
        guard let admin = admins().randomElement(using: &strike.dice) else { return false }
        // Now and then its own.
        let subjects = others(seenBy: admin) + (strike.number(0...5) == 0 ? [admin] : [])
        let roles: [Role] = [.admin, .writer, .reader]
        guard let subject = subjects.randomElement(using: &strike.dice),
            let role = roles.randomElement(using: &strike.dice)
        else { return false }
        tell("node \(admin) makes node \(subject) \(role)")
        request(admin, .changeRole(reference, reference(to: subject), role), for: .restrict(subject))
        return true
    }

    private mutating func leave(_ strike: inout Strike) -> Bool {
        // Of a copied box only one would go.
        let candidates = members.indices.filter { index in
            members[index].isJoined && !members[index].isTraitor && world.nodes[index].node != nil
                && !members[index].isForked && isInSpace(index)
        }
        guard let index = candidates.randomElement(using: &strike.dice) else { return false }
        tell("node \(index) wants to leave")
        request(index, .leaveSpace(reference, isForced: false), for: .leave)
        return true
    }

    /// The space is gone from a node.
    mutating func left(_ index: Int) {
        tell("node \(index) has left")
        checker.takeLeft(index, world.nodes[index].device)
        members[index].leave()
        backups[index] = nil
    }

    /// Somebody that is out asks for an invite again.
    private mutating func comeBack(_ strike: inout Strike) -> Bool {
        let out = members.indices.filter { index in
            members[index].isOut && !members[index].isTraitor && !members[index].isForked
                && world.nodes[index].node != nil
        }
        guard let index = out.randomElement(using: &strike.dice) else { return false }
        tell("node \(index) wants to come back")
        // In one access: which checks of the index are left out of several follows from addresses in the
        // compiler (decision 0221).
        members[index].comeBack(at: world.time)
        return true
    }

    /// Somebody adopts what is void on its node: a few changes, or all of one device.
    private mutating func adopt(_ strike: inout Strike) -> Bool {
        let writers = running { members[$0].role >= .writer && !checker.void(at: $0).isEmpty }
        guard let index = writers.randomElement(using: &strike.dice) else { return false }
        let void = checker.void(at: index)
        guard let chosen = void.randomElement(using: &strike.dice) else { return false }
        var choice = AdoptionChoice.changes(void.suffix(Self.adoptedMax))
        if strike.number(0...2) == 0 {
            choice = .changes([chosen])
        } else if let author = checker.universe.devices[chosen.replica], strike.number(0...1) == 0 {
            choice = .member(MemberReference(author))
        }
        tell("node \(index) adopts: \(choice)")
        request(index, .adopt(reference, choice), for: .adopt)
        return true
    }

    private static let adoptedMax = 8

    // MARK: An admin in wrong hands

    /// It turns, and later restricts others as if it had done so then. Half of that it says that it kept
    /// nothing of what they wrote.
    private mutating func backdate(_ strike: inout Strike) throws(Violation) -> Bool {
        guard let index = plan.traitor, members[index].role == .admin || traitor != nil,
            try turn(index, &strike.dice), var traitor, traitor.hasRight,
            let victim = running().randomElement(using: &strike.dice)
        else { return false }
        defer { self.traitor = traitor }
        var link = HostileLink(&world, as: traitor.key, to: victim, traitor.keys, &strike.dice)
        for _ in 0..<8 where !link.isEstablished {
            try runEvents(until: world.time + 100)
            link.listen(&world)
        }
        guard link.isEstablished else {
            world.endStranger(link.connection)
            return false
        }
        let subjects = (0..<plan.nodeCount).filter { $0 != index }
        guard let subject = subjects.randomElement(using: &strike.dice) else { return false }
        let device = world.nodes[subject].device
        let isOnOld = strike.number(0...2) > 0
        let kept = Bool.random(using: &strike.dice) ? traitor.heldThen : VersionVector()
        let body: RosterBody =
            switch strike.number(0...3) {
            case 0: .role(.init(device: device, role: .reader, frontier: kept))
            case 1: .role(.init(device: device, role: .admin, frontier: VersionVector()))
            default: .remove(.init(device: device, frontier: kept))
            }
        let operation = RosterOperation(
            body, on: isOnOld ? traitor.heads : traitor.rosterHeads,
            at: Timestamp(milliseconds: world.now.wall), by: traitor.key)
        if !isOnOld { traitor.rosterHeads = [operation.id] }
        tell("backdating: node \(index) restricts node \(subject), and says so to node \(victim)")
        for word in opening(traitor) { link.say(word, &world) }
        let frame = RosterOperationsFrame(operations: [operation.bytes])
        link.say(
            LinkFrame(type: FrameType.rosterOperations.rawValue, channel: 0, body: frame.encoded()), &world)
        try runEvents(until: world.time + 500)
        link.listen(&world)
        world.endStranger(link.connection)
        return true
    }

    // MARK: Answers

    mutating func answeredMember(_ purpose: Purpose, _ answer: NodeAnswer, at index: Int) throws(Violation) {
        switch (purpose, answer) {
        case (.restrict(let subject), .memberRemoved), (.restrict(let subject), .member):
            result.marks.insert("member-restricted")
            tell("node \(index) has restricted node \(subject)")
        case (.leave, .done): left(index)
        case (.adopt, .adopted(let report)):
            tell("node \(index) has adopted \(report.adopted), passed over \(report.skipped)")
            if report.adopted > 0 { result.marks.insert("adopted") }
            if report.skipped.contains(where: { $0.why == .adopted }) {
                result.marks.insert("adopted-before")
            }
        case (.members, .members(let listed)):
            members[index].hasListed = true
            try checker.checkMembers(listed, at: index)
        case (.members, _):
            throw Violation(.serves, "node \(index) is asked for the members, and says \(answer)")
        case (.refused, .failed(.removed)): members[index].hasRefused = true
        case (.refused, _):
            throw Violation(.sameMembers, "node \(index) was removed, and answers a write with \(answer)")
        case (_, .failed(let error)): recordRefused(error)
        default: break
        }
    }
}

// The law suite of the roster: the same set of operations gives the same answers, whatever the order of
// arrival, redelivery included. Small DAGs in all orders, large ones by seed, both against the oracle.

import Bytes
import Causality
import Crypto
import Foundation
import Roster
import RosterModel
import Testing
import Wire

/// Boxes that act on what each of them knows, and now and then meet.
private struct Meeting {
    static let boxes = (1...8).map(Box.init)
    var rosters: [Roster]
    private var generator: SeededGenerator
    private var invitesMade = 0

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        var first = try Roster(genesis: genesis(by: Self.boxes[0]))
        for box in Self.boxes[1...2] { try first.admit(box, .admin, by: Self.boxes[0]) }
        try first.admit(Self.boxes[3], .writer, by: Self.boxes[2])
        rosters = [Roster](repeating: first, count: Self.boxes.count)
    }

    /// Every operation that anybody made, each after its heads.
    mutating func run(steps: Int) throws -> [RosterOperation] {
        for _ in 0..<steps {
            if Int.random(in: 0..<3, using: &generator) == 0 { try meet() } else { try act() }
        }
        var all = rosters[0]
        for roster in rosters { try all.take(roster.operations(missingFrom: all.summary())) }
        return all.operations()
    }

    private mutating func meet() throws {
        let (a, b) = (pick(rosters.indices), pick(rosters.indices))
        try rosters[a].take(rosters[b].operations(missingFrom: rosters[a].summary()))
        try rosters[b].take(rosters[a].operations(missingFrom: rosters[b].summary()))
    }

    private mutating func act() throws {
        let members = rosters.indices.filter { rosters[$0].role(of: Self.boxes[$0].device) != nil }
        let actor = pick(members.isEmpty ? Array(rosters.indices) : members)
        let (box, other) = (Self.boxes[actor], Self.boxes[pick(Self.boxes.indices)])
        let role = pick(Role.allCases)
        let kept = frontier([(1, UInt64.random(in: 1...30, using: &generator))])
        // A box without the right is refused, as it should be: it just does nothing in this step.
        switch Int.random(in: 0..<14, using: &generator) {
        case 0...6:
            invitesMade += 1
            let (secret, body) = invite(invitesMade, role)
            if try attempt(body, by: actor), Bool.random(using: &generator) { try meet() }
            _ = try attempt(add(other, role, by: secret), by: actor)
        case 7, 8: _ = try attempt(roleChange(of: other, to: role, keeping: kept), by: actor)
        case 9: _ = try attempt(removal(of: other, keeping: kept), by: actor)
        case 10 where Bool.random(using: &generator): _ = try attempt(.leave, by: actor)
        default: _ = try attempt(.deviceUpdate(.init(box.description())), by: actor)
        }
    }

    private mutating func attempt(_ body: RosterBody, by actor: Int) throws -> Bool {
        let time = at(UInt64(rosters[actor].count))
        guard let operation = try? rosters[actor].author(body, at: time, by: Self.boxes[actor].key) else {
            return false
        }
        try rosters[actor].take([operation])
        return rosters[actor].contains(operation.id)
    }

    private mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element where C.Index == Int {
        choices[choices.startIndex + Int.random(in: 0..<choices.count, using: &generator)]
    }
}

@Suite struct RosterLawTests {
    private func roster(of operations: [RosterOperation], from genesis: RosterOperation) throws -> Roster {
        var roster = try Roster(genesis: genesis)
        try roster.take(operations)
        return roster
    }

    private func expectOracle(_ roster: Roster, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var roster = roster
        let operations = roster.operations()
        let oracle = RosterOracle(operations)
        for box in Meeting.boxes {
            #expect(
                roster.role(of: box.device)
                    == oracle.role(of: box.device, in: oracle.everything),
                sourceLocation: sourceLocation)
        }
        for operation in operations {
            let (view, same) = (try roster.viewing([operation.id]), oracle.view([operation.id]))
            for box in Meeting.boxes {
                let role = roster.role(of: box.device, in: view)
                #expect(
                    role == oracle.role(of: box.device, in: same),
                    sourceLocation: sourceLocation)
                for last in [5, 15, 25] as [UInt64] {
                    let change = DotRange(replica(1), SequenceNumber(last), SequenceNumber(last))
                    #expect(
                        roster.isExecuted(change, by: box.device, in: view)
                            == oracle.isExecuted(change, by: box.device, in: same),
                        sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test("all orders of a small roster with concurrent removals and grants give the same answers")
    func allOrdersOfRestrictions() throws {
        let (creator, rogue, planted) = (Meeting.boxes[0], Meeting.boxes[1], Meeting.boxes[2])
        var left = try Roster(genesis: genesis(by: creator))
        try left.admit(rogue, .admin, by: creator)
        var right = left
        try left.act(removal(of: rogue, keeping: frontier([(1, 10)])), by: creator)
        try right.admit(planted, .writer, by: rogue)
        try right.act(removal(of: creator), by: rogue)
        try expectAllOrders(of: left, and: right)
    }

    @Test("all orders of a small roster with roles, leaving and updates give the same answers")
    func allOrdersOfRoles() throws {
        let (creator, member) = (Meeting.boxes[0], Meeting.boxes[1])
        var left = try Roster(genesis: genesis(by: creator))
        try left.admit(member, .writer, by: creator)
        var right = left
        try left.act(roleChange(of: member, to: .reader, keeping: frontier([(1, 20)])), by: creator)
        try left.act(.revokeInvite(invite(1_002, .writer).0.id), by: creator)
        try right.act(.deviceUpdate(.init(Box(9).description())), by: member)
        try right.act(.leave, by: member)
        try expectAllOrders(of: left, and: right)
    }

    private func expectAllOrders(of left: Roster, and right: Roster) throws {
        var both = left
        try both.take(right.operations())
        try expectOracle(both)
        let expected = Answers(of: both)
        let rest = Array(both.operations().dropFirst())
        #expect(rest.count == 6)
        var orders = 0
        for order in permutations(rest) {
            let other = try roster(of: order, from: both.genesis)
            orders += 1
            if Answers(of: other) != expected { Issue.record("order \(order.map(\.id)) differs") }
        }
        #expect(orders == 720)
    }

    @Test("large rosters give the same answers in any order, with redelivery, and those of the oracle")
    func bySeed() throws {
        var (restricted, sizes) = (0, 0 as UInt64)
        let seeds = UInt64(ProcessInfo.processInfo.environment["REPL_ROSTER_SEEDS"] ?? "") ?? 16
        for seed in 0..<seeds {
            var meeting = try Meeting(seed: seed)
            let operations = try meeting.run(steps: 50)
            sizes += UInt64(operations.count)
            var generator = SeededGenerator(seed: seed &+ 1_000)
            let reference = try roster(of: operations, from: operations[0])
            #expect(reference.count == operations.count, "seed \(seed)")
            try expectOracle(reference)
            let expected = Answers(of: reference)
            for _ in 0..<2 {
                let twice = (operations + operations.shuffled(using: &generator).prefix(10))
                let other = try roster(
                    of: twice.shuffled(using: &generator).filter { !$0.body.isGenesis }, from: operations[0])
                #expect(Answers(of: other) == expected, "seed \(seed)")
                #expect(other.waitingCount == 0 && other.refusedAfterWaiting == 0)
            }
            if operations.contains(where: \.revokesRights) { restricted += 1 }
        }
        // The interesting branches were reached.
        #expect(
            restricted >= 12 && sizes >= seeds * 20, "\(restricted) with restrictions, \(sizes) operations")
    }
}

/// Every order of the elements, by Heap's algorithm.
private func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    var result = [elements]
    var current = elements
    var counters = [Int](repeating: 0, count: elements.count)
    var index = 0
    while index < elements.count {
        if counters[index] < index {
            current.swapAt(index.isMultiple(of: 2) ? 0 : counters[index], index)
            result.append(current)
            counters[index] += 1
            index = 0
        } else {
            counters[index] = 0
            index += 1
        }
    }
    return result
}

// Members that are removed: what the removed box hears and hands over, and what everybody else sees.

import Bytes
import Causality
import Crypto
import Documents
import Foundation
import Node
import Roster
import SecureLink
import Simulator
import Testing
import Wire

@Suite struct RemovalTests {
    private func states(_ world: inout World, _ index: Int) -> [String] {
        guard case .members(let members) = world.ask(index, .members(SpaceReference("notes"))) else {
            return []
        }
        return members.map(\.state).sorted()
    }

    /// The last node, an admin, signs a removal of node 1 and says it to node 0, then is gone.
    private func removeOne(_ world: inout World, by admin: Int, keeping kept: VersionVector) throws {
        let disk = world.diskCopy(admin)
        let record = try #require(try disk.spaces().first)
        let keys = try SpaceKeys(decoding: record.keys, of: record.id)
        let stored = try disk.rosterOperations(record.id)
        var roster = try Roster(genesis: RosterOperation(decoding: try #require(stored.first)))
        for bytes in stored.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
        let victim = DeviceID(publicKey: world.nodes[1].deviceKey.publicKey)
        let removal = try roster.author(
            .remove(.init(device: victim, frontier: kept)), at: Timestamp(milliseconds: 5),
            by: world.nodes[admin].deviceKey)
        world.crash(admin)
        var dice = SeededGenerator(seed: 60)
        var link = StrangerLink(&world, as: admin, keys, &dice)
        #expect(link.secure.established != nil)
        link.say(
            LinkFrame(
                type: FrameType.rosterOperations.rawValue, channel: 0,
                body: RosterOperationsFrame(operations: [removal.bytes]).encoded()), &world)
    }

    @Test(
        "a box that was removed while cut off learns it on its first link, and hands over what it wrote"
    )
    func handsOver() throws {
        var world = World(seed: 70)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let admin = world.addNode()
        guard let token = world.invite(0, "notes", role: .admin), case .joined = world.join(admin, token)
        else {
            Issue.record("no second admin: \(world.logs())")
            return
        }
        _ = world.increment(1, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, admin], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.separate([1])
        for _ in 0..<3 { _ = world.increment(1, "notes", "count") }
        try removeOne(&world, by: admin, keeping: VersionVector())
        world.run(milliseconds: 10_000)
        #expect(states(&world, 0) == ["active", "active", "removed"])
        world.reunite()
        let isKnown = world.run(within: 120_000) { world in
            states(&world, 1) == ["active", "active", "removed"]
        }
        #expect(isKnown, "\(world.logs())")
        world.run(milliseconds: 60_000)
        let log = world.nodes[1].log.joined(separator: "\n")
        #expect(log.contains("removed: this device was removed from space notes by"), "\(log)")
        // The whole of its log is held by who removed it.
        let (mine, theirs) = (world.diskCopy(1), world.diskCopy(0))
        let space = try #require(try mine.spaces().first).id
        let own = try mine.commits(space, after: CommitPosition(0), limit: 100)
        let other = try theirs.commits(space, after: CommitPosition(0), limit: 100)
        let changes = { (list: [CommitRecord]) in Set(list.map { Dot($0.replica, $0.last) }) }
        #expect(own.count == 4 && changes(own).isSubset(of: changes(other)), "\(world.logs())")
        guard
            case .failed(.removed("notes", let by, 5)) = world.ask(
                1, .transact(SpaceReference("notes"), Self.write))
        else {
            Issue.record("a write on a removed box")
            return
        }
        #expect(by.device == DeviceID(publicKey: world.nodes[admin].deviceKey.publicKey))
    }

    /// A world of the creator 0, a writer 1, and two admins 2 and 3, 2 being senior, that is level.
    private func meeting(seed: UInt64) throws -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        for index in [2, 3] {
            world.addNode()
            let invited = world.invite(0, "notes", role: .admin)
            let token = try #require(invited)
            guard case .joined = world.join(index, token) else {
                Issue.record("no admin \(index): \(world.logs())")
                return world
            }
        }
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        _ = world.increment(2, "notes", "count")
        for document in 0..<200 { _ = world.increment(1, "notes", Key("d\(document)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2, 3], "notes") }
        #expect(isLevel, "\(world.logs())")
        return world
    }

    private func roster(_ world: World, of index: Int) throws -> Roster {
        let disk = world.diskCopy(index)
        let space = try #require(try disk.spaces().first).id
        let stored = try disk.rosterOperations(space)
        var roster = try Roster(genesis: RosterOperation(decoding: try #require(stored.first)))
        for bytes in stored.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
        return roster
    }

    /// A member says roster operations to node 0, in a crashed one's name.
    private func say(
        _ operations: [RosterOperation], as index: Int, dice seed: UInt64, _ world: inout World
    ) throws {
        let record = try #require(try world.diskCopy(index).spaces().first)
        let keys = try SpaceKeys(decoding: record.keys, of: record.id)
        var dice = SeededGenerator(seed: seed)
        var link = StrangerLink(&world, as: index, keys, &dice)
        #expect(link.secure.established != nil)
        link.say(
            LinkFrame(
                type: FrameType.rosterOperations.rawValue, channel: 0,
                body: RosterOperationsFrame(operations: operations.map(\.bytes)).encoded()), &world)
    }

    private static func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    @Test(
        "what a removed member wrote outside the fence has no effect until the removal falls",
        arguments: [false, true])
    func turnsBothWays(restarts: Bool) throws {
        var world = try meeting(seed: 71)
        let before = Self.text(&world, 0)
        #expect(before.contains(#"{"n":6}"#) && before.contains("d199"))
        let roster = try roster(world, of: 3)
        let (victim, junior) = (world.nodes[1].deviceKey, world.nodes[3].deviceKey)
        let removal = RosterOperation(
            .remove(.init(device: DeviceID(publicKey: victim.publicKey), frontier: VersionVector())),
            on: roster.heads, at: Timestamp(milliseconds: 5), by: junior)
        let counter = RosterOperation(
            .remove(.init(device: DeviceID(publicKey: junior.publicKey), frontier: VersionVector())),
            on: roster.heads, at: Timestamp(milliseconds: 6), by: world.nodes[2].deviceKey)
        world.crash(3)
        try say([removal], as: 3, dice: 60, &world)
        if restarts {
            // In the middle of it.
            world.run(milliseconds: 3)
            world.crash(0)
            world.start(0)
        }
        let isVoid = world.run(within: 60_000) { world in
            let all = [0, 2].map { Self.text(&world, $0) }
            return all.allSatisfy { $0.contains(#"{"n":1}"#) && !$0.contains(#""d"#) }
        }
        #expect(isVoid, "\(Self.text(&world, 0).prefix(300))\n\(world.logs())")
        world.run(milliseconds: 60_000)
        // A senior one had removed that admin meanwhile: everything counts again, everywhere.
        try say([counter], as: 3, dice: 61, &world)
        if restarts {
            world.run(milliseconds: 3)
            world.crash(0)
            world.start(0)
        }
        let isBack = world.run(within: 120_000) { world in
            [0, 1, 2].allSatisfy { Self.text(&world, $0) == before }
        }
        #expect(isBack, "\(Self.text(&world, 0).prefix(300))\n\(world.logs())")
        world.run(milliseconds: 30_000)
        for index in [0, 1, 2] { #expect(!alarmed(&world, index, "digest-differs")) }
        let isWritten = world.increment(1, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isWritten && isLevel, "\(world.logs())")
    }

    private func alarmed(_ world: inout World, _ index: Int, _ code: String) -> Bool {
        world.alarms(index).contains(code)
    }

    private static var write: Transaction {
        Transaction(
            operations: [
                OperationRequest(document: "count", path: [.key("n")], verb: .increment(by: 1))
            ], conditions: [], idempotency: nil)
    }

    /// All orders of the numbers below `count`, or each tenth of them.
    private static func orders(of count: Int, all: Bool) -> [[Int]] {
        func orders(_ rest: [Int]) -> [[Int]] {
            if rest.isEmpty { return [[]] }
            return rest.flatMap { first in orders(rest.filter { $0 != first }).map { [first] + $0 } }
        }
        return orders(Array(0..<count)).enumerated().filter { all || $0.offset % 10 == 0 }.map(\.element)
    }

    private static func remove(_ victim: Int, by admin: Int, _ world: inout World) -> Bool {
        let device = DeviceID(publicKey: world.nodes[victim].deviceKey.publicKey)
        let request = NodeRequest.removeMember(
            SpaceReference("notes"), MemberReference(device), isDryRun: false)
        if case .memberRemoved(let report) = world.ask(admin, request) {
            return report.changes == 0
        }
        return false
    }

    /// Five nodes of which 0, 1 and 2 are admins, level and then each on its own; 1 and 2 remove each other,
    /// and everybody writes, the removed too as long as nobody told them.
    private static func crossed() throws -> World {
        var world = World(seed: 72)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        for index in 1..<5 {
            world.addNode()
            let invited = world.invite(0, "notes", role: index < 3 ? .admin : .writer)
            let token = try #require(invited)
            guard case .joined = world.join(index, token) else {
                Issue.record("\(index) did not join: \(world.logs())")
                return world
            }
        }
        for index in 0..<5 { _ = world.increment(index, "notes", "count") }
        let isLevel = world.run(within: 60_000) { world in
            (0..<5).allSatisfy { Self.text(&world, $0).contains(#"{"n":5}"#) }
        }
        #expect(isLevel, "\(world.logs())")
        for index in 0..<5 { world.separate([index]) }
        let removed = [remove(2, by: 1, &world), remove(1, by: 2, &world)]
        #expect(removed == [true, true])
        for index in 0..<5 {
            let isWritten = world.increment(index, "notes", "count")
            #expect(isWritten, "\(index): \(world.logs())")
        }
        return world
    }

    @Test(
        "two admins that remove each other in a mesh cut into five parts: one outcome in each order of healing"
    )
    func crossedRemovals() throws {
        let all = ProcessInfo.processInfo.environment["REPL_CROSSED"] == "all"
        let orders = Self.orders(of: 5, all: all)
        #expect(orders.count == (all ? 120 : 12))
        let start = try Self.crossed()
        var outcomes: Set<String> = []
        for order in orders {
            var world = start
            // The first two meet, then one more at a time.
            for count in 2...5 {
                world.heal()
                for index in order.dropFirst(count) { world.separate([index]) }
                world.changeNetwork(order[0])
                world.run(milliseconds: 4_000)
            }
            world.heal()
            let isDone = world.run(within: 400_000) { world in
                let exports = Set([0, 1, 3, 4].map { Self.text(&world, $0) })
                return exports.count == 1
                    && (0..<5).allSatisfy { states(&world, $0).count { $0 == "removed" } == 1 }
            }
            #expect(isDone, "order \(order): \((0..<5).map { states(&world, $0) }) \(world.logs())")
            outcomes.insert(Self.text(&world, 0) + members(&world, 0))
            for index in 0..<5 { #expect(!alarmed(&world, index, "digest-differs"), "order \(order)") }
            if !isDone { break }
        }
        #expect(outcomes.count == 1, "\(outcomes)")
        // The senior stays, and what the junior wrote after does not count; it is held all the same.
        #expect(outcomes.first?.contains(#"{"n":9}"#) == true, "\(outcomes)")
    }

    @Test("two that removed each other hear of it with nobody between them, and the senior stays")
    func twoAlone() throws {
        var world = World(seed: 73)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        world.addNode()
        let invited = world.invite(0, "notes", role: .admin)
        let token = try #require(invited)
        guard case .joined = world.join(1, token) else {
            Issue.record("1 did not join: \(world.logs())")
            return
        }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        world.separate([1])
        let removed = [Self.remove(1, by: 0, &world), Self.remove(0, by: 1, &world)]
        #expect(removed == [true, true])
        let isWritten = world.increment(1, "notes", "count")
        #expect(isWritten)
        // Both were started since, so what they knew of each other's links is gone.
        for index in [0, 1] {
            world.crash(index)
            world.start(index)
        }
        world.heal()
        let isDone = world.run(within: 700_000) { world in
            members(&world, 0) == members(&world, 1) && Self.text(&world, 0).contains(#""n""#) == false
        }
        #expect(isDone, "\(members(&world, 0)) | \(members(&world, 1)) \(world.logs())")
        #expect(states(&world, 0) == ["active", "removed"])
        // Neither is dialled for ever.
        let before = world.logs().count
        world.run(milliseconds: 3_600_000)
        #expect(!alarmed(&world, 0, "digest-differs") && world.logs().count < before + 8_000)

        // Let in again, under the name that it has.
        let again = world.invite(0, "notes", role: .writer)
        let back = try #require(again)
        let answer = world.ask(1, .join(token: back, name: "notes"), within: 600_000)
        guard case .joined(let report) = answer, report.name == "notes" else {
            Issue.record("\(String(describing: answer)) \(world.logs())")
            return
        }
        let writesAgain = world.increment(1, "notes", "again")
        let isEqual = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(writesAgain && isEqual && Self.text(&world, 0).contains(#"{"n":1}"#), "\(world.logs())")
    }

    private func members(_ world: inout World, _ index: Int) -> String {
        guard case .members(let members) = world.ask(index, .members(SpaceReference("notes"))) else {
            return ""
        }
        return members.map { "\($0.name) \($0.role.name) \($0.state)" }.sorted().joined(separator: ", ")
    }
}

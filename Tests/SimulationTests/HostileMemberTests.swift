// A member whose keys are in wrong hands says whatever it likes on a link that stands. The node lives, honest
// members go on, and the device is refused after three faults.

import Bytes
import Causality
import Crypto
import Node
import Roster
import SecureLink
import Simulator
import Testing
import Wire

@Suite struct HostileMemberTests {
    /// What stands behind a member's leave in the same frame.
    enum BehindLeave: CaseIterable {
        case nothing, noOperation, removal
    }

    @Test(
        "a frame that ends its own link, and then breaks the protocol too, leaves the node alive",
        arguments: BehindLeave.allCases)
    func leavesInMidFrame(_ behind: BehindLeave) throws {
        var world = World(seed: 61)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let third = world.addNode()
        guard let token = world.invite(0, "notes", role: .admin), case .joined = world.join(third, token)
        else {
            Issue.record("no second admin: \(world.logs())")
            return
        }
        let disk = world.diskCopy(third)
        let record = try #require(try disk.spaces().first)
        let keys = try SpaceKeys(decoding: record.keys, of: record.id)
        let stored = try disk.rosterOperations(record.id)
        var roster = try Roster(genesis: RosterOperation(decoding: try #require(stored.first)))
        for bytes in stored.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
        let (now, key) = (Timestamp(milliseconds: 5), world.nodes[third].deviceKey)
        let victim = DeviceID(publicKey: world.nodes[1].deviceKey.publicKey)
        let removal = try roster.author(
            .remove(.init(device: victim, frontier: VersionVector())), at: now, by: key)
        let leave = try roster.author(.leave, at: now, by: key)
        world.crash(third)
        var dice = SeededGenerator(seed: 61)
        var link = StrangerLink(&world, as: third, keys, &dice)
        #expect(link.secure.established != nil)
        let second: [[UInt8]] =
            switch behind {
            case .nothing: []
            case .noOperation: [[1, 2, 3]]
            case .removal: [removal.bytes]
            }
        let frame = LinkFrame(
            type: FrameType.rosterOperations.rawValue, channel: 0,
            body: RosterOperationsFrame(operations: [leave.bytes] + second).encoded())
        let nonsense = LinkFrame(type: FrameType.have.rawValue, channel: 0, body: [255])
        link.say([frame, frame, nonsense, nonsense], &world)
        #expect(world.nodes[0].node != nil && world.isClosed(link.connection), "\(world.logs())")
        let isCounted = world.increment(1, "notes", "count")
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isCounted && done, "\(world.logs())")
    }

    @Test(
        "any frame of any type, with any body, leaves the node alive and the honest equal",
        arguments: 50..<53 as Range<UInt64>)
    func anything(seed: UInt64) throws {
        var world = World(seed: seed)
        var dice = SeededGenerator(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 2_000)
        let record = try #require(try world.diskCopy(2).spaces().first)
        let keys = try SpaceKeys(decoding: record.keys, of: record.id)
        world.crash(2)
        world.run(milliseconds: 1_000)
        var (linked, refused) = (0, 0)
        for _ in 0..<40 {
            var link = StrangerLink(&world, as: 2, keys, &dice)
            if link.secure.established == nil { refused += 1 } else { linked += 1 }
            for _ in 0..<10 where !world.isClosed(link.connection) {
                let type = UInt8.random(in: 4...40, using: &dice)
                let count = Int.random(in: 0...400, using: &dice)
                // Small numbers first, so that counts and lengths are often possible.
                let body = (0..<count).map {
                    $0 < 4 ? UInt8.random(in: 0...3, using: &dice) : UInt8.random(in: 0...255, using: &dice)
                }
                link.say(
                    LinkFrame(type: type, channel: UInt16.random(in: 0...1, using: &dice), body: body), &world
                )
            }
            _ = world.increment(Int.random(in: 0...1, using: &dice), "notes", "count")
            world.run(milliseconds: 400)
        }
        #expect(linked > 0 && refused + linked == 40)
        #expect(world.nodes[0].node != nil)
        let log = world.nodes[0].log.joined(separator: "\n")
        #expect(log.contains("peer-fault") && log.contains("is refused for a while"), "\(log.suffix(2_000))")
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(done, "\(world.logs())")
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":40"#), "\(text)")
    }
}

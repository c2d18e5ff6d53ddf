// Checkpoints in a mesh: proposed, computed by each, acknowledged, and documents moved to their bases, while
// nothing that anybody sees changes.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Simulator
import Testing
import Wire

@Suite struct CheckpointTests {
    func report(_ world: inout World, _ index: Int) -> CheckpointsReport? {
        guard case .checkpoints(let report) = world.ask(index, .checkpoints(SpaceReference("notes"))) else {
            return nil
        }
        return report
    }

    /// Proposes at a node, and waits until the checkpoint stands at all of these.
    func checkpoint(_ world: inout World, at index: Int, _ all: [Int]) -> Bytes32? {
        let answer = world.ask(index, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        guard case .checkpointProposed(let id) = answer else {
            Issue.record("no proposal: \(String(describing: answer))")
            return nil
        }
        let stands = world.run(within: 120_000) { world in
            all.allSatisfy { report(&world, $0)?.standing?.id == id }
        }
        #expect(stands, "\(world.logs())")
        return id
    }

    @Test("a checkpoint stands everywhere, and documents, digests and later edits are the same")
    func stands() throws {
        var world = World(seed: 900)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        for round in 0..<4 {
            for node in 0..<3 { _ = world.increment(node, "notes", "count") }
            let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
            #expect(isLevel, "round \(round): \(world.logs())")
            let id = checkpoint(&world, at: 0, [0, 1, 2])
            #expect(id != nil)
            let documents = (0..<3).map { report(&world, $0)?.standing?.documents }
            #expect(documents == [1, 1, 1])
            world.run(milliseconds: 20_000)
            #expect(!world.logs().contains("differs"), "\(world.logs())")
        }
    }

    @Test(
        "what the checkpoint before held is forgotten, and everything goes on without it, restarts included")
    func collects() throws {
        var world = World(seed: 901)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<4 {
            for round in 0..<40 {
                let text = String(repeating: "0123456789", count: 120)
                _ = world.splice(round % 3, "notes", Key("text/\(round % 5)"), at: 0, text)
                _ = world.increment(round % 3, "notes", Key("count/\(round % 7)"))
            }
            let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
            #expect(isLevel, "\(world.logs())")
            #expect(checkpoint(&world, at: 0, [0, 1, 2]) != nil)
        }
        let before = try #require(report(&world, 1)).log.bytes
        world.keepNothing([0, 1, 2])
        guard case .collected(let collected)? = world.ask(1, .collect(SpaceReference("notes"))) else {
            Issue.record("nothing was collected: \(world.logs())")
            return
        }
        let after = try #require(report(&world, 1)).log.bytes
        #expect(collected.bytes > 0 && after == before - collected.bytes && after < before)
        for node in 0..<3 { _ = world.increment(node, "notes", Key("count/\(node)")) }
        for node in 0..<3 { world.crashAndStart(node, &dice) }
        for node in 0..<3 { _ = world.splice(node, "notes", "text/1", at: 1, "x") }
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.run(milliseconds: 30_000)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2]) != nil)
    }

    /// Three nodes that have collected all that they may, with some of every kind of history.
    func collectedMesh(_ world: inout World, rounds: Int = 4) -> Bool {
        guard world.makeSpace("notes", nodes: 3) else { return false }
        world.keepNothing([0, 1, 2])
        for _ in 0..<rounds {
            for round in 0..<40 {
                let text = String(repeating: "0123456789", count: 120)
                _ = world.splice(round % 3, "notes", Key("text/\(round % 5)"), at: 0, text)
                _ = world.increment(round % 3, "notes", Key("count/\(round % 7)"))
            }
            guard world.run(within: 60_000, until: { $0.areEqual([0, 1, 2], "notes") }),
                checkpoint(&world, at: 0, [0, 1, 2]) != nil
            else { return false }
            for node in 0..<3 { _ = world.ask(node, .collect(SpaceReference("notes"))) }
        }
        return true
    }

    @Test("a newcomer takes the base, then the log after it, and is like the others")
    func newcomer() throws {
        var world = World(seed: 902)
        let isMade = collectedMesh(&world)
        #expect(isMade, "\(world.logs())")
        let late = world.addNode()
        let invite = world.invite(0, "notes")
        let token = try #require(invite)
        guard case .joined? = world.join(late, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isLevel, "\(world.logs())")
        let writes = world.run(within: 60_000) { $0.increment(late, "notes", "count/1") }
        #expect(writes, "\(world.logs())")
        _ = world.splice(1, "notes", "text/1", at: 3, "y")
        let isLevelAgain = world.run(within: 60_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isLevelAgain, "\(world.logs())")
        world.run(milliseconds: 30_000)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2, late]) != nil)
        _ = world.increment(late, "notes", "count/2")
        let isLevelAtEnd = world.run(within: 60_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isLevelAtEnd, "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2, late]) != nil)
    }

    @Test("a newcomer that dies again and again while it takes a base ends like the others")
    func dyingNewcomer() throws {
        var dice = SeededGenerator(seed: 77)
        for seed in 0..<6 as Range<UInt64> {
            var world = World(seed: 910 + seed)
            let isMade = collectedMesh(&world, rounds: 3)
            #expect(isMade, "\(world.logs())")
            let late = world.addNode()
            let invite = world.invite(0, "notes")
            guard case .joined? = world.join(late, try #require(invite)) else {
                Issue.record("not joined: \(world.logs())")
                return
            }
            for _ in 0..<4 {
                world.run(milliseconds: UInt64.random(in: 0...150, using: &dice))
                world.crashAndStart(late, &dice)
            }
            let isLevel = world.run(within: 300_000) { $0.areEqual([0, 1, 2, late], "notes") }
            #expect(isLevel, "seed \(seed): \(world.logs())")
            #expect(!world.logs().contains("differs"), "\(world.logs())")
        }
    }

    /// Three checkpoints of nodes 0 and 1 that do not wait for another one.
    func leaveOut(_ away: Int, _ world: inout World) {
        let name = DeviceID(publicKey: world.nodes[away].deviceKey.publicKey).text
        for round in 0..<3 {
            for _ in 0..<8 {
                _ = world.splice(0, "notes", "text", at: 0, String(repeating: "abcdefg", count: 100))
            }
            let isHeld = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
            #expect(isHeld)
            let answer = world.ask(
                0, .proposeCheckpoint(SpaceReference("notes"), absent: [MemberReference(name)]))
            guard case .checkpointProposed(let id)? = answer else {
                Issue.record("round \(round): \(String(describing: answer))")
                return
            }
            let stands = world.run(within: 120_000) { world in
                [0, 1].allSatisfy { report(&world, $0)?.standing?.id == id }
            }
            #expect(stands, "\(world.logs())")
        }
    }

    func documents(_ world: inout World, _ all: [Int]) -> [Int?] {
        all.map { index in
            guard case .space(let report)? = world.ask(index, .space(SpaceReference("notes"))) else {
                return nil
            }
            return report.documents
        }
    }

    @Test("who was named absent comes back with what it wrote, which is late and listed, and all are equal")
    func absent() throws {
        var world = World(seed: 930)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        _ = world.increment(2, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel && checkpoint(&world, at: 0, [0, 1, 2]) != nil, "\(world.logs())")
        world.separate([2])
        for _ in 0..<5 { _ = world.increment(2, "notes", "own") }
        leaveOut(2, &world)
        world.run(milliseconds: 5_000)
        world.reunite()
        let isEqual = world.run(within: 300_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isEqual, "\(world.logs())")
        let isBack = world.run(within: 60_000) { world in
            (0..<3).allSatisfy { node in
                let export = String(decoding: world.export(node, "notes") ?? [], as: UTF8.self)
                return export.contains(#"{"key":"own","value":{"n":5}}"#)
            }
        }
        #expect(isBack && world.logs().contains("late-adopted"), "\(world.logs())")
        let writes = world.run(within: 60_000) { $0.increment(2, "notes", "after") }
        #expect(writes, "\(world.logs())")
        let isEqualAgain = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isEqualAgain, "\(world.logs())")
        #expect(!world.logs().contains("differs"), "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2]) != nil)
    }

    @Test("who comes back with a log that begins at a cut has what it wrote judged, and counts its documents")
    func absentWithCollectedLog() {
        var world = World(seed: 931)
        let isMade = collectedMesh(&world)
        #expect(isMade, "\(world.logs())")
        world.separate([2])
        for number in 0..<5 { _ = world.increment(2, "notes", Key("own/\(number)")) }
        leaveOut(2, &world)
        world.reunite()
        let isBack = world.run(within: 300_000) { world in
            world.logs().contains("late-adopted") && world.areEqual([0, 1, 2], "notes")
        }
        #expect(isBack, "\(world.logs())")
        let listed = world.export(0, "notes")?.count { $0 == UInt8(ascii: "\n") }
        #expect(documents(&world, [0, 1, 2]) == [listed, listed, listed])
        world.run(milliseconds: 30_000)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2]) != nil)
    }

    @Test("who took a base counts its documents, and makes the next one as the others do; a relay takes none")
    func newcomersCount() {
        var world = World(seed: 932)
        let isMade = collectedMesh(&world)
        #expect(isMade, "\(world.logs())")
        // What the next checkpoint after the newcomer's purges, and nothing touches any more.
        for number in 0..<3 {
            for node in 0..<3 { _ = world.increment(node, "notes", Key("tail/\(number)")) }
        }
        let isTailHeld = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isTailHeld && checkpoint(&world, at: 0, [0, 1, 2]) != nil, "\(world.logs())")
        let (late, relay) = (world.addNode(), world.addNode())
        for (node, role) in [(late, Role.writer), (relay, .relay)] {
            let invite = world.ask(
                0, .invite(SpaceReference("notes"), role: role, expiresSeconds: 86_400))
            guard case .invite(_, let token)? = invite, case .joined? = world.join(node, token) else {
                Issue.record("not joined: \(world.logs())")
                return
            }
        }
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isLevel, "\(world.logs())")
        let listed = world.export(0, "notes")?.count { $0 == UInt8(ascii: "\n") }
        #expect(documents(&world, [0, late]) == [listed, listed])
        world.run(milliseconds: 30_000)
        #expect(world.nodes[late].log.contains { $0.contains("base-taken") })
        #expect(!world.nodes[relay].log.contains { $0.contains("base-taken") })
        let writes = world.run(within: 60_000) { $0.increment(late, "notes", "count/1") }
        #expect(writes, "\(world.logs())")
        let isLevelAgain = world.run(within: 60_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isLevelAgain, "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 1, 2, late]) != nil)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }
}

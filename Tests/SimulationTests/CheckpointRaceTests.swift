// Checkpoints that come while another one is still being followed.

import Bytes
import Causality
import Node
import Simulator
import Testing
import Wire

extension CheckpointTests {
    static func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    @Test("who proposes while documents are moved to a base has them moved first")
    func proposesWhileApplying() throws {
        var world = World(seed: 940)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1])
        let space = try #require(try world.diskCopy(0).spaces().first).id
        // More than some slices move, of about 200 each.
        let count = 2_400
        for _ in 0..<2 {
            for number in 0..<count { _ = world.increment(number % 2, "notes", Key("d\(number)")) }
            let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
            #expect(isLevel && checkpoint(&world, at: 0, [0, 1]) != nil, "\(world.logs())")
        }
        for number in 0..<count { _ = world.increment(0, "notes", Key("d\(number)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel, "\(world.logs())")
        guard
            case .checkpointProposed(let first)? = world.ask(
                0, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        else {
            Issue.record("no proposal: \(world.logs())")
            return
        }
        var isMoving = false
        for _ in 0..<60_000 where !isMoving {
            world.run(milliseconds: 1)
            isMoving = world.nodes[0].node?.inspectCheckpoints(in: space).count == 2
        }
        world.run(milliseconds: 4)
        let isHalf = world.nodes[0].node?.inspectCheckpoints(in: space).count == 2
        #expect(isMoving && isHalf, "\(first) is not followed a step at a time: \(world.logs())")
        let second = checkpoint(&world, at: 0, [0, 1])
        #expect(second != nil && second != first)
        for node in 0..<2 { _ = world.ask(node, .collect(SpaceReference("notes"))) }
        var dice = SeededGenerator(seed: 6)
        for node in 0..<2 { world.crashAndStart(node, &dice) }
        world.run(milliseconds: 30_000)
        for node in 0..<2 {
            let text = Self.text(&world, node)
            let whole = (0..<count).count { text.contains("{\"key\":\"d\($0)\",\"value\":{\"n\":3}}") }
            #expect(whole == count, "node \(node): \(text.prefix(2_000))")
        }
        #expect(!world.logs().contains("differs"), "\(world.logs())")
        let isEqual = world.areEqual([0, 1], "notes")
        #expect(isEqual)
    }

    @Test("who was left out of several has all that it wrote made again, before anything of it is collected")
    func adoptsBeforeCollecting() throws {
        var world = World(seed: 942)
        let isMade = collectedMesh(&world)
        #expect(isMade, "\(world.logs())")
        world.separate([2])
        // Enough for several sections of its log.
        for number in 0..<20 {
            let text = String(repeating: "0123456789", count: 1_200)
            _ = world.splice(2, "notes", Key("own/\(number)"), at: 0, text)
            _ = world.increment(2, "notes", "mine")
        }
        leaveOut(2, &world)
        let space = try #require(try world.diskCopy(0).spaces().first).id
        let own = try #require(try world.diskCopy(2).heads(space).entries.max { $0.last < $1.last })
        world.reunite()
        // The others come to hold it, for them it is late, and they go on without a word from its author.
        let isHanded = world.run(within: 60_000) { world in
            (try? world.diskCopy(0).heads(space)[own.replica] >= own.last) ?? false
        }
        #expect(isHanded, "\(world.logs())")
        world.separate([2])
        leaveOut(2, &world)
        for node in 0..<2 { _ = world.ask(node, .collect(SpaceReference("notes"))) }
        world.reunite()
        let isBack = world.run(within: 300_000) { world in
            (0..<3).allSatisfy { Self.text(&world, $0).contains(#"{"key":"mine","value":{"n":20}}"#) }
        }
        #expect(isBack, "\(world.logs())")
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    @Test("of two that were proposed at once, and that nobody has computed yet, one is agreed on")
    func rivals() {
        var world = World(seed: 943)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.addNode()
        let invite = world.ask(
            0, .invite(SpaceReference("notes"), role: .admin, expiresSeconds: 86_400))
        guard case .invite(_, let token)? = invite, case .joined? = world.join(3, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        for number in 0..<200 { _ = world.increment(number % 3, "notes", Key("d\(number)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2, 3], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.separate([0])
        world.separate([3])
        for author in [0, 3] {
            let answer = world.ask(author, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
            guard case .checkpointProposed? = answer else {
                Issue.record("node \(author): \(String(describing: answer))")
                return
            }
        }
        // The others come back when both are everywhere, and meet them together.
        for node in [1, 2] { world.crash(node) }
        world.reunite()
        world.run(milliseconds: 60_000)
        for node in [1, 2] { world.start(node) }
        let stands = world.run(within: 300_000) { world in
            let ids = (0..<4).map { report(&world, $0)?.standing?.id }
            return ids[0] != nil && Set(ids).count == 1
        }
        #expect(stands, "\(world.logs())")
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    @Test("who was put back proposes nothing before it learned from a member what it did since")
    func restored() {
        var world = World(seed: 944)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        for node in 0..<2 { _ = world.increment(node, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel, "\(world.logs())")
        let backup = world.diskCopy(0)
        let forgotten = checkpoint(&world, at: 0, [0, 1])
        world.crash(0)
        world.separate([0])
        world.replaceDisk(0, with: backup, seen: "a backup was put back")
        let propose = NodeRequest.proposeCheckpoint(SpaceReference("notes"), absent: nil)
        for isAgain in [false, true] {
            if isAgain { world.crash(0) }
            world.start(0)
            _ = world.increment(0, "notes", "count")
            let answer = world.ask(0, propose)
            guard case .failed(.restored("notes"))? = answer else {
                Issue.record("proposed: \(String(describing: answer))")
                return
            }
        }
        world.reunite()
        let isLearned = world.run(within: 120_000) { world in
            world.areEqual([0, 1], "notes") && report(&world, 0)?.standing?.id == forgotten
        }
        #expect(isLearned, "\(world.logs())")
        let second = checkpoint(&world, at: 0, [0, 1])
        #expect(second != nil && second != forgotten)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }
}

// Logs that their devices left, as a restored box and a copy leave theirs: a checkpoint closes them behind
// their ends, they are let go whole, and what somebody wrote behind an end is made again (decision 0244).

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Simulator
import Testing
import Wire

@Suite struct EndedLogTests {
    /// Proposes at the first node, and waits until the checkpoint stands at all of these, which collect.
    private func checkpoint(_ world: inout World, _ all: [Int], absent: [Int]? = nil) -> Bool {
        let absent = absent.map { absent in
            absent.map { MemberReference(DeviceID(publicKey: world.nodes[$0].deviceKey.publicKey).text) }
        }
        guard world.checkpoint(all, without: absent) != nil else { return false }
        world.collect(all)
        return true
    }

    /// Starts a node as a directory starts that was copied.
    private func restartAsCopy(_ world: inout World, _ index: Int) {
        world.crash(index)
        world.replaceDisk(index, with: world.diskCopy(index), seen: "the directory is a copy")
        world.start(index)
        world.keepNothing([index])
    }

    /// Logs of which a node keeps changes, and the bytes of those.
    private func kept(_ world: World, _ index: Int) throws -> (logs: Int, bytes: Int) {
        let store = try #require(world.nodes[index].node?.store)
        let space = try #require(try store.spaces().first?.id)
        let logs = try store.heads(space).entries.count { entry in
            try !store.runs(space, entry.replica, from: SequenceNumber(1), bytesMax: 1).isEmpty
        }
        return (logs, try store.logBytes(space))
    }

    /// Writes of all, level then.
    private func write(_ world: inout World, _ all: [Int], round: Int) -> Bool {
        for node in all {
            let isWritten = world.run(within: 60_000) { world in
                world.increment(node, "notes", "count")
                    && world.set(node, "notes", Key("note/\(node)"), "round", Int64(round)) != nil
            }
            guard isWritten else { return false }
        }
        return world.run(within: 60_000) { $0.areEqual(all, "notes") }
    }

    @Test("a log that its device left is let go whole, by those who computed the base and by who took it")
    func letGo() throws {
        var world = World(seed: 960)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        for round in 0..<8 {
            restartAsCopy(&world, 2)
            let isWritten = write(&world, [0, 1, 2], round: round)
            #expect(isWritten, "round \(round): \(world.logs())")
            let isStanding = checkpoint(&world, [0, 1, 2])
            #expect(isStanding, "round \(round): \(world.logs())")
        }
        world.run(milliseconds: 30_000)
        for node in 0..<3 {
            // The two that go on, and of the third those that the last two checkpoints may still ask for.
            let kept = try kept(world, node)
            #expect(kept.logs <= 5, "node \(node): \(kept)")
        }
        var dice = SeededGenerator(seed: 5)
        for node in 0..<3 { world.crashAndStart(node, &dice) }
        world.keepNothing([0, 1, 2])
        let late = world.addNode()
        world.keepNothing([late])
        let token = world.invite(0, "notes")
        guard case .joined? = world.join(late, try #require(token)) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        let all = [0, 1, 2, late]
        for round in 8..<12 {
            let isWritten = write(&world, all, round: round)
            #expect(isWritten, "round \(round): \(world.logs())")
            let isStanding = checkpoint(&world, all)
            #expect(isStanding, "round \(round): \(world.logs())")
        }
        let text = String(decoding: world.export(late, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#"{"key":"count","value":{"n":40}}"#), "\(text)")
        for node in all { #expect(try kept(world, node).logs <= 6) }
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    @Test("who was away names logs that are gone to others, and goes on with them from their base")
    func comesBack() throws {
        var world = World(seed: 964)
        let isMade = world.makeSpace("notes", nodes: 4)
        #expect(isMade, "\(world.logs())")
        let all = [0, 1, 2, 3]
        world.keepNothing(all)
        for round in 0..<2 {
            restartAsCopy(&world, 2)
            #expect(write(&world, all, round: round), "\(world.logs())")
            #expect(checkpoint(&world, all), "\(world.logs())")
        }
        world.separate([3])
        for _ in 0..<3 where !world.increment(3, "notes", "count") { Issue.record("not written") }
        for round in 2..<6 {
            restartAsCopy(&world, 2)
            #expect(write(&world, [0, 1, 2], round: round), "\(world.logs())")
            #expect(checkpoint(&world, [0, 1, 2], absent: [3]), "\(world.logs())")
        }
        world.reunite()
        func isWhole(_ world: inout World, _ count: Int) -> Bool {
            let text = String(decoding: world.export(3, "notes") ?? [], as: UTF8.self)
            return text.contains(#"{"key":"count","value":{"n":\#(count)}}"#) && world.areEqual(all, "notes")
        }
        let isBack = world.run(within: 300_000) { isWhole(&$0, 23) }
        #expect(isBack, "\(String(decoding: world.export(3, "notes") ?? [], as: UTF8.self)) \(world.logs())")
        for round in 6..<10 {
            #expect(write(&world, all, round: round), "\(world.logs())")
            #expect(checkpoint(&world, all), "\(world.logs())")
        }
        #expect(isWhole(&world, 39), "\(world.logs())")
        for node in all { #expect(try kept(world, node).logs <= 6, "node \(node)") }
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    @Test(
        "what the original wrote behind the end of the log that its copy left counts once",
        arguments: [961, 962, 963] as [UInt64])
    func behindTheEnd(seed: UInt64) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        #expect(write(&world, [0, 1, 2], round: 0), "\(world.logs())")
        #expect(checkpoint(&world, [0, 1, 2]), "\(world.logs())")
        let clone = world.addClone(of: 1, seen: "the directory is a copy")
        world.separate([1])
        world.keepNothing([clone])
        #expect(write(&world, [0, 2, clone], round: 1), "\(world.logs())")
        var count = 6
        for _ in 0..<5 where world.increment(1, "notes", "count") { count += 1 }
        #expect(count == 11)
        for round in 2..<5 {
            #expect(checkpoint(&world, [0, 2, clone]), "\(world.logs())")
            #expect(write(&world, [0, 2, clone], round: round), "\(world.logs())")
            count += 3
        }
        world.reunite()
        let all = [0, 1, 2, clone]
        func isWhole(_ world: inout World) -> Bool {
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains(#"{"key":"count","value":{"n":\#(count)}}"#)
                && world.areEqual(all, "notes")
        }
        let isDone = world.run(within: 600_000) { isWhole(&$0) }
        let texts = all.map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self) }
        #expect(isDone, "\(count): \(texts) \(world.logs())")
        // The original goes on, in a log of its own.
        if world.increment(1, "notes", "count") { count += 1 }
        #expect(count == 21)
        var dice = SeededGenerator(seed: seed)
        for node in all { world.crashAndStart(node, &dice) }
        let isSame = world.run(within: 300_000) { isWhole(&$0) }
        #expect(isSame, "\(world.logs())")
        #expect(checkpoint(&world, all), "\(world.logs())")
        let isKept = world.run(within: 60_000) { isWhole(&$0) }
        #expect(isKept && !world.logs().contains("differs"), "\(world.logs())")
    }

    @Test("who was away while copies forked a log, until a checkpoint ended it, goes on from its base")
    func endOfAFork() {
        var world = World(seed: 965)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        #expect(write(&world, [0, 1, 2], round: 0), "\(world.logs())")
        #expect(checkpoint(&world, [0, 1, 2]), "\(world.logs())")
        // 1. The third is away while the second and its copy go on with one log, apart: a checkpoint holds
        //    the copy's branch.
        world.separate([2])
        let clone = world.addClone(of: 1)
        world.keepNothing([clone])
        world.separate([1])
        var count = 3
        for _ in 0..<4 where world.increment(1, "notes", "count") { count += 1 }
        world.run(milliseconds: 7)
        for _ in 0..<3 where world.increment(clone, "notes", "count") { count += 1 }
        #expect(checkpoint(&world, [0, clone], absent: [2]), "\(world.logs())")
        // 2. Both go on in logs of their own, until a table says that the log ended.
        world.heal()
        world.separate([2])
        let others = [0, 1, clone]
        let isProved = world.run(within: 300_000) { world in
            others.allSatisfy { world.nodes[$0].log.contains { $0.contains("in two ways") } }
                && world.areEqual(others, "notes")
        }
        #expect(isProved, "\(world.logs())")
        for round in 1..<4 {
            #expect(write(&world, others, round: round), "\(world.logs())")
            count += 3
            #expect(checkpoint(&world, others, absent: [2]), "\(world.logs())")
        }
        // 3. The third hears of the fork, and then takes the base.
        world.reunite()
        let all = [0, 1, 2, clone]
        let isWhole = world.run(within: 300_000) { world in
            let text = String(decoding: world.export(2, "notes") ?? [], as: UTF8.self)
            return text.contains(#"{"key":"count","value":{"n":\#(count)}}"#) && world.areEqual(all, "notes")
        }
        #expect(isWhole && count == 19, "\(count) \(world.logs())")
        #expect(write(&world, all, round: 4) && checkpoint(&world, all), "\(world.logs())")
    }

    @Test("who was away takes the base, where what it gets was made on what stands behind the end of a log")
    func madeBehindAnEnd() {
        var world = World(seed: 966)
        let isMade = world.makeSpace("notes", nodes: 4)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2, 3])
        #expect(write(&world, [0, 1, 2, 3], round: 0), "\(world.logs())")
        #expect(checkpoint(&world, [0, 1, 2, 3]), "\(world.logs())")
        // 1. A copy of the second goes on in a log of its own, while the second is away.
        let clone = world.addClone(of: 1, seen: "the directory is a copy")
        world.separate([1])
        world.keepNothing([clone])
        #expect(write(&world, [0, 2, 3, clone], round: 1), "\(world.logs())")
        // 2. The second goes on in the log that its copy left. Only the third hears of it, and writes then.
        for _ in 0..<3 where !world.increment(1, "notes", "count") { Issue.record("not written") }
        world.heal()
        world.separate([1, 2])
        world.separate([3])
        let isHeard = world.run(within: 120_000) { shows(11, 2, &$0) }
        let isWritten = world.increment(2, "notes", "count")
        #expect(isHeard && isWritten, "\(world.logs())")
        // 3. A checkpoint that ends that log is made by those who did not, and acknowledged by the third.
        if !world.increment(0, "notes", "count") { Issue.record("not written") }
        let away = MemberReference(DeviceID(publicKey: world.nodes[3].deviceKey.publicKey).text)
        let answer = world.ask(0, .proposeCheckpoint(SpaceReference("notes"), absent: [away]))
        guard case .checkpointProposed(let id)? = answer else {
            Issue.record("no proposal: \(String(describing: answer))")
            return
        }
        world.heal()
        world.separate([1])
        world.separate([3])
        let isStanding = world.run(within: 120_000) { world in
            [0, 2, clone].allSatisfy { CheckpointTests().report(&world, $0)?.standing?.id == id }
                && world.areEqual([0, 2, clone], "notes")
        }
        #expect(isStanding, "\(world.logs())")
        // 4. Who was away gets what the third wrote and signed, and nobody gives what that was made on.
        world.heal()
        world.separate([1])
        // The copy has made it again meanwhile.
        let isBack = world.run(within: 300_000) { world in
            world.areEqual([0, 2, 3, clone], "notes") && shows(13, 3, &world)
        }
        #expect(isBack, "\(world.logs())")
        world.reunite()
        let all = [0, 1, 2, 3, clone]
        let isWhole = world.run(within: 300_000) { world in
            world.areEqual(all, "notes") && all.allSatisfy { shows(13, $0, &world) }
        }
        #expect(isWhole && !world.logs().contains("differs"), "\(world.logs())")
    }

    private func shows(_ count: Int, _ index: Int, _ world: inout World) -> Bool {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
            .contains(#"{"key":"count","value":{"n":\#(count)}}"#)
    }
}

// Forks that are found below a checkpoint that stands: what it holds of the log stays and counts once, the
// rest of it and every other branch is issued again, and everybody goes on from the checkpoint (decision
// 0228).

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct FinalForkTests {
    private func standing(_ world: inout World, _ index: Int) -> Bytes32? {
        guard case .checkpoints(let report)? = world.ask(index, .checkpoints(SpaceReference("notes"))) else {
            return nil
        }
        return report.standing?.id
    }

    /// Proposes at a node, and waits until the checkpoint stands at all of these.
    private func checkpoint(_ world: inout World, at index: Int, _ all: [Int]) -> Bool {
        let answer = world.ask(index, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        guard case .checkpointProposed(let id)? = answer else {
            Issue.record("no proposal: \(String(describing: answer))")
            return false
        }
        return world.run(within: 120_000) { world in all.allSatisfy { standing(&world, $0) == id } }
    }

    private func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    /// Increments of "count" and a key each of "marks"; how many were acknowledged.
    private func write(_ index: Int, _ name: String, _ rounds: Int, _ world: inout World) -> Int {
        var count = 0
        for round in 0..<rounds {
            // In one millisecond two copies would write the same bytes, which is one change and not two.
            world.run(milliseconds: UInt64(3 + index))
            if world.increment(index, "notes", "count") { count += 1 }
            _ = world.set(index, "notes", "marks", "\(name)\(round)", Int64(round))
        }
        return count
    }

    /// Three nodes on a checkpoint, with three increments by the second one, of which a copy is made.
    private func begun(_ world: inout World) -> (clone: Int, count: Int) {
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        let count = write(1, "trunk", 3, &world)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel && checkpoint(&world, at: 0, [0, 1, 2]), "\(world.logs())")
        return (world.addClone(of: 1), count)
    }

    private func isWhole(_ count: Int, _ names: [String], _ all: [Int], _ world: inout World) -> Bool {
        let text = text(&world, all[0])
        return text.contains(#"{"key":"count","value":{"n":\#(count)}}"#)
            && names.allSatisfy { text.contains("\"\($0)\"") } && world.areEqual(all, "notes")
    }

    @Test(
        "a fork below a checkpoint that stands: what it holds counts once, the other branch is issued again",
        arguments: [950, 951, 952] as [UInt64])
    func below(seed: UInt64) {
        var world = World(seed: seed)
        let (clone, trunk) = begun(&world)
        var count = trunk
        world.separate([1])
        // Both go on with one log; the others hold the copy's.
        count += write(1, "original", 4, &world)
        count += write(clone, "copy", 3, &world)
        let isHeld = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        #expect(isHeld, "\(world.logs())")
        #expect(checkpoint(&world, at: 0, [0, 2, clone]), "\(world.logs())")
        count += write(clone, "beyond", 3, &world)
        #expect(count == 13, "\(world.logs())")
        world.run(milliseconds: 3_000)
        world.reunite()
        let all = [0, 1, 2, clone]
        let names = ["trunk2", "original3", "copy2", "beyond2"]
        let done = world.run(within: 600_000) { isWhole(count, names, all, &$0) }
        #expect(done, "\(count): \(all.map { text(&world, $0) }) \(world.logs())")
        let forks = all.map { index -> [ForkReport] in
            guard case .forks(let forks)? = world.ask(index, .forks(.init("notes"))) else { return [] }
            return forks
        }
        #expect(forks.allSatisfy { $0.count == 1 && $0[0].closedAt == forks[0][0].closedAt }, "\(forks)")
        // What the base holds can be deleted, by who held the other branch as well.
        for (index, key) in [(1, "copy0"), (0, "copy1"), (clone, "original0")] {
            let removal = OperationRequest(document: "marks", path: [.key(Key(key))], verb: .delete)
            let transaction = Transaction(operations: [removal], conditions: [], idempotency: nil)
            let isDone = world.run(within: 60_000) { world in
                if case .transaction? = world.ask(index, .transact(SpaceReference("notes"), transaction)) {
                    return true
                }
                return false
            }
            #expect(isDone, "\(index): \(world.logs())")
        }
        let isGone = world.run(within: 60_000) { world in
            let text = text(&world, 0)
            return !["copy0", "copy1", "original0"].contains { text.contains("\"\($0)\"") }
                && isWhole(count, names, all, &world)
        }
        #expect(isGone, "\(all.map { text(&world, $0) }) \(world.logs())")
        // Restarts keep it, and the next checkpoint has it.
        var dice = SeededGenerator(seed: seed)
        for index in all { world.crashAndStart(index, &dice) }
        let isSame = world.run(within: 120_000) { isWhole(count, names, all, &$0) }
        #expect(isSame, "\(all.map { text(&world, $0) }) \(world.logs())")
        #expect(checkpoint(&world, at: 0, all), "\(world.logs())")
        let isKept = world.run(within: 60_000) { isWhole(count, names, all, &$0) }
        #expect(isKept && !world.logs().contains("base-differs"), "\(world.logs())")
    }

    @Test("what stands behind a checkpoint on its branch is issued again by who holds another one only")
    func beyond() {
        var world = World(seed: 954)
        let (clone, trunk) = begun(&world)
        var count = trunk
        divide(&world, [1], [0, 2, clone])
        count += write(1, "original", 4, &world)
        count += write(clone, "copy", 3, &world)
        // A boundary lies between the fork and the end of what the checkpoint holds, and the original is
        // further: its log does not begin there when it takes the base.
        let long = String(repeating: "0123456789abcdef", count: 700)
        for part in 0..<2 { _ = world.splice(clone, "notes", Key("long/\(part)"), at: 0, long) }
        for part in 2..<6 { _ = world.splice(1, "notes", Key("long/\(part)"), at: 0, long) }
        count += write(clone, "more", 2, &world)
        let isHeld = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        #expect(isHeld && checkpoint(&world, at: 0, [0, 2, clone]), "\(world.logs())")
        count += write(clone, "beyond", 3, &world)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        #expect(isLevel && count == 15, "\(world.logs())")
        // The copy is gone for ever: what it wrote is on the others.
        world.crash(clone)
        world.heal()
        world.run(milliseconds: 120_000)
        let isDone = isWhole(count, ["original3", "copy2", "more1", "beyond2"], [0, 1, 2], &world)
        #expect(isDone, "\(count): \([0, 1, 2].map { text(&world, $0).prefix(300) }) \(world.logs())")
    }

    /// Nobody reaches anybody of another group.
    private func divide(_ world: inout World, _ groups: [Int]...) {
        world.heal()
        for (index, group) in groups.enumerated() {
            let others = groups.enumerated().filter { $0.offset != index }.flatMap(\.element)
            for (one, other) in group.flatMap({ one in others.map { (one, $0) } }) {
                world.block(Direction(from: one, to: other))
            }
        }
    }

    @Test(
        "what the checkpoint holds and somebody issued again counts once, also for who has only the base",
        arguments: [0, 1, 3] as [Int])
    func doubled(sections: Int) {
        var world = World(seed: 953)
        let (clone, trunk) = begun(&world)
        var count = trunk
        divide(&world, [1], [0, 2, clone])
        count += write(1, "original", 4, &world)
        count += write(clone, "copy", 3, &world)
        let long = String(repeating: "0123456789abcdef", count: 700)
        for part in 0..<(6 * sections) {
            _ = world.splice(clone, "notes", Key("long/\(part % 7)"), at: 0, long)
        }
        let isHeld = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        #expect(isHeld, "\(world.logs())")
        // 1. It stands by what the copy acknowledges, which who holds its branch beside it does not hear.
        divide(&world, [1], [clone], [0, 2])
        let answer = world.ask(0, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        guard case .checkpointProposed(let id)? = answer else {
            Issue.record("no proposal: \(String(describing: answer))")
            return
        }
        world.run(milliseconds: 20_000)
        divide(&world, [1, 2], [0, clone])
        let stands = world.run(within: 60_000) { world in
            [0, clone].allSatisfy { standing(&world, $0) == id }
        }
        #expect(stands && standing(&world, 2) != id, "\(world.logs())")
        // 2. Who comes now has only the base; the others find the fork, and both branches are issued again.
        let late = world.addNode()
        divide(&world, [1, 2], [0, clone, late])
        guard let token = world.invite(0, "notes"), case .joined? = world.join(late, token) else {
            Issue.record("\(world.logs())")
            return
        }
        world.run(milliseconds: 60_000)
        #expect(isWhole(count - 4, ["copy2"], [0, clone, late], &world), "\(world.logs())")
        #expect(isWhole(count, ["original3", "copy2"], [2, 1], &world), "\(world.logs())")
        // 3. All come together.
        world.heal()
        let all = [0, 1, 2, clone, late]
        let names = ["trunk2", "original3", "copy2"]
        world.run(milliseconds: 120_000)
        let done = isWhole(count, names, all, &world)
        let shown = all.map { index in
            text(&world, index).split(separator: "\n").map { $0.prefix(200) }
        }
        #expect(done, "\(count): \(shown) \(world.logs())")
        let next = checkpoint(&world, at: 0, all)
        #expect(next, "\(world.logs())")
        world.run(milliseconds: 20_000)
        let isKept = isWhole(count, names, all, &world)
        #expect(isKept && !world.logs().contains("base-differs"), "\(world.logs())")
    }

    @Test(
        "a branch that one box has in its base only comes to who has less of it, with that base",
        arguments: [false, true], [955, 956] as [UInt64])
    func inTheBaseOnly(hasSome: Bool, seed: UInt64) {
        var world = World(seed: seed)
        let (clone, trunk) = begun(&world)
        var count = trunk
        world.separate([1])
        // 1. The checkpoint holds the copy's branch. The box that was copied has its own, and takes the base.
        var disk = world.diskCopy(2)
        count += write(1, "original", 4, &world)
        count += write(clone, "early", 2, &world)
        let isHeard = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        if hasSome { disk = world.diskCopy(2) }
        count += write(clone, "copy", 3, &world)
        let isHeld = world.run(within: 60_000) { $0.areEqual([0, 2, clone], "notes") }
        #expect(isHeard && isHeld && checkpoint(&world, at: 0, [0, 2, clone]), "\(world.logs())")
        world.reunite()
        let all = [0, 1, 2, clone]
        let names = ["trunk2", "original3", "early1", "copy2"]
        let isLevel = world.run(within: 600_000) { isWhole(count, names, all, &$0) }
        #expect(isLevel, "\(count): \(all.map { text(&world, $0) }) \(world.logs())")
        // 2. Whoever has the copy's branch in a log is away, and one box is put back to before it.
        world.run(milliseconds: 30_000)
        for index in [0, 2, clone] { world.crash(index) }
        world.replaceDisk(2, with: disk)
        world.start(2)
        count += write(1, "later", 2, &world)
        let isBack = world.run(within: 600_000) { isWhole(count, names + ["later1"], [1, 2], &$0) }
        #expect(isBack, "\(count): \([1, 2].map { text(&world, $0) }) \(world.logs())")
        // 3. It stays so after restarts, beside the others, and with the next checkpoint.
        var dice = SeededGenerator(seed: seed)
        for index in [1, 2] { world.crashAndStart(index, &dice) }
        for index in [0, clone] { world.start(index) }
        count += write(2, "last", 2, &world)
        let isTogether = world.run(within: 600_000) { isWhole(count, names + ["last1"], all, &$0) }
        #expect(isTogether, "\(count): \(all.map { text(&world, $0) }) \(world.logs())")
        #expect(checkpoint(&world, at: 0, all), "\(world.logs())")
        let isKept = world.run(within: 60_000) { isWhole(count, names + ["last1"], all, &$0) }
        #expect(isKept && !world.logs().contains("base-differs"), "\(world.logs())")
    }
}

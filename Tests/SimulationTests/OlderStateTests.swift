// A disk that is older than two checkpoints is put back without a word, and written on before anybody is met:
// nobody holds both ways of its log, and nothing of either is lost (decision 0252).

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing

@Suite struct OlderStateTests {
    private func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self).replacing("abcdefg", with: "")
    }

    /// Three members that keep no history, and hold the same.
    private func begin(_ world: inout World) {
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        for index in 0..<3 { _ = world.increment(index, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel, "\(world.logs())")
    }

    /// What is whole is so after restarts.
    private func expectStays(_ world: inout World, seed: UInt64, _ isWhole: (inout World) -> Bool) {
        var dice = SeededGenerator(seed: seed)
        for index in 0..<3 { world.crashAndStart(index, &dice) }
        world.run(milliseconds: 60_000)
        let isSame = world.run(within: 300_000) { isWhole(&$0) }
        #expect(isSame, "\((0..<3).map { text(&world, $0).suffix(300) }) \(world.logs())")
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    /// Checkpoints until the log of before the first is let go by all of these.
    private func letGo(_ world: inout World, _ all: [Int]) -> Bool {
        for _ in 0..<3 {
            // Of more sequences than lie between two boundaries.
            for index in all {
                for _ in 0..<8 {
                    _ = world.splice(
                        index, "notes", "text", at: 0, String(repeating: "abcdefg", count: 100))
                }
            }
            if world.checkpoint(all) == nil { return false }
            world.collect(all)
        }
        return true
    }

    @Test(
        "what was written on a disk that was put back counts once, restarts and a second return included",
        arguments: [960, 961, 962] as [UInt64], [false, true])
    func counts(seed: UInt64, twice: Bool) {
        var world = World(seed: seed)
        begin(&world)
        let backup = world.diskCopy(2)
        _ = world.increment(2, "notes", "count")
        let isLetGo = letGo(&world, [0, 1, 2])
        #expect(isLetGo, "\(world.logs())")
        world.crash(2)
        world.separate([2])
        world.replaceDisk(2, with: backup, seen: nil)
        world.start(2)
        for number in 0..<3 {
            let isWritten = world.increment(2, "notes", "count")
            #expect(isWritten)
            _ = world.set(2, "notes", "marks", "blind\(number)", Int64(number))
        }
        let written = world.diskCopy(2)
        func isWhole(_ world: inout World) -> Bool {
            let text = text(&world, 0)
            return text.contains(#"{"key":"count","value":{"n":7}}"#)
                && (0..<3).allSatisfy { text.contains("\"blind\($0)\"") }
                && world.areEqual([0, 1, 2], "notes")
        }
        world.reunite()
        let isBack = world.run(within: 300_000) { isWhole(&$0) }
        #expect(isBack, "\((0..<3).map { text(&world, $0).suffix(300) }) \(world.logs())")
        if twice {
            world.crash(2)
            world.replaceDisk(2, with: written, seen: nil)
            world.start(2)
        }
        expectStays(&world, seed: seed, isWhole)
    }

    @Test(
        "so does what was written as far as the end of a log that the device had left, or further",
        arguments: [970, 971, 972] as [UInt64], [1, 3])
    func endedLog(seed: UInt64, writes: Int) {
        var world = World(seed: seed)
        begin(&world)
        let backup = world.diskCopy(2)
        _ = world.increment(2, "notes", "count")
        let isTold = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isTold, "\(world.logs())")
        // The others hold more of its log than it does: it begins another one, and this one ends.
        world.crash(2)
        world.replaceDisk(2, with: backup, seen: nil)
        world.start(2)
        let isFetched = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        _ = world.increment(2, "notes", "count")
        let isLetGo = letGo(&world, [0, 1, 2])
        #expect(isFetched && isLetGo, "\(world.logs())")
        world.crash(2)
        world.separate([2])
        world.replaceDisk(2, with: backup, seen: nil)
        world.start(2)
        for number in 0..<writes {
            let isWritten = world.increment(2, "notes", "count")
            #expect(isWritten)
            _ = world.set(2, "notes", "marks", "blind\(number)", Int64(number))
        }
        world.reunite()
        func isWhole(_ world: inout World) -> Bool {
            let text = text(&world, 0)
            return text.contains("{\"key\":\"count\",\"value\":{\"n\":\(5 + writes)}}")
                && (0..<writes).allSatisfy { text.contains("\"blind\($0)\"") }
                && world.areEqual([0, 1, 2], "notes")
        }
        let isBack = world.run(within: 300_000) { isWhole(&$0) }
        #expect(isBack, "\((0..<3).map { text(&world, $0).suffix(300) }) \(world.logs())")
        expectStays(&world, seed: seed, isWhole)
    }
}

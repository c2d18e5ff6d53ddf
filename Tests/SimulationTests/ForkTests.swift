// Copies of a box that both write: the fork is proved, what both wrote ends up everywhere, once, and
// everybody is told.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct ForkTests {
    @Test("two copies of a box that both write: nothing is lost, nothing counts twice", arguments: 70..<74)
    func clones(seed: UInt64) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        var count = 0
        for _ in 0..<5 where world.increment(1, "notes", "count") { count += 1 }
        let clone = world.addClone(of: 1)
        // Both go on with one log before they hear of each other.
        for index in [1, clone] { world.separate([index]) }
        for round in 0..<4 {
            // In one millisecond both would write the same bytes, which is one change and not two.
            world.run(milliseconds: 3)
            if world.increment(1, "notes", "count") { count += 1 }
            world.run(milliseconds: 3)
            for index in [clone] where world.increment(index, "notes", "count") { count += 1 }
            for index in [1, clone] { _ = world.splice(index, "notes", "text", at: 0, "\(index)\(round) ") }
        }
        #expect(count == 13, "\(world.logs())")
        world.reunite()
        let met = world.time
        let isTold = world.run(within: 10_000) { world in
            (0..<4).contains { index in !Set(world.alarms(index)).isDisjoint(with: ["fork", "cloned"]) }
        }
        #expect(isTold, "nobody was told \(world.time - met) ms after they met: \(world.logs())")
        let done = world.run(within: 600_000) { world in
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains(#""n":\#(count)}"#) && world.areEqual([0, 1, 2, clone], "notes")
        }
        let exports = (0..<4).map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self) }
        #expect(done, "\(count): \(exports) \(world.logs())")
        for index in [1, clone] {
            for round in 0..<4 { #expect(exports[0].contains("\(index)\(round) "), "\(exports[0])") }
        }
        for index in 0..<4 {
            let alarms = world.alarms(index)
            #expect(alarms.contains("fork"), "\(index): \(alarms)")
            guard case .forks(let forks)? = world.ask(index, .forks(.init("notes"))) else {
                Issue.record("no forks are listed")
                continue
            }
            #expect(forks.count == 1 && forks.allSatisfy { $0.branch?.isReissued == true }, "\(forks)")
        }
    }

    @Test("what goes on from another branch and does not even decode here is a fork, not the sender's fault")
    func otherDictionary() {
        var world = World(seed: 79)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        _ = world.set(1, "notes", "first", "x", 0)
        let old = world.diskCopy(1)
        // Seven documents that the log then names by number; the other branch names one.
        for number in 0..<7 { _ = world.set(1, "notes", Key("left/\(number)"), "x", 1) }
        for number in 0..<7 { _ = world.set(1, "notes", Key("left/\(number)"), "x", 2) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        world.crash(1)
        world.separate([1])
        world.replaceDisk(1, with: old)
        world.start(1)
        for number in 0..<7 { _ = world.set(1, "notes", "right", "x", Int64(number)) }
        world.reunite()
        let done = world.run(within: 120_000) { world in
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains(#""right","value":{"x":6}"#) && text.contains(#""left/6","value":{"x":2}"#)
                && world.areEqual([0, 1], "notes")
        }
        #expect(done, "\(world.logs())")
        #expect(!world.logs().contains("peer-fault"), "\(world.logs())")
    }

    @Test("branches of many sections are re-issued whole, those that only others hold as well")
    func longBranches() {
        var world = World(seed: 78)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        func write(_ index: Int, _ letter: String, _ world: inout World) {
            world.run(milliseconds: 3)
            _ = world.splice(index, "notes", "text", at: 0, String(repeating: letter, count: 1_500))
        }
        func letters(_ index: Int, _ world: inout World) -> [Character: Int] {
            let text = String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
            return Dictionary(text.filter { "PQRS".contains($0) }.map { ($0, 1) }, uniquingKeysWith: +)
        }
        // The trunk has boundaries too: the last one that is shared must be found.
        for _ in 0..<8 { write(1, "P", &world) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        let old = world.diskCopy(1)
        // 13,500 sequences in four sections, which node 0 gets and the disk that is put back does not hold.
        for _ in 0..<9 { write(1, "Q", &world) }
        let isHeard = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isHeard)
        world.crash(1)
        world.separate([1])
        world.replaceDisk(1, with: old)
        world.start(1)
        for _ in 0..<9 { write(1, "R", &world) }
        let clone = world.addClone(of: 1)
        world.separate([clone])
        for _ in 0..<5 { write(clone, "S", &world) }
        world.reunite()
        let expected: [Character: Int] = ["P": 12_000, "Q": 13_500, "R": 13_500, "S": 7_500]
        let done = world.run(within: 900_000) { world in
            letters(0, &world) == expected && world.areEqual([0, 1, clone], "notes")
        }
        let found = [0, 1, clone].map { letters($0, &world) }
        #expect(done, "\(found) \(world.logs())")
    }

    /// Increments by one node; how many were acknowledged.
    private func count(_ rounds: Int, by index: Int, _ world: inout World) -> Int64 {
        var count: Int64 = 0
        for _ in 0..<rounds {
            // In one millisecond two branches would get the same bytes.
            world.run(milliseconds: 3)
            if world.increment(index, "notes", "count") { count += 1 }
        }
        return count
    }

    /// Runs the world until these nodes show this count, a minute at most.
    private func awaitCount(_ count: Int64, on indices: [Int], _ world: inout World) -> Bool {
        let read = NodeRequest.readDocument(.init("notes"), key: "count", view: .plain, atLeast: nil)
        return world.run(within: 60_000) { world in
            indices.allSatisfy { index in
                guard case .document(_, .plain(let value), _, _) = world.ask(index, read) else {
                    return false
                }
                return value == .object([.init("n", .scalar(.integer(count)))])
            }
        }
    }

    @Test("a peer that was away when a log was closed is asked for the branch that only it holds")
    func awayWhenClosed() {
        var world = World(seed: 77)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        var total = count(1, by: 1, &world)
        let isLevel = awaitCount(total, on: [0, 1, 2], &world)
        let old = world.diskCopy(1)
        // One branch, of which node 0 gets the beginning only.
        total += count(2, by: 1, &world)
        let isBegun = awaitCount(total, on: [0, 1, 2], &world)
        world.separate([0])
        total += count(3, by: 1, &world)
        let isHeard = awaitCount(total, on: [2], &world)
        #expect(isMade && isLevel && isBegun && isHeard && total == 6, "\(world.logs())")
        for index in [1, 2] { world.crash(index) }
        // The other one, after the disk was put back; node 0 has the proof.
        world.replaceDisk(1, with: old)
        world.start(1)
        total += count(2, by: 1, &world)
        world.reunite()
        let isClosed = awaitCount(5, on: [0, 1], &world)
        #expect(isClosed && world.alarms(1).contains("fork"), "\(world.logs())")
        world.start(2)
        let done = awaitCount(8, on: [0, 1, 2], &world)
        #expect(done && total == 8, "\(world.logs())")
    }

    @Test("a disk that is put back to before its log began gets both branches of it, behind a long trunk")
    func beforeTheLog() throws {
        var world = World(seed: 76)
        world.weather.pieceBytesMax = 65_536
        let isMade = world.makeSpace("notes", nodes: 3)
        let birth = world.diskCopy(1)
        // More than a window: what is asked when the proof comes is answered before the trunk is there.
        var dice = SeededGenerator(seed: 76)
        for page in 0..<300 {
            let text = (0..<500).map { _ in String(dice.next(), radix: 36) }.joined()
            _ = world.splice(1, "notes", Key("page/\(page)"), at: 0, text)
        }
        var total = count(1, by: 1, &world)
        let isLevel = awaitCount(total, on: [0, 1, 2], &world)
        let old = world.diskCopy(1)
        #expect(isMade && isLevel, "\(world.logs())")
        // Node 0 hears one branch, node 2 the other.
        world.separate([2])
        total += count(2, by: 1, &world)
        let isFirstHeard = awaitCount(3, on: [0], &world)
        world.crash(1)
        world.crash(0)
        world.replaceDisk(1, with: old)
        world.reunite()
        world.start(1)
        total += count(3, by: 1, &world)
        let isSecondHeard = awaitCount(4, on: [2], &world)
        #expect(isFirstHeard && isSecondHeard && total == 6, "\(world.logs())")
        world.crash(1)
        world.replaceDisk(1, with: birth)
        world.start(0)
        // Both prove it, and neither can issue anything again.
        let isProved = awaitCount(1, on: [0, 2], &world)
        #expect(isProved && world.alarms(0).contains("fork"), "\(world.logs())")
        world.start(1)
        let done = awaitCount(6, on: [0, 1, 2], &world)
        #expect(done, "\(world.logs())")
    }
}

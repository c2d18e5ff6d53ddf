// Beacons between node values: boxes that know no address of each other meet on a LAN, and what strangers
// send there changes nothing.

import Bytes
import Causality
import Node
import Simulator
import Testing
import Wire

extension World {
    func discovery(_ index: Int) -> DiscoveryReport? {
        guard var node = nodes[index].node else { return nil }
        let id = RequestID(.max)
        node.handle(.request(id, .status), at: now)
        for case .answer(id, .status(let report)) in node.commit(at: now) { return report.discovery }
        return nil
    }

    /// Members of one space, each moved to a new address with its disk, none knowing where the others are.
    mutating func makeMovedMembers(_ count: Int) -> [Int]? {
        guard makeSpace("notes", nodes: count) else { return nil }
        run(milliseconds: 15_000)
        for index in 0..<count { crash(index) }
        return (0..<count).map { addClone(of: $0) }
    }
}

@Suite struct DiscoveryTests {
    @Test("members that moved find each other by beacons alone, also when many are lost", arguments: 0..<8)
    func moved(seed: UInt64) throws {
        var world = World(seed: 700 + seed)
        let count = seed % 2 == 0 ? 2 : 5
        let made = world.makeMovedMembers(count)
        let moved = try #require(made)
        for index in moved { _ = world.set(index, "notes", Key("of \(index)"), "x", 1) }
        world.run(milliseconds: 120_000)
        let areApart = !world.areEqual(moved, "notes")
        #expect(areApart, "without a LAN nobody finds anybody: \(world.logs())")
        world.weather.losesDatagramOneIn = seed < 4 ? 0 : 3
        world.weather.doublesDatagramOneIn = 4
        for index in moved { world.putOnLan(index, 1) }
        let done = world.run(within: 60_000) { $0.areEqual(moved, "notes") }
        #expect(done, "\(world.logs())")
        world.weather.losesDatagramOneIn = 0
        world.run(milliseconds: 40_000)
        for index in moved {
            let counts = try #require(world.discovery(index)).counts
            #expect(counts.sent >= 4 && counts.heard >= 1 && counts.foreign == 0, "\(counts)")
            #expect(counts.own > 0, "multicast comes back")
        }
    }

    @Test("a joiner whose token names an address that is gone gets in by whom it hears")
    func joiner() throws {
        var world = World(seed: 720)
        world.addNode()
        let isCreated = world.createSpace(0, "notes")
        #expect(isCreated)
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        world.crash(0)
        let moved = world.addClone(of: 0)
        let joiner = world.addNode()
        let alone = world.join(joiner, token)
        guard case .failed(.inviterUnreachable) = alone else {
            Issue.record("joined without a way: \(String(describing: alone))")
            return
        }
        world.putOnLan(moved, 1)
        world.putOnLan(joiner, 1)
        let answer = world.join(joiner, token)
        guard case .joined = answer else {
            Issue.record("\(String(describing: answer)) \(world.logs())")
            return
        }
    }

    @Test("a joiner that hears nobody is told what was tried, and how often, after a minute")
    func lonelyJoiner() throws {
        var world = World(seed: 721)
        world.addNode()
        _ = world.createSpace(0, "notes")
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        world.crash(0)
        let joiner = world.addNode()
        world.putOnLan(joiner, 1)
        let start = world.time
        guard case .failed(.inviterUnreachable(let tried)) = world.join(joiner, token) else {
            Issue.record("joined nobody")
            return
        }
        #expect(tried.count == 2 && tried[1].contains("local network"), "\(tried)")
        #expect(tried[0].contains(" times)"), "\(tried)")
        #expect((60_000...70_000).contains(world.time - start), "\(world.time - start) ms")
    }

    /// A member alone on a LAN, and beacons of the other member that it never heard.
    private func recorded(seed: UInt64) throws -> (world: World, hearer: Int, beacons: [[UInt8]]) {
        var world = World(seed: seed)
        let made = world.makeMovedMembers(2)
        let moved = try #require(made)
        world.putOnLan(moved[1], 2)
        world.air.isRecorded = true
        world.run(milliseconds: 300_000)
        let beacons = world.air.beacons
        #expect(beacons.count >= 11)
        world.air.isRecorded = false
        world.putOnLan(moved[1], nil)
        world.putOnLan(moved[0], 1)
        return (world, moved[0], beacons)
    }

    @Test("beacons are 128 bytes, and no two share 8 bytes in a row past the first 4")
    func noPattern() throws {
        var world = World(seed: 730)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        for number in 0..<4 { _ = world.createSpace(0, "more-\(number)") }
        world.air.isRecorded = true
        for index in 0..<3 { world.putOnLan(index, 1) }
        for _ in 0..<6 {
            world.run(milliseconds: 400_000)
            world.crash(0)
            world.start(0)
        }
        let beacons = world.air.beacons
        #expect(beacons.count > 500)
        var seen: [UInt64: Int] = [:]
        for (number, beacon) in beacons.enumerated() {
            #expect(beacon.count == 128)
            #expect(Array(beacon[..<4]) == [1, 1, 0, 0])
            var run: UInt64 = 0
            for (offset, byte) in beacon[4...].enumerated() {
                run = run << 8 | UInt64(byte)
                guard offset >= 7 else { continue }
                if let other = seen[run] {
                    Issue.record("beacons \(other) and \(number) share \(run) at \(offset - 3)")
                }
                seen[run] = number
            }
        }
    }

    @Test("a recorded beacon gets no datagram back, and at most a few dials that come to nothing")
    func replayed() throws {
        var (world, hearer, beacons) = try recorded(seed: 740)
        world.run(milliseconds: 120_000)
        let before = try #require(world.discovery(hearer)).counts
        world.air.isRecorded = true
        let sentBefore = world.air.beacons.count
        world.air.dials = [:]
        // From where the replayer is; each is sent over and over.
        for round in 0..<40 {
            for beacon in beacons { world.sendDatagram(beacon, from: "10.66.0.6:21420", to: hearer) }
            world.run(milliseconds: 1_000)
            if round == 0 {
                let counts = try #require(world.discovery(hearer)).counts
                #expect(counts.heard - before.heard >= 1, "it never heard them: the first ones may be news")
            }
        }
        let counts = try #require(world.discovery(hearer)).counts
        #expect(counts.heard - before.heard <= UInt64(beacons.count))
        #expect(counts.replayed >= 39 * UInt64(beacons.count - 1))
        let dials = world.air.dials["10.66.0.6:21420"] ?? 0
        #expect((1...15).contains(dials), "\(dials) dials in 40 s")
        // One every half a minute is its own rhythm, nothing more.
        #expect(world.air.beacons.count - sentBefore <= 2)
        world.checkSpace(hearer)
    }

    @Test("foreign, malformed and flooding datagrams are dropped and counted, and 50 a second are looked at")
    func flood() throws {
        var (world, hearer, _) = try recorded(seed: 750)
        world.run(milliseconds: 10_000)
        let before = try #require(world.discovery(hearer)).counts
        var dice = SeededGenerator(seed: 9)
        for second in 0..<5 {
            for number in 0..<2_000 {
                var bytes = (0..<128).map { _ in UInt8.random(in: 0...255, using: &dice) }
                switch number % 4 {
                case 0: bytes.replaceSubrange(0..<4, with: [1, 1, 0, 0])
                case 1: bytes.removeLast(Int.random(in: 1...127, using: &dice))
                case 2: bytes += [0]
                default: break
                }
                world.sendDatagram(bytes, from: "10.66.0.\(number % 250 + 1):\(1 + second)", to: hearer)
            }
            world.run(milliseconds: 1_000)
        }
        let counts = try #require(world.discovery(hearer)).counts
        #expect(counts.processed - before.processed <= 6 * 50)
        #expect(counts.foreign > before.foreign && counts.malformed > before.malformed)
        let all = [\DiscoveryReport.Counts.foreign, \.malformed, \.flooded].reduce(0 as UInt64) {
            $0 + counts[keyPath: $1] - before[keyPath: $1]
        }
        #expect(all == 10_000, "each is counted once: \(counts)")
        world.checkSpace(hearer)
    }

    @Test("the same seed gives the same trace with beacons in the air", arguments: 0..<2)
    func deterministic(seed: UInt64) {
        func hash() -> UInt64 {
            var world = World(seed: 760 + seed)
            world.weather.losesDatagramOneIn = 5
            _ = world.makeSpace("notes", nodes: 3)
            for index in 0..<3 { world.putOnLan(index, 1) }
            world.run(milliseconds: 120_000)
            return world.traceHash
        }
        #expect(hash() == hash())
    }
}

extension World {
    /// The node serves programs.
    fileprivate mutating func checkSpace(_ index: Int) {
        guard case .transaction = set(index, "notes", "after", "x", 1) else {
            Issue.record("node \(index) does not take a write: \(logs())")
            return
        }
    }
}

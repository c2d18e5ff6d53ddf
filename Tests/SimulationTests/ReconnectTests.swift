// Finding each other again: after partitions that drop everything without a word, after a power cut of the
// whole mesh, by names that change their meaning, and after sleep.

import Bytes
import Causality
import Mesh
import Node
import Simulator
import Testing
import Wire

@Suite struct ReconnectTests {
    private func links(_ world: inout World, _ index: Int) -> Int {
        if case .status(let report) = world.ask(index, .status) { report.links } else { 0 }
    }

    private func isMeshed(_ world: inout World, _ count: Int) -> Bool {
        (0..<count).allSatisfy { links(&world, $0) == count - 1 }
    }

    @Test(
        "five nodes under changing silent partitions, all writing, are equal 30 s after each healing",
        arguments: 60..<66 as Range<UInt64>)
    func partitions(seed: UInt64) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 5)
        #expect(isMade, "\(world.logs())")
        let isReady = world.run(within: 60_000) { isMeshed(&$0, 5) }
        #expect(isReady, "\(world.logs())")
        var dice = SeededGenerator(seed: seed)
        for round in 0..<4 {
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let group = Set((0..<5).filter { _ in Bool.random(using: &dice) })
                world.separate(group)
                for index in 0..<5 { _ = world.increment(index, "notes", "count") }
                world.run(milliseconds: UInt64.random(in: 500...40_000, using: &dice))
                for index in 0..<5 { _ = world.set(index, "notes", Key("n\(index)"), "round", Int64(round)) }
            }
            // The network says nothing of it: no interface changed.
            world.heal()
            let isEqual = world.run(within: 30_000) { $0.areEqual([0, 1, 2, 3, 4], "notes") }
            #expect(isEqual, "round \(round): \(world.logs())")
            if !isEqual { return }
        }
    }

    @Test(
        "after a power cut of the whole mesh all find all again from what they stored",
        arguments: 70..<74 as Range<UInt64>)
    func powerCut(seed: UInt64) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 5)
        #expect(isMade, "\(world.logs())")
        let isReady = world.run(within: 60_000) { isMeshed(&$0, 5) }
        #expect(isReady, "\(world.logs())")
        // What is known must be on disk within so long.
        world.run(milliseconds: 12_000)
        for index in 0..<5 { world.crash(index) }
        // Each wrote as the last thing before: the one that let all in comes back last, and the others do not
        // need it.
        for index in 1..<5 { world.start(index) }
        let isBack = world.run(within: 30_000) { world in
            (1..<5).allSatisfy { links(&world, $0) == 3 }
        }
        #expect(isBack, "\(world.logs())")
        world.start(0)
        let isWhole = world.run(within: 30_000) { isMeshed(&$0, 5) }
        #expect(isWhole, "\(world.logs())")
    }

    @Test(
        "a static peer's name is looked up again until it means the right box, and peers says what it meant")
    func names() throws {
        var world = World(seed: 80)
        world.names["box.lan"] = []
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        world.addNode(staticPeers: ["box.lan:21420"])
        let invited = world.invite(0, "notes")
        guard case .joined = world.join(1, try #require(invited)) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        // A third node that is found by name only: nobody but it knows its own address.
        world.addNode(staticPeers: ["nowhere.lan:21420", "0.0.0.0:21420"])
        let second = world.invite(0, "notes")
        guard case .joined = world.join(2, try #require(second)) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        world.run(milliseconds: 10_000)
        guard case .peers(_, let unassigned) = world.ask(2, .peers) else {
            Issue.record("no peers")
            return
        }
        let nowhere = try #require(unassigned.first { $0.address == "nowhere.lan:21420" })
        #expect(nowhere.outcome == .failed && nowhere.reason == "the name cannot be found")
        #expect(nowhere.failures > 0)
        #expect(nowhere.triedAt != nil && nowhere.nextAt != nil)
        let any = try #require(unassigned.first { $0.address == "0.0.0.0:21420" })
        #expect(any.outcome == .notDialled && any.nextAt == nil)
        // The name begins to mean something: first a lie and a dead box, then the right one too.
        world.names["box.lan"] = ["224.0.0.1", "10.0.9.9"]
        world.run(milliseconds: 400_000)
        guard case .peers(_, let lied) = world.ask(1, .peers) else {
            Issue.record("no peers")
            return
        }
        #expect(lied.contains { $0.address == "10.0.9.9:21420" && $0.outcome == .failed })
        #expect(lied.contains { $0.address == "box.lan:21420" && $0.means == ["10.0.9.9:21420"] })
        world.names["box.lan"] = ["10.0.0.1", "10.0.9.9"]
        let isFound = world.run(within: 400_000) { world in
            guard case .peers(let peers, _) = world.ask(1, .peers) else { return false }
            return peers.contains { peer in peer.dials.contains { $0.address == "box.lan:21420" } }
        }
        #expect(isFound, "\(world.logs())")
    }

    @Test("peers counts changes, not sequences: ahead of who is away, and behind while it catches up")
    func counts() throws {
        var world = World(seed: 81)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let isReady = world.run(within: 30_000) { isMeshed(&$0, 2) }
        #expect(isReady)
        _ = world.splice(0, "notes", "text", at: 0, "hello")
        world.run(milliseconds: 5_000)
        world.separate([0])
        for _ in 0..<7 { _ = world.splice(0, "notes", "text", at: 0, "a hundred letters and more") }
        world.run(milliseconds: 40_000)
        guard case .peers(let away, _) = world.ask(0, .peers) else {
            Issue.record("no peers")
            return
        }
        let peer = try #require(away.first)
        #expect(peer.spaces.first?.aheadChanges == 7 && peer.spaces.first?.behindChanges == nil)
        #expect(peer.state != "connected" && peer.heardAt != nil)
        let whyNot = try #require(peer.whyNot)
        #expect(whyNot.hasPrefix("not linked for ") && whyNot.contains("timed out"), "\(whyNot)")
        #expect(peer.dials.contains { $0.outcome == .failed || $0.outcome == .connecting })
        world.heal()
        let isLevel = world.run(within: 30_000) { world in
            guard case .peers(let peers, _) = world.ask(0, .peers) else { return false }
            return peers.first?.spaces.first?.aheadChanges == 0 && peers.first?.whyNot == nil
        }
        #expect(isLevel, "\(world.logs())")
        world.run(milliseconds: 5_000)
        guard case .peers(let back, _) = world.ask(1, .peers), let linked = back.first else {
            Issue.record("no peers")
            return
        }
        #expect(linked.state == "connected" && linked.spaces.first?.behindChanges == 0)
        #expect(linked.rttMilliseconds != nil && linked.clockOffsetMilliseconds != nil)
        #expect(linked.bytesReceived > 0 && linked.bytesSent > 0)
        #expect(
            linked.dials.contains { $0.outcome == .linked || $0.workedAt != nil || $0.outcome == .notTried })
    }

    @Test("longer times of a reload count for links that are up: a silence of a minute ends none")
    func changedTimes() {
        var world = World(seed: 83)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let isReady = world.run(within: 30_000) { isMeshed(&$0, 2) }
        #expect(isReady)
        for index in 0..<2 {
            let settings = NodeSettings(
                deviceName: "box\(index)", staticPeers: [], advertise: [],
                liveness: LivenessTimes(pingMilliseconds: 60_000, deadMilliseconds: 120_000))
            world.changeSettings(index, to: settings)
        }
        world.separate([0])
        world.run(milliseconds: 90_000)
        for index in 0..<2 {
            let count = links(&world, index)
            #expect(count == 1, "\(world.logs())")
            guard case .peers(let peers, _) = world.ask(index, .peers) else {
                Issue.record("no peers")
                return
            }
            // The report names the time that counts.
            #expect(peers.first?.whyNot?.contains("ends after 2 min") == true, "\(peers)")
        }
        world.run(milliseconds: 31_000)
        let count = links(&world, 0)
        #expect(count == 0, "\(world.logs())")
    }

    @Test("a node that slept asks its links at once, and loses none that still stands")
    func slept() {
        var world = World(seed: 82)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let isReady = world.run(within: 30_000) { isMeshed(&$0, 2) }
        #expect(isReady)
        world.freeze(1, milliseconds: 26_000)
        world.run(milliseconds: 3_000)
        let count = links(&world, 1)
        #expect(count == 1, "\(world.logs())")
        let log = world.nodes[1].log.joined(separator: "\n")
        #expect(log.contains("resumed"), "\(world.logs())")
    }
}

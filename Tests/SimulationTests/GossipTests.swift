// What spreading costs, and that it does not stop: the tree in a full mesh, its repair, catching up from one
// peer, caps, and the partial views of a mesh that is too large to be full. Figures of larger meshes come
// from `replbench mesh` (PERFORMANCE.md).

import Bytes
import Causality
import Node
import Replication
import Simulator
import Testing
import Wire

@Suite struct GossipTests {
    @Test(
        "in a full mesh of 20 steady writers a node receives at most 1.3 bytes a byte of sealed changes")
    func fullMesh() throws {
        var trial = try #require(MeshTrial(nodes: 20, seed: 5))
        let isFull = trial.world.run(within: 60_000) { world in
            world.nodes.allSatisfy { $0.node?.linkedDevices.count == 19 }
        }
        #expect(isFull)
        let nodes = Array(0..<20)
        // The first changes of each author find their tree.
        _ = trial.write(nodes, bytes: 300, every: 2_500, for: 2_500)
        let steady = trial.write(nodes, bytes: 300, every: 2_500, for: 6_000)
        #expect(steady.ratio <= 1.3 && steady.duplicate == 0, "\(steady.ratio) of \(steady)")
        trial.world.weather.breaksOneIn = 500
        let breaking = trial.write(nodes, bytes: 300, every: 2_500, for: 6_000)
        // A link that comes back costs what it has to learn, which a minute pays for and six seconds do not.
        let breaks = trial.world.faultCounts[.breaks] ?? 0
        #expect(breaking.ratio <= 2.5 && breaks > 0, "\(breaks) breaks, \(breaking.ratio) of \(breaking)")
        trial.world.weather.breaksOneIn = 0
        let settled = trial.converge(within: 60_000)
        #expect(settled != nil)
    }

    @Test("a newcomer that is linked to many gets its history from one of them")
    func catchUp() throws {
        var trial = try #require(MeshTrial(nodes: 8, seed: 7))
        trial.world.crash(7)
        trial.world.run(milliseconds: 5_000)
        _ = trial.write([0, 1, 2], bytes: 20_000, every: 500, for: 20_000)
        trial.world.start(7)
        let isLinked = trial.world.run(within: 60_000) { $0.nodes[7].node?.linkedDevices.count == 7 }
        #expect(isLinked)
        let settled = trial.converge(within: 60_000)
        #expect(settled != nil)
        let measures = try #require(trial.world.nodes[7].node?.linkMeasures)
        #expect(measures.usefulBytes > 2_000_000, "\(measures)")
        #expect(measures.duplicateBytes < measures.usefulBytes / 10, "\(measures)")
        #expect(measures.bytesReceived < measures.usefulBytes * 13 / 10, "\(measures)")
    }

    @Test("a peer that is asked and goes silent is given up for another, and nothing is lost")
    func silentSource() throws {
        var trial = try #require(MeshTrial(nodes: 4, seed: 8))
        trial.world.run(milliseconds: 5_000)
        trial.world.separate([3])
        // Nobody notices at once: the links stall, and are found dead in half a minute.
        _ = trial.write([0, 1, 2], bytes: 2_000, every: 500, for: 6_000)
        trial.world.reunite()
        let settled = trial.converge(within: 120_000)
        #expect(settled != nil)
    }

    @Test("who cannot read what others name has nothing to do because of it")
    func unreadable() throws {
        var world = World(seed: 11)
        let isMade = world.makeSpace("notes", nodes: 2)
        let relay = world.addNode()
        guard isMade, let token = world.invite(0, "notes", role: .relay),
            case .joined = world.join(relay, token)
        else {
            Issue.record("\(world.logs())")
            return
        }
        for index in 0..<4 { _ = world.increment(index % 2, "notes", "count") }
        world.run(milliseconds: 5_000)
        let node = try #require(world.nodes[relay].node)
        #expect(node.linkedDevices.count == 2)
        #expect((node.deadline ?? .max) > world.now.monotonic, "a deadline that has passed is a busy loop")
    }

    @Test("a cap on bytes a second holds changes back, says so, and can be lifted while the node runs")
    func caps() throws {
        var trial = try #require(MeshTrial(nodes: 2, seed: 9))
        trial.world.run(milliseconds: 5_000)
        var settings = NodeSettings(deviceName: "box-0", staticPeers: [], advertise: [])
        settings.linkBytesPerSecond = 10_000
        trial.world.changeSettings(0, to: settings)
        let before = trial.received
        for _ in 0..<20 { trial.write(0, bytes: 10_000) }
        trial.world.run(milliseconds: 10_000)
        let received = trial.received - before
        #expect((80_000...150_000).contains(received), "\(received) bytes in 10 s of 10,000")
        guard case .peers(let peers, _) = trial.world.ask(0, .peers) else {
            Issue.record("no peers")
            return
        }
        #expect(peers.first?.whyNot == "held back: 10000 bytes/s are allowed on a link", "\(peers)")
        settings.linkBytesPerSecond = 0
        trial.world.changeSettings(0, to: settings)
        let settled = trial.converge(within: 2_000)
        #expect(settled != nil)
    }

    @Test("forty nodes keep few links each, reach each other when a third of them is gone, and end equal")
    func partialViews() throws {
        var trial = try #require(MeshTrial(nodes: 40, seed: 10))
        trial.world.run(milliseconds: 20_000)
        #expect(trial.reachable() == 40)
        let links = trial.neighbours().values.map(\.count)
        #expect((links.min() ?? 0) >= 3 && (links.max() ?? 99) <= 8, "\(links)")
        let first = trial.spread(from: 17)
        let one = try #require(first)
        #expect(one.hopsMax <= 10 && one.milliseconds < 1_000, "\(one)")
        let lost = trial.lose(percent: 30)
        trial.world.run(milliseconds: 20_000)
        #expect(lost.count == 12 && trial.reachable() == 28)
        let writer = try #require(trial.alive.first)
        let second = trial.spread(from: writer)
        let two = try #require(second)
        #expect(two.hopsMax <= 10, "\(two)")
        let settled = trial.converge(within: 30_000)
        #expect(settled != nil)
    }

    @Test("members that are linked and say nothing hold nobody up")
    func silentMembers() throws {
        var trial = try #require(MeshTrial(nodes: 3, silent: 30, seed: 11))
        // The silent take every link there is before anybody speaks.
        trial.world.run(milliseconds: 20_000)
        #expect(trial.reachable() == 3, "\(trial.neighbours())")
        for origin in trial.alive {
            let found = trial.spread(from: origin)
            let spread = try #require(found)
            #expect(spread.milliseconds <= 500, "from \(origin): \(spread)")
        }
    }
    @Test("among thirty members that are linked to all, speak, and pass nothing on, a change reaches all")
    func hoarders() throws {
        var trial = try #require(MeshTrial(nodes: 5, hoarding: 30, seed: 12))
        // Long enough for links among the honest to be lost.
        trial.run(milliseconds: 60_000)
        #expect(trial.hoarderLinkCount > 200, "\(trial.hoarderLinkCount)")
        var times: [UInt64] = []
        for number in 0..<5 {
            let found = trial.spread(from: number, within: 300_000)
            times.append(try #require(found, "write \(number) after \(times) ms").milliseconds)
            trial.run(milliseconds: 5_000)
        }
        #expect((times.first ?? .max) <= 120_000 && times.dropFirst().allSatisfy { $0 <= 60_000 }, "\(times)")
        #expect(times.reduce(0, +) / 5 <= 20_000, "\(times)")
    }

    @Test("two halves that were apart for long and have links enough each become one mesh again")
    func halves() throws {
        var trial = try #require(MeshTrial(nodes: 40, seed: 13))
        trial.run(milliseconds: 20_000)
        trial.world.separate(Set(0..<20))
        trial.run(milliseconds: 300_000)
        // Nobody is told that anything changed.
        trial.world.heal()
        trial.run(milliseconds: 60_000)
        let first = trial.spread(from: 3, within: 60_000)
        let one = try #require(first)
        #expect(one.milliseconds <= 60_000, "\(one)")
        let second = trial.spread(from: 30, within: 60_000)
        let two = try #require(second)
        #expect(two.milliseconds <= 60_000, "\(two)")
        let settled = trial.converge(within: 30_000)
        #expect(settled != nil)
    }

    @Test("in an honest mesh that has its links nobody dials but for visits, and links stay")
    func quiet() throws {
        var trial = try #require(MeshTrial(nodes: 40, seed: 14))
        trial.run(milliseconds: 120_000)
        let (before, links) = (trial.connectionCount, trial.neighbours())
        _ = trial.write([1, 2, 3], bytes: 300, every: 2_000, for: 120_000)
        let made = trial.connectionCount - before
        #expect(made <= 40 * 5, "\(made) connections of 40 nodes in two minutes")
        let after = trial.neighbours()
        let lost = links.map { node, peers in peers.count { after[node]?.contains($0) != true } }.reduce(0, +)
        #expect(lost <= 20, "\(lost) ends of links are gone")
    }
}

// What `status` says of sync, and pings, over a mesh.

import Bytes
import Causality
import Identity
import Node
import Simulator
import Testing
import Wire

extension World {
    fileprivate mutating func sync(_ index: Int) throws -> SyncReport {
        let answer = ask(index, .status)
        guard case .status(let report)? = answer, let space = report.spaces.first?.sync else {
            throw SyncTests.Unexpected(answer: "\(String(describing: answer))")
        }
        // With one space, both are the same.
        #expect(space == report.sync)
        return report.sync
    }

    fileprivate mutating func ping(_ index: Int, _ text: String) throws -> NodeAnswer {
        let answer = ask(index, .ping(MemberReference(text)))
        guard let answer else { throw SyncTests.Unexpected(answer: "none") }
        return answer
    }
}

@Suite struct SyncTests {
    struct Unexpected: Error { let answer: String }

    @Test("without a space, and as the only member, a node is up to date")
    func one() throws {
        var world = World(seed: 930)
        world.addNode()
        guard case .status(let report)? = world.ask(0, .status) else { throw Unexpected(answer: "none") }
        #expect(report.sync == SyncReport() && report.spaces.isEmpty)
        let isMade = world.createSpace(0, "notes")
        #expect(isMade)
        _ = world.set(0, "notes", "note", "x", 1)
        #expect(try world.sync(0) == SyncReport())
    }

    @Test("level is 100 %; behind is told with a count, a share and the time left; nobody linked is alone")
    func states() throws {
        var world = World(seed: 931)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        _ = world.set(0, "notes", "note", "x", 1)
        let isEqual = world.run(within: 30_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isEqual)
        world.run(milliseconds: 10_000)
        let members = SyncReport.Members(active: 3, linked: 2, unseen: 0)
        for index in 0..<3 { #expect(try world.sync(index) == SyncReport(members: members)) }
        // 2 is cut off: it is alone, and is missed after an hour.
        world.separate([2])
        world.run(milliseconds: 120_000)
        let alone = try world.sync(2)
        #expect(alone.state == .alone && alone.members == .init(active: 3, linked: 0, unseen: 0))
        #expect(try world.sync(0).members == .init(active: 3, linked: 1, unseen: 0))
        world.run(milliseconds: 3_600_000)
        let (missed, missing) = (try world.sync(0), try world.sync(2))
        #expect(missed.members.unseen == 1 && missing.members.unseen == 2)
        // Both sides go on; then 2 has a lot to take in.
        for value in 0..<3_000 as Range<Int64> { _ = world.set(0, "notes", "note", "x", value) }
        world.run(milliseconds: 10_000)
        #expect(try world.sync(0).state == .upToDate)
        world.reunite()
        var seen: [SyncReport] = []
        for _ in 0..<40_000 {
            let sync = try world.sync(2)
            if sync.state == .catchingUp { seen.append(sync) }
            if sync.state == .upToDate { break }
            world.run(milliseconds: 2)
        }
        #expect(!seen.isEmpty && seen.allSatisfy { $0.percent < 100 }, "\(world.logs())")
        #expect(seen.contains { $0.behindChanges > 0 })
        let end = try world.sync(2)
        #expect(end.state == .upToDate && end.percent == 100 && end.behindChanges == 0)
        let isLevel = world.areEqual([0, 2], "notes")
        #expect(isLevel)
    }

    @Test("changes that only relays were offered wait for somebody who holds them")
    func waiting() throws {
        var world = World(seed: 933)
        for _ in 0..<2 { world.addNode() }
        let isMade = world.createSpace(0, "notes")
        #expect(isMade)
        guard let token = world.invite(0, "notes", role: .relay) else { throw Unexpected(answer: "no token") }
        guard case .joined? = world.join(1, token) else { throw Unexpected(answer: "\(world.logs())") }
        _ = world.set(0, "notes", "note", "x", 1)
        world.run(milliseconds: 10_000)
        let report = try world.sync(0)
        #expect(report.state == .waiting && report.percent == 100 && report.members.linked == 1)
        // A relay takes nothing in, and is not behind for it.
        #expect(try world.sync(1).behindChanges == 0)
    }

    @Test("a linked peer answers a ping by name and by letters; one that is gone does not")
    func pings() throws {
        var world = World(seed: 932)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 5_000)
        let device = world.nodes[1].device
        guard case .peers(let peers, _)? = world.ask(0, .peers), let name = peers.first?.name else {
            throw Unexpected(answer: "no peers")
        }
        for text in [name, device.short, device.text] {
            guard case .pinged(let milliseconds, let address) = try world.ping(0, text) else {
                throw Unexpected(answer: "\(world.logs())")
            }
            #expect(milliseconds < 5_000 && address.contains(":"))
        }
        guard case .failed(.noSuchMember(_, let known, 0, _)) = try world.ping(0, "nobody") else {
            throw Unexpected(answer: "\(world.logs())")
        }
        #expect(Set(known.map(\.device)) == Set(world.nodes.map(\.device)))
        guard case .failed(.ownDevice) = try world.ping(0, world.nodes[0].device.text) else {
            throw Unexpected(answer: "\(world.logs())")
        }
        world.separate([1])
        guard case .failed(.noAnswer(let silent, _, _)) = try world.ping(0, name) else {
            throw Unexpected(answer: "\(world.logs())")
        }
        #expect(silent == NamedDevice(device, name))
        world.run(milliseconds: 120_000)
        guard case .failed(.notLinked(silent, let whyNot)) = try world.ping(0, name) else {
            throw Unexpected(answer: "\(world.logs())")
        }
        #expect(whyNot.hasPrefix("not linked for "))
    }
}

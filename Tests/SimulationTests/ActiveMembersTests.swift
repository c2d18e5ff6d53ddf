// Who is no member any more is waited for by nobody, and is no peer.

import Bytes
import Causality
import Crypto
import Node
import Simulator
import Testing
import Wire

@Suite struct ActiveMembersTests {
    private let notes = SpaceReference("notes")

    private func device(_ world: World, _ index: Int) -> DeviceID {
        DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
    }

    /// Three nodes that are level; then the last is gone, and node 0 writes what it lacks.
    private func missing(seed: UInt64) throws -> (world: World, change: Dot) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        _ = world.increment(2, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.crash(2)
        guard case .transaction(let change?, _, _) = world.set(0, "notes", "a", "x", 1) else {
            throw NotWritten(logs: world.logs())
        }
        world.run(milliseconds: 10_000)
        return (world, change)
    }

    private struct NotWritten: Error {
        let logs: String
    }

    private func wait(_ change: Dot, on members: [MemberReference]? = nil) -> NodeRequest {
        .wait(notes, change: change, on: members, timeoutSeconds: 600)
    }

    @Test("a wait for all goes on without a member that is removed meanwhile, and a later one never asks it")
    func removed() throws {
        var (world, change) = try missing(seed: 120)
        let (third, third7) = (device(world, 2), MemberReference(device(world, 2)))
        let waiting = world.request(0, wait(change))
        let named = world.request(0, wait(change, on: [third7]))
        world.run(milliseconds: 10_000)
        #expect(world.nodes[0].answers[waiting] == nil, "the third is a member still")
        guard case .memberRemoved = world.ask(0, .removeMember(notes, third7, isDryRun: false)) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        world.run(milliseconds: 1_000)
        guard case .waited(_, let on, complete: true) = world.nodes[0].answers[waiting]?.last else {
            Issue.record("it still waits: \(world.logs())")
            return
        }
        #expect(on.map(\.device) == [0, 1].map { device(world, $0) }.sorted() && on.allSatisfy(\.held))
        #expect(world.nodes[0].answers[named] == nil, "who was named does not hold it")
        guard case .waited(_, let later, complete: true) = world.ask(0, wait(change)) else {
            Issue.record("a later wait: \(world.logs())")
            return
        }
        #expect(!later.contains { $0.device == third })
        guard case .failed(.noSuchMember) = world.ask(0, wait(change, on: [third7])) else {
            Issue.record("who was removed can be waited for by name")
            return
        }
        checkCounts(&world, [0, 1], without: third)
    }

    @Test("a member that left is waited for by nobody either")
    func left() throws {
        var (world, change) = try missing(seed: 121)
        let third = device(world, 2)
        let waiting = world.request(0, wait(change))
        world.start(2)
        world.separate([2])
        guard case .done = world.ask(2, .leaveSpace(notes, isForced: true)) else {
            Issue.record("not left: \(world.logs())")
            return
        }
        #expect(world.nodes[0].answers[waiting] == nil)
        world.reunite()
        let isAnswered = world.run(within: 60_000) { world in
            if case .waited(_, _, complete: true) = world.nodes[0].answers[waiting]?.last {
                true
            } else {
                false
            }
        }
        #expect(isAnswered, "\(world.logs())")
        world.run(milliseconds: 30_000)
        checkCounts(&world, [0, 1], without: third)
    }

    /// What status, peers and spaces say on each of some nodes.
    private func checkCounts(_ world: inout World, _ indices: [Int], without gone: DeviceID) {
        for index in indices {
            guard case .status(let status) = world.ask(index, .status),
                case .peers(let peers, _) = world.ask(index, .peers)
            else {
                Issue.record("no status")
                return
            }
            #expect(status.sync.members.active == 2 && status.sync.members.unseen == 0)
            #expect(status.sync.state == .upToDate, "\(index): \(status.sync)")
            #expect(status.spaces.map(\.members) == [2])
            #expect(!peers.contains { $0.device == gone } && peers.count == 1)
        }
    }

    @Test("who was removed joins again, also when a link tells of its admission before the answer does")
    func back() throws {
        var world = World(seed: 123)
        let isMade = world.makeSpace("notes", nodes: 3)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isMade && isLevel, "\(world.logs())")
        let third = MemberReference(device(world, 2))
        guard case .memberRemoved = world.ask(0, .removeMember(notes, third, isDryRun: false)) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        let isTold = world.run(within: 60_000) { $0.alarms(2).contains("removed") }
        _ = world.ask(0, .rotateKeys(notes))
        let isWritten = world.increment(1, "notes", "meanwhile")
        #expect(isTold && isWritten, "\(world.logs())")
        let invited = world.invite(0, "notes")
        let join = world.request(2, .join(token: try #require(invited), name: nil))
        let admissions = { (world: World) in world.nodes[0].log.count { $0.contains("member-added") } }
        let before = admissions(world)
        while admissions(world) == before, world.time < 300_000 { world.run(milliseconds: 1) }
        #expect(admissions(world) == before + 1, "\(world.logs())")
        // The answer stands still; node 1 hears of the admission, and its link brings it.
        world.clog(Direction(from: 0, to: 2), until: world.time + 5_000)
        world.run(milliseconds: 4_000)
        #expect(states(&world, 2).allSatisfy { $0 == "active" }, "\(world.logs())")
        #expect(world.nodes[2].answers[join]?.last?.isFinal != true)
        let isAnswered = world.run(within: 60_000) { $0.nodes[2].answers[join]?.last?.isFinal == true }
        guard isAnswered, case .joined = world.nodes[2].answers[join]?.last else {
            Issue.record("not let in again: \(world.logs())")
            return
        }
        let isCounted = world.increment(2, "notes", "again")
        let isBack = world.run(within: 60_000) { world in
            world.areEqual([0, 1, 2], "notes") && (0...2).allSatisfy { world.alarms($0).isEmpty }
        }
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(
            isCounted && isBack && text.contains("again") && text.contains("meanwhile"),
            "\(isCounted) \(isBack) \((0...2).map { world.alarms($0) }) \(text) \(world.logs())")
    }

    @Test("an invite of an admin that does not know of the removal lets nobody in again, and says so")
    func ignorantInvite() throws {
        var world = World(seed: 124)
        let isMade = world.makeSpace("notes", nodes: 1)
        for index in 1...2 {
            world.addNode()
            let invited = world.invite(0, "notes", role: index == 1 ? .admin : .writer)
            guard case .joined = world.join(index, try #require(invited)) else {
                Issue.record("\(index) did not join: \(world.logs())")
                return
            }
        }
        world.run(milliseconds: 30_000)
        world.separate([1])
        let third = MemberReference(device(world, 2))
        let removed = world.ask(0, .removeMember(notes, third, isDryRun: false))
        let isTold = world.run(within: 120_000) { $0.alarms(2).contains("removed") }
        guard case .memberRemoved = removed, isMade, isTold else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        world.crash(0)
        let invited = world.invite(1, "notes")
        world.heal()
        let answer = world.join(2, try #require(invited))
        guard case .failed(.removed("notes", by: let admin, _)) = answer else {
            Issue.record("\(String(describing: answer)) \(world.logs())")
            return
        }
        #expect(admin.device == device(world, 0) && world.alarms(2) == ["removed"], "\(world.logs())")
        // It has told of the removal meanwhile, so the next one does.
        let isKnown = world.run(within: 240_000) { states(&$0, 1).contains("removed") }
        #expect(isKnown, "\(world.logs())")
        let second = world.invite(1, "notes")
        guard case .joined = world.join(2, try #require(second)) else {
            Issue.record("not let in: \(world.logs())")
            return
        }
        let isWritten = world.increment(2, "notes", "again")
        let isBack = world.run(within: 60_000) { $0.areEqual([1, 2], "notes") }
        #expect(isWritten && isBack && world.alarms(2).isEmpty, "\(world.logs())")
    }

    private func states(_ world: inout World, _ index: Int) -> [String] {
        guard case .members(let members) = world.ask(index, .members(notes)) else { return ["unknown"] }
        return members.map(\.state)
    }

    @Test("the removed box itself misses nobody: it is not alone, and not behind")
    func removedBox() throws {
        var (world, _) = try missing(seed: 122)
        let third = MemberReference(device(world, 2))
        guard case .memberRemoved = world.ask(0, .removeMember(notes, third, isDryRun: false)) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        world.start(2)
        let isKnown = world.run(within: 120_000) { world in
            guard case .status(let status) = world.ask(2, .status) else { return false }
            return status.spaces.map(\.state) == ["removed"]
        }
        #expect(isKnown, "\(world.logs())")
        world.run(milliseconds: 120_000)
        guard case .status(let status) = world.ask(2, .status) else { return }
        #expect(status.sync.members == .init(active: 1, linked: 0, unseen: 0), "\(status.sync)")
        #expect(status.sync.state != .alone && status.sync.behindChanges == 0, "\(status.sync)")
        #expect(status.alarms.map(\.code) == ["removed"])
    }

    @Test("what only a removed member holds beside this box waits for somebody who may give it on")
    func heldByNobody() throws {
        var world = World(seed: 123)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        let (second, third) = (MemberReference(device(world, 1)), MemberReference(device(world, 2)))
        guard case .member = world.ask(0, .changeRole(notes, third, .relay)) else {
            Issue.record("not made a relay: \(world.logs())")
            return
        }
        _ = world.increment(0, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.run(milliseconds: 30_000)
        guard case .status(let before) = world.ask(0, .status) else { return }
        #expect(before.sync.state == .upToDate, "\(before.sync)")
        guard case .memberRemoved = world.ask(0, .removeMember(notes, second, isDryRun: false)) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        world.run(milliseconds: 30_000)
        guard case .status(let after) = world.ask(0, .status) else { return }
        #expect(after.sync.state == .waiting, "\(after.sync)")
    }
}

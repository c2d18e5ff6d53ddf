// Invites that should admit nobody any more: of an admin that was removed, and tokens that somebody else came
// by.

import Bytes
import Causality
import Crypto
import Node
import Simulator
import Testing
import Wire

@Suite struct LeakedInviteTests {
    private let notes = SpaceReference("notes")

    private func device(_ world: World, _ index: Int) -> DeviceID {
        DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
    }

    private func remove(_ victim: Int, by admin: Int, _ world: inout World) -> Bool {
        let reference = MemberReference(device(world, victim))
        let answer = world.ask(admin, .removeMember(notes, reference, isDryRun: false))
        if case .memberRemoved = answer { return true }
        Issue.record("not removed: \(String(describing: answer))")
        return false
    }

    private func state(of member: Int, on index: Int, _ world: inout World) -> String? {
        guard case .members(let members) = world.ask(index, .members(notes)) else { return nil }
        let device = device(world, member)
        return members.first { $0.device == device }?.state
    }

    private func invites(_ world: inout World, _ index: Int) -> [InviteReport] {
        guard case .invites(let invites) = world.ask(index, .invites(notes)) else { return [] }
        return invites
    }

    private func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    /// Node 0 made the space, 1 is its second admin, and 2 is a stranger yet; 0 and 1 are level.
    private func meeting(seed: UInt64) throws -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade, "\(world.logs())")
        world.addNode()
        let invited = world.invite(0, "notes", role: .admin)
        guard case .joined = world.join(1, try #require(invited)) else {
            Issue.record("no second admin: \(world.logs())")
            return world
        }
        world.addNode()
        _ = world.increment(0, "notes", "before")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel, "\(world.logs())")
        return world
    }

    @Test(
        "an unused invite of a removed admin admits nobody, and is not listed as open",
        arguments: [false, true])
    func removedIssuer(restarts: Bool) throws {
        var world = try meeting(seed: 130)
        let invited = world.invite(1, "notes")
        let token = try #require(invited)
        let isSeen = world.run(within: 60_000) { world in
            invites(&world, 0).map(\.state) == ["spent", "open"]
        }
        #expect(isSeen, "\(invites(&world, 0))")
        let isRemoved = remove(1, by: 0, &world)
        let isTold = world.run(within: 60_000) { state(of: 1, on: 1, &$0) == "removed" }
        #expect(isRemoved && isTold, "\(world.logs())")
        if restarts {
            world.crash(1)
            world.start(1)
        }
        let answer = world.join(2, token)
        guard case .failed(.issuerWithoutRight) = answer else {
            Issue.record("\(String(describing: answer)) \(world.logs())")
            return
        }
        for index in 0...1 {
            #expect(state(of: 2, on: index, &world) == nil)
            #expect(invites(&world, index).map(\.state) == ["spent", "revoked"])
        }
    }

    @Test("who comes by an invite of an admin that does not know of its removal is no member elsewhere")
    func ignorantIssuer() throws {
        var world = try meeting(seed: 131)
        let invited = world.invite(1, "notes")
        let token = try #require(invited)
        world.separate([1, 2])
        let isRemoved = remove(1, by: 0, &world)
        #expect(isRemoved)
        _ = world.set(0, "notes", "after", "x", 1)
        guard case .joined = world.join(2, token) else {
            Issue.record("the other side does not know: \(world.logs())")
            return
        }
        let isLevel = world.run(within: 60_000) { $0.areEqual([1, 2], "notes") }
        #expect(isLevel)
        _ = world.increment(2, "notes", "intruder")
        world.run(milliseconds: 10_000)
        let had = text(&world, 2)
        world.reunite()
        let isTold = world.run(within: 240_000) { state(of: 1, on: 1, &$0) == "removed" }
        #expect(isTold, "\(world.logs())")
        _ = world.set(0, "notes", "later", "x", 1)
        world.run(milliseconds: 240_000)
        #expect(state(of: 2, on: 0, &world) == nil, "\(world.logs())")
        #expect(!text(&world, 0).contains("intruder"))
        for index in 1...2 {
            let now = text(&world, index)
            #expect(!now.contains("after") && !now.contains("later"), "\(index): \(now)")
        }
        #expect(had.contains("before"))
        // The intruder learns of the removal from the one who let it in, and that it is no member.
        let refused = world.set(2, "notes", "more", "x", 1)
        guard case .failed = refused else {
            Issue.record("it writes on: \(String(describing: refused)) \(world.logs())")
            return
        }
        #expect(world.alarms(2) == ["not-admitted"], "\(world.logs())")
        guard case .status(let status) = world.ask(2, .status) else { return }
        #expect(status.spaces.map(\.state) == ["removed"] && status.sync.state != .alone)
        // An invite of a present admin lets it in, without leaving first; what it wrote can be adopted.
        let again = world.invite(0, "notes")
        guard case .joined = world.join(2, try #require(again)) else {
            Issue.record("not let in: \(world.logs())")
            return
        }
        let isWritten = world.increment(2, "notes", "admitted")
        let isBack = world.run(within: 120_000) { world in
            world.areEqual([0, 2], "notes") && text(&world, 0).contains("admitted")
        }
        #expect(isWritten && isBack && text(&world, 2).contains("later"), "\(world.logs())")
        #expect(world.alarms(2).isEmpty && state(of: 2, on: 0, &world) == "active")
        let adopted = world.ask(2, .adopt(notes, .member(MemberReference(device(world, 2)))))
        guard case .adopted(let report) = adopted else {
            Issue.record("not adopted: \(String(describing: adopted))")
            return
        }
        #expect(report.adopted == 1, "\(report)")
        let isAdopted = world.run(within: 60_000) { text(&$0, 0).contains("intruder") }
        #expect(isAdopted, "\(world.logs())")
    }

    @Test("a token that leaked is revoked by another admin, and admits nobody")
    func revoked() throws {
        var world = try meeting(seed: 132)
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        let isSeen = world.run(within: 60_000) { world in invites(&world, 1).count { $0.state == "open" } == 1
        }
        #expect(isSeen)
        let leaked = try #require(invites(&world, 1).first { $0.state == "open" }?.id)
        guard case .done = world.ask(1, .revokeInvite(notes, id: leaked)) else {
            Issue.record("not revoked: \(world.logs())")
            return
        }
        let isKnown = world.run(within: 60_000) { world in
            invites(&world, 0).first { $0.id == leaked }?.state == "revoked"
        }
        #expect(isKnown, "\(world.logs())")
        guard case .failed(.inviteRevoked) = world.join(2, token) else {
            Issue.record("a revoked token: \(world.logs())")
            return
        }
        #expect(state(of: 2, on: 0, &world) == nil)
    }

    @Test(
        "who came by a leaked token is found by the invite, removed, and reads nothing but what it was sent")
    func intruder() throws {
        var world = try meeting(seed: 133)
        for document in 0..<300 { _ = world.increment(0, "notes", Key("d\(document)")) }
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        // The admin who revokes it is cut off from the one whose invite it is, so both happen.
        world.separate([1])
        let leaked = try #require(invites(&world, 1).first { $0.state == "open" }?.id)
        let revoked = world.ask(1, .revokeInvite(notes, id: leaked))
        guard case .done = revoked, case .joined = world.join(2, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        let used = try #require(invites(&world, 0).first { $0.id == leaked })
        #expect(used.state == "spent" && used.spentBy?.device == device(world, 2))
        let had = text(&world, 0)
        let isRemoved = remove(2, by: 0, &world)
        #expect(isRemoved)
        _ = world.set(0, "notes", "after", "x", 1)
        world.reunite()
        _ = world.set(1, "notes", "later", "x", 1)
        let isTold = world.run(within: 120_000) { state(of: 2, on: 2, &$0) == "removed" }
        #expect(isTold, "\(world.logs())")
        world.run(milliseconds: 120_000)
        let isDone = world.areEqual([0, 1], "notes")
        #expect(isDone && text(&world, 0).contains("later"))
        let lines = { (text: String) in Set(text.split(separator: "\n")) }
        #expect(lines(text(&world, 2)).isSubset(of: lines(had)), "\(text(&world, 2).suffix(300))")
        guard case .keyEpochs(let epochs, _) = world.ask(2, .keyEpochs(notes)) else { return }
        #expect(!epochs.contains { $0.number > 1 }, "no key made after it was removed: \(epochs)")
        for index in 0...1 { #expect(state(of: 2, on: index, &world) == "removed") }
        // The same token lets nobody else in.
        let thief = world.addNode()
        guard case .failed(.inviteSpent) = world.join(thief, token) else {
            Issue.record("a second device by one token: \(world.logs())")
            return
        }
    }
}

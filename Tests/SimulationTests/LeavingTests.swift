// Leaving a space when nobody is there to hear it, coming back, and names that are taken.

import Bytes
import Causality
import Node
import Simulator
import Testing
import Wire

@Suite struct LeavingTests {
    private func states(_ world: inout World, _ index: Int) -> [String] {
        guard case .members(let members) = world.ask(index, .members(SpaceReference("notes"))) else {
            return []
        }
        return members.map(\.state).sorted()
    }

    private func leave(_ world: inout World, _ index: Int) -> Bool {
        if case .done = world.ask(index, .leaveSpace(SpaceReference("notes"), isForced: false)) {
            true
        } else {
            false
        }
    }

    @Test("a leave that nobody was there to hear is told to the first member that is met, over a restart too")
    func untold() throws {
        var world = World(seed: 51)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 15_000)
        world.crash(0)
        world.crash(2)
        world.run(milliseconds: 60_000)
        let hasLeft = leave(&world, 1)
        #expect(hasLeft)
        world.run(milliseconds: 5_000)
        world.crash(1)
        world.start(1)
        world.start(2)
        let isTold = world.run(within: 60_000) { world in
            states(&world, 2) == ["active", "active", "left"]
        }
        #expect(isTold, "\(world.logs())")
        // And one member tells the other.
        world.start(0)
        let isKnown = world.run(within: 60_000) { world in
            states(&world, 0) == ["active", "active", "left"]
        }
        #expect(isKnown, "\(world.logs())")
        // Told once, it is forgotten: nobody is dialled any more.
        world.run(milliseconds: 60_000)
        guard case .status(let report) = world.ask(1, .status) else {
            Issue.record("no status")
            return
        }
        #expect(report.links == 0 && report.spaces.isEmpty)
        #expect(world.nodes[1].log.joined().contains("space-left-told"), "\(world.logs())")
    }

    @Test("a box that was put back and leaves keeps no note of that for when it comes back")
    func putBack() throws {
        var world = World(seed: 52)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let backup = world.diskCopy(1)
        world.crash(1)
        world.separate([1])
        world.replaceDisk(1, with: backup, seen: "a backup was put back")
        world.start(1)
        world.run(milliseconds: 1_000)
        let before = try world.diskCopy(1).metaNames(beginningWith: "restored/")
        #expect(before.count == 1)
        let hasLeft = leave(&world, 1)
        #expect(hasLeft)
        world.run(milliseconds: 1_000)
        let after = try world.diskCopy(1).metaNames(beginningWith: "restored/")
        #expect(after == [])
    }

    @Test("who shares another space hears of a leave on the link that stands")
    func anotherSpace() throws {
        var world = World(seed: 52)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let isCreated = world.createSpace(0, "other")
        #expect(isCreated)
        let invited = world.invite(0, "other")
        guard case .joined = world.join(1, try #require(invited)) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        world.run(milliseconds: 5_000)
        let hasLeft = leave(&world, 1)
        #expect(hasLeft)
        let isTold = world.run(within: 30_000) { world in
            states(&world, 0) == ["active", "left"] && world.nodes[1].log.joined().contains("space-left-told")
        }
        #expect(isTold, "\(world.logs())")
        _ = world.set(0, "other", "a", "x", 1)
        let isEqual = world.run(within: 30_000) { $0.areEqual([0, 1], "other") }
        #expect(isEqual, "\(world.logs())")
    }

    @Test(
        "who left unheard comes back by a new token, with the token's role, and no alarm", arguments: [0, 1])
    func backAgain(seed: UInt64) throws {
        var world = World(seed: 53 + seed)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let isThere = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isThere)
        world.crash(0)
        world.run(milliseconds: 60_000)
        let hasLeft = leave(&world, 1)
        #expect(hasLeft)
        // At once: the issuer has not heard of the leave when the token is used.
        world.start(0)
        let invited = world.invite(0, "notes", role: seed == 0 ? .writer : .admin)
        guard case .joined(let report) = world.join(1, try #require(invited)) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        #expect(report.role == (seed == 0 ? .writer : .admin))
        let isWritten = world.increment(1, "notes", "count")
        #expect(isWritten)
        let isBack = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isBack, "\(world.logs())")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":6"#), "\(text)")
        let alarms = world.alarms(0) + world.alarms(1)
        #expect(alarms.isEmpty, "\(alarms) \(world.logs())")
        #expect(states(&world, 0) == ["active", "active"])
    }

    @Test(
        "who left and came back holds nothing yet of what it held before, so the others may not leave on it",
        arguments: [false, true])
    func emptyAgain(isRestarted: Bool) throws {
        var world = World(seed: 61)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for _ in 0..<3 { _ = world.increment(1, "notes", "count") }
        let isThere = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isThere)
        let hasLeft = leave(&world, 1)
        #expect(hasLeft)
        world.run(milliseconds: 5_000)
        let invited = world.invite(0, "notes", role: .admin)
        guard case .joined = world.join(1, try #require(invited)) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        world.crash(1)
        if isRestarted {
            world.crash(0)
            world.start(0)
            world.run(milliseconds: 1_000)
        }
        let isLost = leave(&world, 0)
        #expect(!isLost, "the only box with the writes has left: \(world.logs())")
        world.start(1)
        let isBack = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isBack, "\(world.logs())")
        world.run(milliseconds: 25_000)
        let mayLeave = leave(&world, 0)
        #expect(mayLeave, "\(world.logs())")
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":3"#), "\(text)")
    }

    @Test("who left and came back by somebody who is away now says so to one that knows only of the leave")
    func backUnheard() throws {
        var world = World(seed: 58)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        let hasLeft = leave(&world, 2)
        #expect(hasLeft)
        let isKnown = world.run(within: 60_000) { world in
            states(&world, 1) == ["active", "active", "left"]
        }
        #expect(isKnown, "\(world.logs())")
        world.crash(1)
        let invited = world.invite(0, "notes")
        guard case .joined = world.join(2, try #require(invited)) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        world.crash(0)
        let isWritten = world.increment(2, "notes", "count")
        #expect(isWritten)
        world.start(1)
        let isEqual = world.run(within: 120_000) { $0.areEqual([1, 2], "notes") }
        #expect(isEqual, "\(world.logs())")
        #expect(states(&world, 1) == ["active", "active", "active"])
    }

    @Test("a box that lost its disk and is still listed is let in again by a new token")
    func lostDisk() throws {
        var world = World(seed: 56)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let isThere = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isThere)
        world.crash(1)
        world.replaceDisk(1, with: MemoryStore())
        world.start(1)
        let invited = world.invite(0, "notes", role: .reader)
        let token = try #require(invited)
        guard case .joined(let report) = world.join(1, token) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        #expect(report.role == .writer, "it keeps the role that it has")
        let isWritten = world.increment(1, "notes", "count")
        #expect(isWritten)
        let isBack = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isBack, "\(world.logs())")
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":6"#), "\(text)")
        // What it had written and lost came back: this is a restored device, and is said.
        let alarms = world.alarms(1)
        #expect(alarms == ["restored"], "\(world.logs())")
        guard case .invites(let invites) = world.ask(0, .invites(SpaceReference("notes"))) else {
            Issue.record("no invites")
            return
        }
        #expect(invites.allSatisfy { $0.state == "spent" })
    }

    @Test("a joiner that has a space of that name already calls the new one name-2, and says so")
    func takenName() throws {
        var world = World(seed: 57)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        world.addNode()
        let isCreated = world.createSpace(1, "notes")
        #expect(isCreated)
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        let id = world.request(1, .join(token: token, name: nil))
        world.run(milliseconds: 10_000)
        let answers = world.nodes[1].answers[id] ?? []
        guard case .joined(let report) = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(report.name == "notes-2")
        let isSaid = answers.contains {
            if case .joinStage(let text) = $0 { text.contains("notes-2") } else { false }
        }
        #expect(isSaid, "\(answers)")
        // A name that was asked for is checked before anything is done.
        world.addNode()
        let isThird = world.createSpace(2, "notes")
        #expect(isThird)
        let again = world.invite(0, "notes")
        let answer = world.ask(2, .join(token: try #require(again), name: "notes"))
        guard case .failed(.nameTaken("notes")) = answer else {
            Issue.record("a taken name was not refused: \(String(describing: answer))")
            return
        }
    }
}

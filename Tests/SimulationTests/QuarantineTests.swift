// A change that kills whoever executes it. The node that it hits comes to live without it, in a few starts,
// and says which one it is; a crash that is no trap, and a change that only stood near, are let alone.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct QuarantineTests {
    /// The id of a node's last change.
    private func lastChange(_ world: inout World, _ index: Int, _ document: Key) -> Dot? {
        let operation = OperationRequest(
            document: document, path: [.key("n")], verb: .increment(by: 1))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        guard case .transaction(let change, _, _) = world.ask(index, .transact(.init("notes"), transaction))
        else { return nil }
        return change
    }

    @Test("a change that was being executed at each crash is quarantined, and everything else goes on")
    func poison() throws {
        var world = World(seed: 90)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.separate([1])
        for _ in 0..<10 { _ = world.increment(0, "notes", "before") }
        let made = lastChange(&world, 0, "poisoned")
        let poison = try #require(made)
        for _ in 0..<10 { _ = world.increment(0, "notes", "after") }
        for _ in 0..<3 { _ = world.increment(2, "notes", "other") }
        world.poison(1, poison)
        world.reunite()
        var deaths = 0
        for _ in 0..<2_000 {
            world.run(milliseconds: 50)
            if world.dieOfPoison(1) {
                deaths += 1
                world.start(1)
            }
        }
        #expect(deaths == 3, "\(deaths) crashes: \(world.logs())")
        // It holds and shows everything but that change.
        func text(_ index: Int, _ world: inout World) -> String {
            String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
        }
        let (whole, lacking) = (text(0, &world), text(1, &world))
        #expect(whole.contains(#"{"key":"poisoned","value":{"n":1}}"#), "\(whole)")
        for line in whole.split(separator: "\n") where !line.contains("poisoned") {
            #expect(lacking.contains(line), "\(line) is lacking: \(world.logs())")
        }
        #expect(!lacking.contains("poisoned"))
        let alarms = world.alarms(1)
        #expect(alarms.contains("quarantined"), "\(alarms)")
        // Its document takes no local writes; others do, and reach everybody.
        let refused = lastChange(&world, 1, "poisoned")
        #expect(refused == nil)
        let isWritten = world.increment(1, "notes", "after")
        let arrived = world.run(within: 60_000) { world in
            text(0, &world).contains(#"{"key":"after","value":{"n":11}}"#)
        }
        #expect(isWritten && arrived, "\(world.logs())")
        // Nodes that execute different changes do not accuse each other.
        world.run(milliseconds: 30_000)
        let accused = world.alarms(0) + world.alarms(1)
        #expect(!accused.contains("digest-differs"), "\(accused)")
        // It is remembered, also when nothing crashes any more.
        world.crash(1)
        world.start(1)
        let again = world.alarms(1)
        #expect(again.contains("quarantined"))
    }

    @Test("a change that touches what cannot be read any more is held, and all others come in and go out")
    func unreadable() throws {
        var world = World(seed: 93)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        let made = lastChange(&world, 0, "bad")
        let bent = try #require(made)
        // Over a boundary: no other document needs the section that is damaged.
        for number in 0..<12 {
            _ = world.splice(0, "notes", "page", at: 0, String(repeating: "\(number)", count: 8_000))
        }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        world.crash(1)
        var disk = world.diskCopy(1)
        let space = try #require(try disk.spaces().first?.id)
        disk.bend(space, bent)
        world.replaceDisk(1, with: disk)
        world.start(1)
        let later = lastChange(&world, 2, "bad")
        let held = try #require(later)
        for _ in 0..<5 { _ = world.increment(2, "notes", "other") }
        let isWritten = world.increment(1, "notes", "own")
        #expect(isWritten)
        let isThere = world.run(within: 60_000) { world in
            guard let heads = world.nodes[1].node?.heldDurably(of: space) else { return false }
            return heads == world.nodes[0].node?.heldDurably(of: space)
        }
        // The documents are compared in between, which the damage must not turn into more.
        world.run(milliseconds: 120_000)
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(isThere && text.contains(#""key":"own","value":{"n":1}"#), "\(world.logs())")
        let alarms = world.alarms(1)
        #expect(alarms == ["document-damaged"], "\(world.logs())")
        #expect(world.alarms(0).isEmpty && world.alarms(2).isEmpty)
        let failures = world.nodes[1].log.count { $0.contains("commit-failed") || $0.contains("store-read") }
        #expect(failures == 0, "\(world.logs())")
        guard case .skipped(let reports)? = world.ask(1, .skipped(SpaceReference("notes"))) else {
            Issue.record("\(world.logs())")
            return
        }
        #expect(reports.map(\.change) == [held] && reports.first?.reason == "unreadable")
        let other = world.ask(
            1, .readDocument(SpaceReference("notes"), key: "other", view: .plain, atLeast: nil))
        guard case .document(_, .plain(let value), _, _)? = other else {
            Issue.record("\(String(describing: other))")
            return
        }
        #expect(value["n"] == .scalar(.integer(5)))
        // Whoever repairs the disk gets everything back.
        world.crash(1)
        var repaired = world.diskCopy(1)
        repaired.unbend()
        world.replaceDisk(1, with: repaired)
        world.start(1)
        let isWhole = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(try isWhole && world.diskCopy(1).skipped(space).isEmpty, "\(world.logs())")
    }

    @Test("a node starts although documents of what an older version skipped cannot be read any more")
    func unreadableUpgrade() throws {
        var world = World(seed: 94)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let made = lastChange(&world, 0, "bad")
        let bent = try #require(made)
        for number in 0..<12 {
            _ = world.splice(0, "notes", "page", at: 0, String(repeating: "\(number)", count: 8_000))
        }
        let later = lastChange(&world, 0, "bad")
        let change = try #require(later)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        world.crash(1)
        var disk = world.diskCopy(1)
        let space = try #require(try disk.spaces().first?.id)
        let record = try #require(
            try disk.commits(space, after: .start, limit: 99).first {
                $0.replica == change.replica && $0.last == change.sequence
            })
        try disk.begin()
        try disk.mark(space, [record], touched: [["bad"]], as: .skipped)
        try disk.put(space, SkippedRecord(change: record, reason: .unknown, since: 1))
        try disk.commit()
        disk.bend(space, bent)
        world.replaceDisk(1, with: disk)
        world.start(1)
        let isWritten = world.increment(1, "notes", "own")
        #expect(isWritten && world.nodes[1].node != nil, "\(world.logs())")
        #expect(try world.diskCopy(1).skipped(space).count == 1)
        #expect(world.alarms(1) == ["document-damaged"], "\(world.logs())")
    }

    @Test("deaths that are no traps quarantine nothing")
    func kills() throws {
        var world = World(seed: 91)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for round in 0..<20 {
            for _ in 0..<3 { _ = world.increment(0, "notes", "count") }
            world.run(milliseconds: UInt64(20 + round * 13))
            world.crash(1)
            world.start(1)
        }
        let done = world.run(within: 120_000) { $0.areEqual([0, 1], "notes") }
        let alarms = world.alarms(1)
        #expect(done && !alarms.contains("quarantined"), "\(alarms) \(world.logs())")
    }

    @Test(
        "what an older version skipped is executed after the upgrade, and its documents are whole again",
        arguments: [false, true])
    func upgrade(isFull: Bool) throws {
        var world = World(seed: 92)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        _ = world.increment(0, "notes", "count")
        let made = lastChange(&world, 0, "count")
        let change = try #require(made)
        _ = world.increment(0, "notes", "other")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        // As an older version would have left it: held and not executed, the document without it.
        world.crash(1)
        var disk = world.diskCopy(1)
        let space = try #require(try disk.spaces().first)
        let record = try #require(
            try disk.commits(space.id, after: .start, limit: 99).first {
                $0.replica == change.replica && $0.last == change.sequence
            })
        try disk.begin()
        try disk.mark(space.id, [record], touched: [["count"]], as: .skipped)
        try disk.put(space.id, SkippedRecord(change: record, reason: .unknown, since: 1))
        try disk.commit()
        world.replaceDisk(1, with: disk)
        if isFull { world.setDiskFault(1, .init(failure: .noSpace, isLasting: true)) }
        world.start(1)
        if isFull {
            // The start cannot, and a later sweep does.
            world.run(milliseconds: 90_000)
            #expect(try !world.diskCopy(1).skipped(space.id).isEmpty)
            world.setDiskFault(1, nil)
        }
        let done = world.run(within: 400_000) { world in
            (try? world.diskCopy(1).skipped(space.id).isEmpty) == true && world.areEqual([0, 1], "notes")
        }
        #expect(done, "\(world.logs())")
        let isWritten = world.increment(1, "notes", "count")
        #expect(isWritten, "the document takes writes again")
    }
}

// What goes wrong with a box's disk and identity: commits that fail, an older state put back, one disk in two
// boxes. Nothing acknowledged may be lost, nothing may differ, and a person must be told.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct IdentityStormTests {
    @Test("an older state put back writes a new log, gets back what it had sent, and says so")
    func restored() {
        var world = World(seed: 31)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let old = world.diskCopy(1)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        world.crash(1)
        world.replaceDisk(1, with: old)
        world.start(1)
        // It writes at once, before it heard of anything it had sent.
        let first = world.increment(1, "notes", "count")
        world.run(milliseconds: 10_000)
        let second = world.increment(1, "notes", "count")
        let alarms = world.alarms(1)
        #expect(alarms.contains("restored"), "\(alarms) \(world.logs())")
        #expect(first && second, "\(world.logs())")
        // The ten that were sent are there, and both writes after: the first one went to the old log, whose
        // two branches are issued again.
        let done = world.run(within: 120_000) { world in
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains(#""n":12}"#) && world.areEqual([0, 1, 2], "notes")
        }
        let exports = (0..<3).map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self) }
        #expect(done, "\(exports) \(world.logs())")
        let told = world.alarms(0)
        #expect(told.contains("fork"), "\(told)")
    }

    @Test("a node that was restored and is linked before it writes loses nothing at all")
    func restoredThenLinked() {
        var world = World(seed: 32)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let old = world.diskCopy(1)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        world.crash(1)
        world.replaceDisk(1, with: old)
        world.start(1)
        world.run(milliseconds: 10_000)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let done = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":15"#), "\(text)")
        let alarms = world.alarms(1)
        #expect(alarms.contains("restored"))
    }

    @Test("one device running twice is named by whoever is linked to both")
    func cloned() {
        var world = World(seed: 33)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.run(milliseconds: 5_000)
        world.addClone(of: 1)
        world.run(milliseconds: 20_000)
        let alarms = world.alarms(0) + world.alarms(1) + world.alarms(2)
        #expect(alarms.contains("cloned"), "\(alarms) \(world.logs())")
    }

    @Test("a commit that fails drops the links and loses nothing that was acknowledged")
    func failingCommits() {
        var world = World(seed: 34)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        var acknowledged = 0
        for round in 0..<30 {
            if round % 4 == 0 { world.failCommit(round % 3, .noSpace) }
            for index in 0..<3 where world.increment(index, "notes", "count") { acknowledged += 1 }
        }
        for index in 0..<3 { world.failCommit(index, nil) }
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
        let text = String(decoding: world.export(2, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""n":\#(acknowledged)}"#), "\(acknowledged): \(text)")
        #expect(acknowledged < 90 && acknowledged > 45, "some commits failed, most did not: \(acknowledged)")
    }

    @Test("whoever speaks no Noise gets no byte back, and is closed in time")
    func garbage() {
        var world = World(seed: 35)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        var dice = SeededGenerator(seed: 35)
        for length in [0, 1, 23, 24, 25, 74, 75, 500, 70_000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let stranger = world.connectStranger(to: 0)
            world.sendAsStranger(stranger, bytes)
            world.run(milliseconds: 6_000)
            #expect(world.heard(stranger).isEmpty, "\(length) bytes were answered")
            #expect(world.isClosed(stranger), "\(length) bytes kept the connection open")
        }
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(done)
    }

    @Test("a document that differs at equal vectors is named; equal ones raise nothing")
    func digests() throws {
        var world = World(seed: 36)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for number in 0..<20 { _ = world.set(0, "notes", Key("note/\(number)"), "x", Int64(number)) }
        world.run(milliseconds: 30_000)
        let quiet = world.alarms(0) + world.alarms(1)
        #expect(quiet.isEmpty, "\(quiet)")
        // A snapshot that was damaged and still reads: an empty document where there is one.
        world.crash(1)
        var disk = world.diskCopy(1)
        let space = try #require(try disk.spaces().first)
        try disk.begin()
        try disk.put(
            space.id, "note/7",
            SnapshotRecord(position: space.position, bytes: Document(key: "note/7").encodeSnapshot()))
        try disk.commit()
        world.replaceDisk(1, with: disk)
        world.start(1)
        let named = world.run(within: 60_000) { world in
            guard case .status(let report) = world.ask(0, .status) else { return false }
            return report.alarms.contains { $0.code == "digest-differs" && $0.message.contains("note/7") }
        }
        #expect(named, "\(world.logs())")
    }
}

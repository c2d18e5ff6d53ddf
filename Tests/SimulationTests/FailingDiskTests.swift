// Commits that fail at any moment, of batches that hold writes of programs, changes of others and joins at
// once. Nothing acknowledged may be lost, nothing half done may stay, and no dot may be used twice.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct FailingDiskTests {
    private static func increments(_ name: Key) -> NodeRequest {
        let operation = OperationRequest(document: name, path: [.key("n")], verb: .increment(by: 1))
        return .transact(
            SpaceReference("notes"), Transaction(operations: [operation], conditions: [], idempotency: nil))
    }

    @Test(
        "whatever commits fail, what was acknowledged is there, what was refused is not, and all end equal",
        arguments: 40..<46 as Range<UInt64>)
    func storms(seed: UInt64) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.batchMilliseconds = 1 + seed % 4 * 30
        var dice = SeededGenerator(seed: seed)
        var asked: [(node: Int, request: RequestID)] = []
        var broken = 0
        for _ in 0..<300 {
            let index = Int.random(in: 0..<3, using: &dice)
            if Int.random(in: 0..<8, using: &dice) == 0 {
                world.failCommit(index, .noSpace)
                broken += 1
            }
            let document = Key("count/\(Int.random(in: 0..<5, using: &dice))")
            asked.append((index, world.request(index, Self.increments(document))))
            world.run(milliseconds: UInt64.random(in: 0...200, using: &dice))
        }
        for index in 0..<3 { world.failCommit(index, nil) }
        world.run(milliseconds: 10_000)
        let done = world.run(within: 600_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
        var changes: Set<Dot> = []
        var refused = 0
        for (node, request) in asked {
            switch world.nodes[node].answers[request]?.last {
            case .transaction(let change?, _, _):
                let isNew = changes.insert(change).inserted
                #expect(isNew, "\(change) was acknowledged twice")
            case .failed(.storeFull): refused += 1
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        #expect(refused > 0 && changes.count + refused == asked.count, "\(broken) faults, \(refused) refused")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        let total = text.split(separator: "\n").reduce(0) { sum, line in
            let digits = line.drop { $0 != "{" }.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
            return sum + (Int(digits) ?? 0)
        }
        #expect(total == changes.count, "\(text)")
        #expect(
            world.alarms(0).isEmpty && world.alarms(1).isEmpty && world.alarms(2).isEmpty, "\(world.logs())")
    }

    /// Seed 56 of the swarm found a node that wrote its address book anew after each failed commit, at once.
    @Test(
        "a disk that stays full is not asked again and again; the node lives, and what waits is done when there is room",
        arguments: [nil, 0, 2] as [Int?])
    func staysFull(writesBefore: Int?) {
        var world = World(seed: 49)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        // What each says of itself in the roster is everywhere.
        world.run(milliseconds: 2_000)
        world.crash(0)
        world.setDiskFault(
            0, .init(failure: .noSpace, writesBefore: writesBefore, isLasting: true))
        world.start(0)
        world.run(milliseconds: 600_000)
        let failures = world.nodes[0].log.count { $0.contains("commit-failed") }
        #expect(failures > 0 && failures < 20, "\(failures)")
        world.setDiskFault(0, nil)
        let isWritten = world.increment(0, "notes", "count")
        let done = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isWritten && done, "\(world.logs())")
    }

    /// Each one that came ended the batch, and with it all links, some 40 times a minute.
    @Test("on a disk that stays full what peers say in the roster is tried as seldom as what they write")
    func rosterOnFullDisk() {
        var world = World(seed: 49)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        world.crash(0)
        world.setDiskFault(0, .init(failure: .noSpace, isLasting: true))
        world.start(0)
        world.run(milliseconds: 600_000)
        let failures = world.nodes[0].log.count { $0.contains("commit-failed") }
        #expect(failures > 5 && failures < 20, "\(failures)")
        world.setDiskFault(0, nil)
        let isWritten = world.increment(0, "notes", "count")
        let done = world.run(within: 90_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isWritten && done, "\(world.logs())")
    }

    @Test(
        "on a disk that stays full what peers write is tried now and then, and what it has goes out all the while"
    )
    func takesLittle() {
        var world = World(seed: 50)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        world.separate([1])
        for number in 0..<50 { _ = world.increment(1, "notes", Key("own/\(number)")) }
        world.setDiskFault(1, .init(failure: .noSpace, isLasting: true))
        world.reunite()
        for number in 0..<300 {
            _ = world.increment(number % 2 * 2, "notes", "count")
            world.run(milliseconds: 1_000)
        }
        let log = world.nodes[1].log
        let failures = log.count { $0.contains("commit-failed") }
        let ends = log.count { $0.contains("link-down") }
        #expect(failures > 5 && failures < 15 && ends < 40, "\(failures) failures, \(ends) links ended")
        let isOut = world.areEqual([0, 2], "notes")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(isOut && text.contains("own/49") && text.contains(#""key":"count","value":{"n":300}"#))
        world.setDiskFault(1, nil)
        let done = world.run(within: 90_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
    }

    @Test(
        "a node starts on a full disk and shows what it has; a cursor of then is good once there was room",
        arguments: [nil, 0] as [Int?])
    func startsFull(writesBefore: Int?) {
        var world = World(seed: 48)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        let isWritten = world.increment(0, "notes", "count")
        #expect(isWritten)
        let shown = world.export(0, "notes")
        world.crash(0)
        world.setDiskFault(0, .init(failure: .noSpace, writesBefore: writesBefore))
        world.start(0)
        world.run(milliseconds: 1_000)
        #expect(world.nodes[0].node != nil && shown != nil && world.export(0, "notes") == shown)
        let watch = { (world: inout World, start: WatchStart) -> [NodeAnswer] in
            let id = world.request(
                0, .watch(SpaceReference("notes"), start: start, prefix: "", follow: false))
            world.run(milliseconds: 100)
            return world.nodes[0].answers[id] ?? []
        }
        guard case .watching(let cursor)? = watch(&world, .now).first else {
            Issue.record("no stream: \(world.logs())")
            return
        }
        world.setDiskFault(0, nil)
        let isRoom = world.increment(0, "notes", "count")
        #expect(isRoom, "\(world.logs())")
        world.crash(0)
        world.start(0)
        let lines = watch(&world, .cursor(cursor)).count {
            if case .watchLine(.change) = $0 { true } else { false }
        }
        #expect(lines == 1, "the increment that followed, and no resync")
    }

    @Test("a log that goes on elsewhere is not written to again, also when the batch that found it is lost")
    func retired() {
        var world = World(seed: 47)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let old = world.diskCopy(1)
        for _ in 0..<60 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        world.crash(1)
        world.replaceDisk(1, with: old)
        // Each batch of the node holds a write, so the one in which it hears of its own log's end does too.
        world.batchMilliseconds = 50
        world.start(1)
        var (asked, read, watched): ([RequestID], [RequestID], [RequestID]) = ([], [], [])
        for _ in 0..<200 {
            asked.append(world.request(1, Self.increments("more")))
            read.append(world.request(1, .status))
            watched.append(
                world.request(1, .watch(SpaceReference("notes"), start: .now, prefix: "", follow: true)))
            world.run(milliseconds: 50)
        }
        world.run(milliseconds: 5_000)
        var replicas: [ReplicaID?] = []
        for request in asked {
            switch world.nodes[1].answers[request]?.last {
            case .transaction(let change?, _, _): replicas.append(change.replica)
            default: replicas.append(nil)
            }
        }
        #expect(
            "\(world.logs())".contains("writes-moved"), "no batch was lost: this test has to be made anew")
        // Whoever read or began to watch in it is answered too.
        for (reading, watching) in zip(read, watched) {
            let answers = world.nodes[1].answers[reading] ?? []
            if answers.count == 1, case .status? = answers.first {} else { Issue.record("\(answers)") }
            let lines = world.nodes[1].answers[watching] ?? []
            if case .watching? = lines.first {} else { Issue.record("\(lines.prefix(2))") }
        }
        // Whoever wrote in the lost batch is answered with the change in the new log.
        let move = replicas.firstIndex { $0 != replicas[0] } ?? 0
        let after = Set(replicas[move...])
        #expect(
            !replicas.contains(nil) && move > 0 && after.count == 1 && !after.contains(replicas[0]),
            "\(replicas)")
        let done = world.run(within: 120_000) { world in
            String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
                .contains(#""key":"more","value":{"n":200}"#)
        }
        #expect(done, "\(world.logs())")
    }

    @Test("a restored log that has outgrown what it once sent is found by the first HAVE, and left")
    func outgrown() {
        var world = World(seed: 49)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let old = world.diskCopy(1)
        for _ in 0..<5 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        world.crash(1)
        world.replaceDisk(1, with: old)
        world.separate([1])
        world.start(1)
        func replica() -> ReplicaID? {
            guard case .transaction(let change?, _, _) = world.ask(1, Self.increments("more")) else {
                return nil
            }
            return change.replica
        }
        let former = replica()
        for _ in 0..<20 { _ = replica() }
        let quiet = world.alarms(1)
        world.reunite()
        world.run(milliseconds: 10_000)
        let alarms = world.alarms(1)
        #expect(quiet.isEmpty && alarms.contains("restored"), "\(quiet) \(alarms) \(world.logs())")
        let latter = replica()
        #expect(former != nil && latter != nil && former != latter)
    }

    @Test("a box that was put back leaves its log in each of its spaces at the first word of a peer")
    func severalSpaces() {
        var world = World(seed: 46)
        let names = ["a", "b", "c"]
        for _ in 0..<2 { world.addNode() }
        for name in names {
            let isMade = world.createSpace(0, name)
            guard isMade, let token = world.invite(0, name), case .joined = world.join(1, token) else {
                Issue.record("\(world.logs())")
                return
            }
        }
        for name in names { _ = world.increment(1, name, "count") }
        let old = world.diskCopy(1)
        for name in names { _ = world.increment(1, name, "count") }
        let isLevel = world.run(within: 60_000) { world in names.allSatisfy { world.areEqual([0, 1], $0) } }
        #expect(isLevel)
        world.crash(1)
        world.replaceDisk(1, with: old)
        // What it says goes out at once; changes, which would show the same, are held back.
        var settings = NodeSettings(deviceName: "box-0", staticPeers: [], advertise: [])
        settings.linkBytesPerSecond = 1
        world.changeSettings(0, to: settings)
        let spaces = world.nodes[0].node?.spaceIDs ?? []
        world.start(1)
        let before = spaces.map { world.nodes[1].node?.ownReplica(in: $0) }
        world.run(milliseconds: 5_000)
        let after = spaces.map { world.nodes[1].node?.ownReplica(in: $0) }
        #expect(spaces.count == 3 && !before.contains(nil))
        for (a, b) in zip(before, after) { #expect(a != b, "\(world.logs())") }
    }

    @Test("a join whose batch is lost does not wait for a dial that never was: it is tried again")
    func join() {
        var world = World(seed: 48)
        let isMade = world.makeSpace("notes", nodes: 1)
        world.addNode()
        let hasOwn = world.createSpace(1, "other")
        #expect(isMade && hasOwn)
        let token = world.invite(0, "notes") ?? ""
        world.batchMilliseconds = 20
        world.failCommit(1, .noSpace)
        _ = world.request(1, .createSpace(name: "third"))
        let id = world.request(1, .join(token: token, name: nil))
        world.run(milliseconds: 10_000)
        guard case .joined = world.nodes[1].answers[id]?.last else {
            Issue.record("\(String(describing: world.nodes[1].answers[id])) \(world.logs())")
            return
        }
    }
}

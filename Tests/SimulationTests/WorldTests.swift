// Several nodes, from the invite to equal documents, over a network that delays, cuts, breaks and separates.
// Seeds that failed stay here with what they found.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct WorldTests {
    @Test("a joiner that knows only the token gets in and both end with the same documents")
    func twoNodes() throws {
        var world = World(seed: 1)
        let (a, b) = (world.addNode(), world.addNode())
        let isCreated = world.createSpace(a, "notes")
        #expect(isCreated)
        _ = world.set(a, "notes", "note/1", "title", 1)
        let invited = world.invite(a, "notes")
        let token = try #require(invited)
        guard case .joined = world.join(b, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        _ = world.set(b, "notes", "note/2", "title", 2)
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(done, "\(world.logs())")
        let export = world.export(a, "notes")
        #expect(
            export
                == Array(
                    #"{"key":"note/1","value":{"title":1}}\#n{"key":"note/2","value":{"title":2}}\#n"#.utf8))
    }

    @Test("apart, both sides write; together again they end equal, and each acknowledged write is there once")
    func apart() {
        var world = World(seed: 2)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.separate([0])
        var writes = 0
        for round in 0..<20 {
            for index in 0..<3 where world.increment(index, "notes", "count") { writes += 1 }
            _ = world.splice(round % 3, "notes", "text", at: 0, "\(round) ")
        }
        world.run(milliseconds: 60_000)
        let isEqualApart = world.areEqual([0, 1], "notes")
        #expect(!isEqualApart)
        world.reunite()
        let done = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(writes == 60 && text.contains(#"{"key":"count","value":{"n":60}}"#), "\(text.prefix(200))")
    }

    @Test("what comes for a stopped process comes in its order, also when the pause is made longer")
    func pausedTwice() {
        var world = World(seed: 11)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        world.pause(0, milliseconds: 4_000)
        for round in 0..<8 {
            for _ in 0..<5 where !world.increment(1, "notes", "count") { Issue.record("not written") }
            world.run(milliseconds: 500)
            if round == 4 { world.pause(0, milliseconds: 6_000) }
        }
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(done, "\(world.logs())")
        #expect(!world.logs().contains("peer-fault"), "\(world.logs())")
    }

    @Test("two members that never met find each other when the one that let both in is gone")
    func introducerGone() {
        var world = World(seed: 3)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 5_000)
        world.crash(0)
        _ = world.set(1, "notes", "b", "x", 1)
        _ = world.set(2, "notes", "c", "x", 2)
        let done = world.run(within: 120_000) { $0.areEqual([1, 2], "notes") }
        #expect(done, "\(world.logs())")
        // And the changes of one reach the first through the third.
        world.crash(1)
        world.start(0)
        let again = world.run(within: 120_000) { $0.areEqual([0, 2], "notes") }
        #expect(again, "\(world.logs())")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(text.contains(#""key":"b""#))
    }

    @Test("nodes that are linked already share further spaces on the same link", arguments: 0..<12)
    func furtherSpaces(seed: UInt64) throws {
        var world = World(seed: 300 + seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 5_000)
        for (name, founder, others) in [("one", 1, [2]), ("two", 2, [0, 1]), ("three", 0, [1])] {
            let isCreated = world.createSpace(founder, name)
            #expect(isCreated)
            for other in others {
                let invited = world.invite(founder, name)
                guard case .joined = world.join(other, try #require(invited)) else {
                    Issue.record("not joined: \(world.logs())")
                    return
                }
            }
            let all = [founder] + others
            for index in all { _ = world.set(index, name, "d", "by\(index)", 1) }
            let done = world.run(within: 60_000) { world in
                let text = String(decoding: world.export(founder, name) ?? [], as: UTF8.self)
                return world.areEqual(all, name) && all.allSatisfy { text.contains("by\($0)") }
            }
            #expect(done, "\(name): \(world.logs())")
        }
    }

    @Test("who left a space and came back has another order of changes: cursors of before get a resync")
    func leftAndBack() throws {
        var world = World(seed: 21)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        for document: Key in ["a", "b", "c"] { _ = world.increment(0, "notes", document) }
        let isThere = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isThere, "\(world.logs())")
        let read = NodeRequest.readDocument(SpaceReference("notes"), key: "b", view: .plain, atLeast: nil)
        guard case .document(_, _, _, let cursor) = world.ask(1, read) else {
            Issue.record("not read: \(world.logs())")
            return
        }
        guard case .done = world.ask(1, .leaveSpace(SpaceReference("notes"), isForced: false)) else {
            Issue.record("not left: \(world.logs())")
            return
        }
        let invited = world.invite(0, "notes")
        let token = try #require(invited)
        guard case .joined = world.join(1, token) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        for document: Key in ["d", "e"] { _ = world.increment(0, "notes", document) }
        let isBack = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isBack, "\(world.logs())")
        let id = world.request(
            1, .watch(SpaceReference("notes"), start: .cursor(cursor), prefix: "", follow: false))
        world.run(milliseconds: 1_000)
        let answers = world.nodes[1].answers[id] ?? []
        let isResync = answers.contains { if case .watchLine(.resync) = $0 { true } else { false } }
        #expect(isResync, "\(answers)")
    }

    @Test("a wait for everybody does not wait for relays, which hold no changes; one that names them does")
    func waitWithRelay() throws {
        var world = World(seed: 22)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let relay = world.addNode()
        let invited = world.invite(0, "notes", role: .relay)
        let token = try #require(invited)
        guard case .joined = world.join(relay, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        guard case .transaction(let change?, _, _) = world.set(0, "notes", "a", "x", 1) else {
            Issue.record("not written: \(world.logs())")
            return
        }
        let all = NodeRequest.wait(SpaceReference("notes"), change: change, on: nil, timeoutSeconds: 30)
        guard case .waited(_, let holders, true) = world.ask(0, all, within: 60_000) else {
            Issue.record("not held: \(world.logs())")
            return
        }
        #expect(holders.count == 2)
    }

    @Test("a newcomer catches up thousands of changes of several authors")
    func catchUp() {
        var world = World(seed: 4)
        world.weather.pieceBytesMax = 65_536
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        for round in 0..<150 {
            _ = world.splice(
                round % 2, "notes", "text", at: 0, String(repeating: "abc ", count: 1 + round % 60))
            _ = world.increment(0, "notes", Key("n/\(round % 17)"))
        }
        world.addNode()
        let token = world.invite(0, "notes") ?? ""
        _ = world.join(2, token)
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(done, "\(world.logs())")
    }

    @Test("a token that is spent, revoked, expired, foreign or mistyped is refused by that name")
    func refusals() {
        var world = World(seed: 5)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.addNode()
        func refusal(_ answer: NodeAnswer?) -> String {
            guard case .failed(let error) = answer else { return "\(String(describing: answer))" }
            return String("\(error)".prefix { $0 != "(" })
        }
        // Spent by another device.
        let first = world.invite(0, "notes") ?? ""
        world.addNode()
        guard case .joined = world.join(3, first) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        let spent = refusal(world.join(2, first))
        #expect(spent == "inviteSpent")
        // Revoked.
        guard
            case .invite(let id, let second) = world.ask(
                0, .invite(SpaceReference("notes"), role: .writer, expiresSeconds: 3_600))
        else {
            Issue.record("no invite")
            return
        }
        _ = world.ask(0, .revokeInvite(SpaceReference("notes"), id: id))
        let revoked = refusal(world.join(2, second))
        #expect(revoked == "inviteRevoked")
        // Expired.
        guard
            case .invite(_, let third) = world.ask(
                0, .invite(SpaceReference("notes"), role: .writer, expiresSeconds: 10))
        else {
            Issue.record("no invite")
            return
        }
        world.run(milliseconds: 12_000)
        let expired = refusal(world.join(2, third))
        #expect(expired.hasPrefix("inviteExpired"))
        // Mistyped, and nobody there.
        let fourth = world.invite(0, "notes") ?? ""
        let mistyped = refusal(world.join(2, String(fourth.dropLast(2)) + "aa"))
        #expect(mistyped == "tokenInvalid")
        world.crash(0)
        let unreachable = refusal(world.join(2, fourth))
        #expect(unreachable == "inviterUnreachable")
        // Asked for while the issuer is away: the joiner is in when it comes back within a minute.
        let waiting = world.request(2, .join(token: fourth, name: nil))
        world.run(milliseconds: 20_000)
        world.start(0)
        world.run(milliseconds: 6_000)
        guard case .joined = world.nodes[2].answers[waiting]?.last else {
            Issue.record("a good token was refused after its issuer came back")
            return
        }
    }

    @Test(
        "whatever breaks, walls and crashes come in between, all end equal, by seed",
        arguments: 10..<15 as Range<UInt64>)
    func storms(seed: UInt64) {
        var world = World(seed: seed)
        let count = 3 + Int(seed % 3)
        let isMade = world.makeSpace("notes", nodes: count)
        #expect(isMade, "\(world.logs())")
        world.weather.breaksOneIn = 40
        world.weather.delay = 1...400
        var dice = SeededGenerator(seed: seed)
        var acknowledged = 0
        for _ in 0..<60 {
            let index = Int.random(in: 0..<count, using: &dice)
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: world.separate([index])
            case 1: world.reunite()
            case 2 where world.nodes[index].node != nil: world.crash(index)
            case 3 where world.nodes[index].node == nil: world.start(index)
            case 4...6: _ = world.splice(index, "notes", "text", at: 0, "\(index)")
            default: if world.increment(index, "notes", "count") { acknowledged += 1 }
            }
            world.run(milliseconds: UInt64.random(in: 0...5_000, using: &dice))
        }
        world.weather.breaksOneIn = 0
        for index in 0..<count where world.nodes[index].node == nil { world.start(index) }
        world.reunite()
        let done = world.run(within: 900_000) { $0.areEqual(Array(0..<count), "notes") }
        #expect(done, "\(world.logs())")
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(
            acknowledged == 0 || text.contains(#"{"key":"count","value":{"n":\#(acknowledged)}}"#),
            "\(acknowledged): \(text)")
    }

    @Test("a node that stops says so on its links, and makes no new ones")
    func stopping() {
        var world = World(seed: 6)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        _ = world.set(1, "notes", "a", "x", 1)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        let before = world.nodes[0].log.count
        world.stop(1)
        world.run(milliseconds: 60_000)
        let after = world.nodes[0].log.dropFirst(before).joined(separator: "\n")
        #expect(after.contains("closed by the peer: the node stops"), "\(after)")
        #expect(!after.contains("link-up") && !after.contains("cut"), "\(after)")
        guard case .status(let report) = world.ask(1, .status) else {
            Issue.record("no status")
            return
        }
        #expect(report.links == 0)
    }

    @Test("the same seed gives the same trace")
    func deterministic() {
        func trace() -> UInt64 {
            var world = World(seed: 77)
            _ = world.makeSpace("notes", nodes: 4)
            world.weather.breaksOneIn = 60
            for round in 0..<20 { _ = world.set(round % 4, "notes", Key("n/\(round)"), "x", Int64(round)) }
            world.run(milliseconds: 100_000)
            return world.traceHash
        }
        #expect(trace() == trace())
    }
}

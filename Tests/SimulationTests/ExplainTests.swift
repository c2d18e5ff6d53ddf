// `explain` over a mesh: each reason is brought about, and named.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

extension World {
    fileprivate mutating func explain(
        _ index: Int, _ subject: ExplainSubject, peer: Int? = nil
    ) throws -> ExplainReport {
        let device = peer.map { nodes[$0].device }
        let answer = ask(
            index, .explain(SpaceReference("notes"), subject, peer: device.map { MemberReference($0) }))
        guard case .explained(let report)? = answer else {
            throw ExplainTests.Unexpected(answer: "\(String(describing: answer)): \(logs())")
        }
        return report
    }

    /// The id of the change that a write of one number makes.
    fileprivate mutating func write(_ index: Int, _ document: Key, _ value: Int64) throws -> Dot {
        let answer = set(index, "notes", document, "x", value)
        guard case .transaction(let change?, _, _)? = answer else {
            throw ExplainTests.Unexpected(answer: "\(String(describing: answer))")
        }
        return change
    }
}

extension ExplainReport {
    fileprivate func at(_ node: WorldNode) -> PeerWhereabouts? { peers.first { $0.device == node.device } }
}

@Suite struct ExplainTests {
    struct Unexpected: Error { let answer: String }

    @Test("what all hold is said to be held, of a change and of a document, also by the change's inner dots")
    func held() throws {
        var world = World(seed: 910)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        let change = try world.write(0, "note", 1)
        let isEqual = world.run(within: 30_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isEqual)
        world.run(milliseconds: 5_000)
        for subject in [ExplainSubject.change(change), .document("note")] {
            for index in 0..<3 {
                let report = try world.explain(index, subject)
                #expect(report.subject == subject && report.omitted == 0)
                #expect(report.here.reason == (subject == .document("note") ? .shown : .executed))
                #expect(report.changes.map(\.change) == [change])
                #expect(report.changes.first?.whereabouts.reason == .executed)
                #expect(report.changes.first?.author?.device == world.nodes[0].device)
                #expect(
                    report.peers.count == 2
                        && !report.peers.contains { $0.device == world.nodes[index].device })
                for peer in report.peers {
                    #expect(
                        peer.isHeld == true && peer.lacks == [] && peer.whereabouts.reason == .held, "\(peer)"
                    )
                    #expect(peer.name.hasPrefix("box-"))
                }
            }
        }
        // One that is asked for by name stands alone; a stranger is refused.
        #expect(try world.explain(0, .change(change), peer: 2).peers.map(\.device) == [world.nodes[2].device])
        #expect(try world.explain(0, .change(change), peer: 0).peers.isEmpty)
        world.addNode()
        let stranger = world.ask(
            0,
            .explain(
                SpaceReference("notes"), .change(change), peer: MemberReference(world.nodes[3].device)))
        guard case .failed(.noSuchMember)? = stranger else { throw Unexpected(answer: "\(stranger as Any)") }
        // Several operations: each dot of the change names it.
        let splice = world.splice(0, "notes", "text", at: 0, "hello")
        guard case .transaction(let text?, _, _)? = splice else {
            throw Unexpected(answer: "\(splice as Any)")
        }
        let inner = Dot(text.replica, text.sequence.previous)
        #expect(try world.explain(0, .change(inner)).changes.map(\.change) == [text])
    }

    @Test("absent, deleted and never made are told apart")
    func absent() throws {
        var world = World(seed: 911)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let change = try world.write(0, "note", 1)
        let operation = OperationRequest(document: "note", path: [], verb: .delete)
        _ = world.ask(
            0,
            .transact(
                SpaceReference("notes"),
                Transaction(operations: [operation], conditions: [], idempotency: nil)))
        world.run(milliseconds: 5_000)
        #expect(try world.explain(1, .document("note")).here.reason == .deleted)
        let nothing = try world.explain(1, .document("nothing"))
        #expect(nothing.here.reason == .absent && nothing.changes.isEmpty)
        #expect(nothing.peers.map(\.whereabouts.reason) == [.notHere], "\(nothing)")
        // Beyond the end of a log: nobody made it, here or there.
        let beyond = Dot(change.replica, SequenceNumber(change.sequence.value + 100))
        let own = try world.explain(0, .change(beyond))
        #expect(own.here.reason == .notKnown && own.here.message.contains("this node's own"), "\(own)")
        let others = try world.explain(1, .change(beyond))
        #expect(others.here.reason == .notKnown && others.here.message.contains("is the last"), "\(others)")
        #expect(others.peers.map(\.whereabouts.reason) == [.notHere] && others.peers[0].isHeld == false)
        let foreign = ReplicaID(raw: Bytes16(high: 7, low: 7))
        let unknown = try world.explain(0, .change(Dot(foreign, SequenceNumber(1))))
        #expect(unknown.here.message.contains("nothing of its log is held here"), "\(unknown)")
        #expect(unknown.changes.count == 1 && unknown.changes[0].author == nil)
    }

    @Test("a cap holds a change back on one side, and it is on its way on the other")
    func heldBack() throws {
        var world = World(seed: 912)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.run(milliseconds: 5_000)
        var settings = NodeSettings(deviceName: "box-0", staticPeers: [], advertise: [])
        settings.linkBytesPerSecond = 1
        world.changeSettings(0, to: settings)
        var last = try world.write(0, "note", 0)
        for number in 1..<20 {
            last = try world.write(0, "note", Int64(number))
            world.run(milliseconds: 200)
        }
        let here = try world.explain(0, .change(last))
        let peer = try #require(here.at(world.nodes[1]))
        #expect(
            peer.whereabouts.reason == .heldBack && peer.isHeld == false && peer.lacks == [last], "\(peer)")
        #expect(peer.whereabouts.message.contains("1 bytes/s"), "\(peer)")
        let document = try world.explain(0, .document("note"))
        #expect(document.at(world.nodes[1])?.whereabouts.reason == .heldBack)
        let there = try world.explain(1, .change(last))
        #expect(there.here.reason == .onItsWay && there.here.message.contains("box-0"), "\(there)")
        #expect(there.at(world.nodes[0])?.whereabouts.reason == .held)
        // Its holder goes away: why it is not linked is told.
        world.separate([0])
        world.run(milliseconds: 60_000)
        let away = try world.explain(1, .change(last))
        #expect(
            away.here.reason == .holderNotLinked && away.here.message.contains("not linked for"), "\(away)")
        // And from the other side the peer is not linked.
        let unlinked = try #require(try world.explain(0, .change(last)).at(world.nodes[1]))
        #expect(unlinked.whereabouts.reason == .notLinked && unlinked.isHeld == false, "\(unlinked)")
        #expect(unlinked.whereabouts.message.hasPrefix("not linked for "), "\(unlinked)")
    }

    @Test("what a full disk keeps out is told so, until there is room")
    func diskFull() throws {
        var world = World(seed: 915)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.setDiskFault(1, .init(failure: .noSpace, isLasting: true))
        for number in 0..<30 {
            _ = try world.write(0, "note", Int64(number))
            world.run(milliseconds: 1_000)
        }
        let last = try world.write(0, "note", 30)
        world.run(milliseconds: 500)
        let there = try world.explain(1, .change(last))
        #expect(there.here.reason == .diskFull && there.here.message.contains("disk is full"), "\(there)")
        world.setDiskFault(1, nil)
        let isEqual = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        let after = try world.explain(1, .change(last))
        #expect(isEqual && after.here.reason == .executed, "\(after)")
    }

    @Test("what was sent is under way, what the window does not take waits for it, silence is told")
    func underWay() throws {
        var world = World(seed: 913)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.run(milliseconds: 5_000)
        world.block(Direction(from: 1, to: 0))
        let first = try world.write(0, "note", 1)
        world.run(milliseconds: 100)
        #expect(try world.explain(0, .change(first)).at(world.nodes[1])?.whereabouts.reason == .underWay)
        // Letters that nothing compresses.
        var (dice, last) = (SeededGenerator(seed: 913), first)
        for number in 0..<12 {
            let text = String(
                (0..<120_000).map { _ in
                    Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &dice)))
                })
            let answer = world.splice(0, "notes", Key("text/\(number)"), at: 0, text)
            guard case .transaction(let change?, _, _)? = answer else {
                throw Unexpected(answer: "\(answer as Any)")
            }
            last = change
        }
        let waiting = try #require(try world.explain(0, .change(last)).at(world.nodes[1]))
        #expect(waiting.whereabouts.reason == .window, "\(waiting)")
        #expect(waiting.whereabouts.message.contains("bytes are under way"), "\(waiting)")
        let isSilent = world.run(within: 25_000) { world in
            (try? world.explain(0, .change(last)))?.peers.first?.whereabouts.reason == .silent
        }
        #expect(isSilent, "\(world.logs())")
        world.unblock(Direction(from: 1, to: 0))
        let isHeld = world.run(within: 120_000) { world in
            (try? world.explain(0, .change(last)))?.peers.first?.whereabouts.reason == .held
        }
        #expect(isHeld, "\(world.logs())")
    }

    @Test("an early change names what it waits for and who holds that; so does its document")
    func early() throws {
        var world = World(seed: 915)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        // The third takes the log of the first from the first, and of the second from the second.
        for number in 0..<20 {
            _ = try world.write(number % 2, "warm", Int64(number))
            world.run(milliseconds: 300)
        }
        world.block(Direction(from: 0, to: 2))
        let cause = try world.write(0, "cause", 1)
        let isSeen = world.run(within: 5_000) { world in
            (try? world.explain(1, .change(cause)))?.here.reason == .executed
        }
        #expect(isSeen, "\(world.logs())")
        let effect = try world.write(1, "effect", 2)
        var found: ExplainReport?
        for _ in 0..<1_000 where found == nil {
            let report = try world.explain(2, .change(effect))
            if report.here.reason == .early { found = report }
            world.run(milliseconds: 2)
        }
        let report = try #require(found, "\(world.logs())")
        #expect(
            report.changes.map(\.waitsFor) == [[cause]]
                && report.changes[0].author?.device == world.nodes[1].device)
        #expect(report.here.message.contains("waits for \(cause), which "), "\(report)")
        let document = try world.explain(2, .document("effect"))
        if document.here.reason == .early {
            #expect(document.changes.map(\.change) == [effect] && document.peers.count == 2)
        }
        let isMended = world.run(within: 60_000) { world in
            (try? world.explain(2, .change(effect)))?.here.reason == .executed
        }
        #expect(isMended, "\(world.logs())")
    }

    @Test("a change of a closed branch is void, and its name in the log that it was written again in is told")
    func fork() throws {
        var world = World(seed: 915)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        _ = try world.write(1, "before", 1)
        let clone = world.addClone(of: 1)
        for index in [1, clone] { world.separate([index]) }
        world.run(milliseconds: 3)
        let first = try world.write(1, "left", 1)
        world.run(milliseconds: 3)
        _ = try world.write(clone, "right", 2)
        world.reunite()
        let isReissued = world.run(within: 600_000) { world in
            guard case .forks(let forks) = world.ask(0, .forks(SpaceReference("notes"))), !forks.isEmpty
            else {
                return false
            }
            return world.areEqual([0, 1, 2, clone], "notes")
                && String(decoding: world.export(0, "notes") ?? [], as: UTF8.self).contains("left")
        }
        #expect(isReissued, "\(world.logs())")
        world.run(milliseconds: 60_000)
        let report = try world.explain(1, .change(first))
        #expect(report.here.reason == .voidFork, "\(report)")
        let again = try #require(report.changes.first?.issuedAgainAs)
        #expect(report.here.message.contains("\(again)") && again.replica != first.replica)
        #expect(try world.explain(1, .change(again)).here.reason == .executed)
        // Peers are asked for what counts now.
        #expect(report.peers.contains { $0.whereabouts.reason == .held }, "\(report)")
        #expect(!report.peers.contains { $0.whereabouts.reason == .voidFork })
    }

    @Test("what is quarantined is not executed, and its document is shown without it")
    func quarantined() throws {
        var world = World(seed: 916)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.separate([1])
        let poison = try world.write(0, "poisoned", 1)
        world.poison(1, poison)
        world.reunite()
        for _ in 0..<2_000 {
            world.run(milliseconds: 50)
            if world.dieOfPoison(1) { world.start(1) }
        }
        let report = try world.explain(1, .change(poison))
        #expect(report.here.reason == .quarantined, "\(report) \(world.logs())")
        let document = try world.explain(1, .document("poisoned"))
        #expect(
            document.here.reason == .incomplete && document.changes.map(\.change) == [poison], "\(document)")
        #expect(try world.explain(0, .change(poison)).peers.map(\.whereabouts.reason) == [.held])
    }

    @Test("relays are sent nothing and may not ask; who left is told when it is asked for")
    func standings() throws {
        var world = World(seed: 917)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        world.addNode()
        let invited = world.invite(0, "notes", role: .relay)
        guard case .joined? = world.join(2, try #require(invited)) else {
            throw Unexpected(answer: world.logs())
        }
        let change = try world.write(0, "note", 1)
        world.run(milliseconds: 5_000)
        let report = try world.explain(0, .change(change))
        #expect(report.at(world.nodes[2])?.whereabouts.reason == .relay, "\(report)")
        let refused = world.ask(2, .explain(SpaceReference("notes"), .change(change), peer: nil))
        guard case .failed(.noRight)? = refused else { throw Unexpected(answer: "\(refused as Any)") }
        let unknown = world.ask(0, .explain(SpaceReference("none"), .change(change), peer: nil))
        guard case .failed(.noSuchSpace)? = unknown else { throw Unexpected(answer: "\(unknown as Any)") }
        _ = world.ask(1, .leaveSpace(SpaceReference("notes"), isForced: false))
        world.run(milliseconds: 10_000)
        let later = try world.write(0, "note", 2)
        let left = try world.explain(0, .change(later), peer: 1)
        #expect(left.peers.map(\.whereabouts.reason) == [.left], "\(left)")
        let all = try world.explain(0, .change(later))
        #expect(all.peers.map(\.device) == [world.nodes[2].device])
    }
}

// A member in wrong hands that keeps to the letter of the protocol: it names what nobody has, and asks small
// questions whose answers are large. Nobody may wait for it, and nothing may grow with what it says.

import Bytes
import Causality
import Crypto
import Identity
import Node
import Replication
import Roster
import SecureLink
import Simulator
import Testing
import Wire

private func madeUp(_ n: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: 1, low: n)) }

/// Logs that nobody wrote.
private func have(_ extent: HaveFrame.Extent, _ logs: Range<UInt64>) -> HaveFrame {
    HaveFrame(
        extent,
        logs.map { HaveFrame.Entry(replica: madeUp($0), last: SequenceNumber(1 << 40), fingerprint: $0) })
}

extension World {
    /// Nodes share "notes"; the last of them did until its keys were taken.
    fileprivate mutating func makeVictims(_ count: Int = 3) throws -> SpaceKeys {
        let isMade = makeSpace("notes", nodes: count + 1)
        #expect(isMade, "\(logs())")
        run(milliseconds: 2_000)
        let keys = try #require(try StrangerLink.keys(of: count, self))
        crash(count)
        return keys
    }
}

@Suite struct LyingPeerTests {
    @Test("a peer that names what it does not bring keeps nobody from being brought up to date by others")
    func bringsNothing() throws {
        var world = World(seed: 120)
        // Six others have links enough that bring them everything: none of them asks a newcomer.
        let honest = Array(0..<7)
        let keys = try world.makeVictims(7)
        world.crash(0)
        for index in 0..<40 { _ = world.increment(1 + index % 6, "notes", "count") }
        world.run(milliseconds: 10_000)
        world.separate([0])
        world.start(0)
        var dice = SeededGenerator(seed: 120)
        var link = StrangerLink(&world, as: 7, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        link.say(have(.full, 0..<1), &world)
        link.wait(3_000, &world)
        world.reunite()
        let isLevel = world.run(within: 20_000) { world in
            link.listen(&world)
            return world.areEqual(honest, "notes")
        }
        #expect(isLevel && !world.isClosed(link.connection), "\(world.logs())")
        // It goes on: what others write while it lies is there within a second or two.
        for round in 0..<5 as Range<UInt64> {
            link.say(have(.delta, round + 1..<round + 2), &world)
            _ = world.increment(1, "notes", "count")
            link.wait(400, &world)
        }
        let isStillLevel = world.run(within: 3_000) { world in
            link.listen(&world)
            return world.areEqual(honest, "notes")
        }
        #expect(isStillLevel && !world.isClosed(link.connection), "\(world.logs())")
        // Asked ever less often: at 0, 1, 3, 7, 15, 31 s and so on.
        let before = try #require(world.nodes[0].node?.linkMeasures.grafts)
        link.wait(60_000, &world)
        let after = try #require(world.nodes[0].node?.linkMeasures.grafts)
        #expect(after - before < 10 && !world.isClosed(link.connection), "\(after - before)")
    }

    @Test("what a peer said of logs that nobody wrote is bounded while it is linked, and gone after that")
    func bounded() throws {
        var world = World(seed: 121)
        let keys = try world.makeVictims()
        _ = world.increment(1, "notes", "count")
        world.run(milliseconds: 2_000)
        let honest = try #require(world.nodes[0].node?.heardEntryCount)
        var dice = SeededGenerator(seed: 121)
        var link = StrangerLink(&world, as: 3, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        link.say(have(.full, 0..<100), &world)
        link.say(have(.delta, 100..<200), &world)
        #expect((world.nodes[0].node?.heardEntryCount ?? 0) == honest + 400)
        // Segments in which nothing is signed name no log.
        let content = try #require(keys.current.content)
        let device = world.nodes[3].device
        for incarnation in 0..<20 as Range<UInt64> {
            let declaration = Change.Declaration(device: device, incarnation: incarnation)
            let replica = ReplicaID(space: keys.space, declaration: declaration)
            let run = Run(
                replica: replica, first: SequenceNumber(5), last: SequenceNumber(9), bytes: [1, 2, 3])
            let seal = Seal(
                replica: replica, last: SequenceNumber(9), chainHash: .zero,
                signature: world.nodes[3].deviceKey.sign([1]))
            let segment = Segment.seal(
                SealedRun(declaration: declaration, run: run, seals: [seal]), in: keys.space,
                contentKey: content, nonce: (0..<24).map { UInt8($0) + UInt8(incarnation) })
            link.say(LinkFrame(type: FrameType.segment.rawValue, channel: 0, body: segment.encoded()), &world)
        }
        #expect((world.nodes[0].node?.heardEntryCount ?? 0) == honest + 400)
        #expect(!world.isClosed(link.connection))
        // Over the bound it is a fault; 3 MiB a HAVE, so two of them say it.
        link.say(have(.delta, 200..<70_000), &world)
        #expect(!world.isClosed(link.connection))
        link.say(have(.delta, 70_000..<140_000), &world)
        #expect(world.isClosed(link.connection), "\(world.logs())")
        #expect((world.nodes[0].node?.heardEntryCount ?? .max) <= honest + 2)
    }

    @Test("of many questions for the roster in one piece one is answered, and the last one soon after")
    func rosterQuestions() throws {
        var world = World(seed: 122)
        let keys = try world.makeVictims()
        var dice = SeededGenerator(seed: 122)
        var link = StrangerLink(&world, as: 3, keys, &dice)
        let empty = RosterHaveFrame(heads: [], summary: [])
        link.say(empty, &world)
        let first = link.take(.rosterOperations).count
        #expect(first == 1)
        link.say(empty, times: 1_000, &world)
        let burst = link.take(.rosterOperations).count
        #expect(burst < 8, "\(burst)")
        link.wait(2_000, &world)
        let late = link.take(.rosterOperations).count
        #expect(late == 1, "\(late)")
        #expect(!world.isClosed(link.connection))
    }

    @Test("lists of forks are asked for and answered once a channel")
    func forkLists() throws {
        var world = World(seed: 123)
        let keys = try world.makeVictims()
        _ = world.increment(1, "notes", "count")
        let clone = world.addClone(of: 1)
        for index in [1, clone] { world.separate([index]) }
        for index in [1, clone] {
            world.run(milliseconds: 5)
            _ = world.increment(index, "notes", "count")
        }
        world.reunite()
        let isTold = world.run(within: 60_000) { $0.alarms(0).contains("fork") }
        #expect(isTold, "\(world.logs())")
        var dice = SeededGenerator(seed: 123)
        var link = StrangerLink(&world, as: 3, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        _ = link.take(.forks)
        let other = Bytes32([UInt8](repeating: 7, count: 32))
        link.say(ForksFrame(hash: other, entries: nil), times: 100, &world)
        let lists = link.take(.forks).count
        link.say(ForksFrame(hash: other, entries: []), times: 100, &world)
        let proofs = link.take(.forkProof).count
        #expect(lists == 1 && proofs == 1, "\(lists) lists, \(proofs) proofs")
        #expect(!world.isClosed(link.connection))
    }

    @Test("each step of a search for a document that differs is taken once for a digest")
    func digestSteps() throws {
        var world = World(seed: 124)
        let keys = try world.makeVictims()
        _ = world.increment(1, "notes", "count")
        world.run(milliseconds: 2_000)
        var dice = SeededGenerator(seed: 124)
        var link = StrangerLink(&world, as: 3, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        // The fingerprints are those of this link: what the node says of itself makes us level.
        let theirs = try #require(link.take(.have).first)
        link.say(theirs, &world)
        link.wait(4_000, &world)
        let digest = try #require(link.take(.digest).first)
        let mine = try DigestFrame(decoding: digest.body)
        let other = Bytes32([UInt8](repeating: 7, count: 32))
        let differing = DigestFrame(
            vectorHash: mine.vectorHash, rosterHash: mine.rosterHash, exceptionsHash: mine.exceptionsHash,
            documentsDigest: other)
        link.say(differing, times: 50, &world)
        let parts = link.take(.digestParts).count
        link.say(DigestPartsFrame(of: other, parts: [UInt64](repeating: 7, count: 256)), times: 50, &world)
        let documents = link.take(.digestDocuments).count
        #expect(parts == 1 && documents == 1, "\(parts) parts, \(documents) documents")
        #expect(!world.isClosed(link.connection), "\(world.logs())")
    }

    @Test("a proof of an invite is answered once on a link, whatever its answer costs")
    func proofs() throws {
        var world = World(seed: 125)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        let joiner = world.addNode()
        world.crash(joiner)
        let text = world.invite(0, "notes") ?? ""
        let keys = try #require(try StrangerLink.keys(of: 0, world))
        let token = try InviteToken(text)
        var dice = SeededGenerator(seed: 125)
        var link = StrangerLink(&world, as: joiner, keys, invite: token.secret, &dice)
        let key = world.nodes[joiner].deviceKey
        let box = AgreementKey(secret: Secret(copying: [UInt8](repeating: 9, count: 32)))
        let joining = Joining(token: token, device: world.nodes[joiner].device, boxKey: box)
        let hash = try #require(link.secure.established?.handshakeHash)
        let name = try #require(DeviceName("again"))
        let proof = joining.proof(name: name, addresses: [], handshakeHash: hash, by: key)
        link.say(JoinProofFrame(body: proof.encoded()), times: 20, &world)
        let answers = link.take(.joinAnswer).count
        #expect(answers == 1 && world.isClosed(link.connection), "\(answers)")
    }
}

// What WIRE.md calls a fault, a suspicion and nothing at all ("Faults", "Segments"), said by a member on a
// real link: a fault closes it, a suspicion raises an alarm, everything else leaves it as it is.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Replication
import Roster
import SecureLink
import Simulator
import Testing
import Wire

/// The keys of a member that does not run.
private struct Liar {
    let space: SpaceID
    let device: SigningKey
    let content: Secret
    let heads: [Bytes32]

    init(_ world: World, as member: Int) throws {
        let disk = world.diskCopy(member)
        let record = try #require(try disk.spaces().first)
        space = record.id
        content = try #require(try SpaceKeys(decoding: record.keys, of: record.id).current.content)
        device = world.nodes[member].deviceKey
        let stored = try disk.rosterOperations(record.id)
        var roster = try Roster(genesis: RosterOperation(decoding: try #require(stored.first)))
        for bytes in stored.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
        heads = roster.heads
    }

    func log(_ incarnation: UInt64) -> LogState {
        LogState(
            space: space,
            declaration: .init(device: DeviceID(publicKey: device.publicKey), incarnation: incarnation))
    }

    /// One sealed change that adds a document.
    func write(_ name: Key, to log: inout LogState, heads: [Bytes32]? = nil) throws -> SealedRun {
        let first = log.next
        let operation = Operation(
            document: name, body: .act(in: ContainerPath(generation: .first), .make))
        let change = try log.author(
            timestamp: log.nextTimestamp(wall: 1_700_000_000_000), context: VersionVector(),
            rosterHeads: heads ?? self.heads, operations: [operation])
        return SealedRun(
            declaration: log.declaration,
            run: Run(replica: log.replica, first: first, last: log.last, bytes: change.bytes),
            seals: log.seal(with: device))
    }

    func segment(_ run: SealedRun, key: Secret? = nil) -> Segment {
        Segment.seal(
            run, in: space, contentKey: key ?? content,
            nonce: [UInt8](repeating: UInt8(run.run.bytes.count & 255), count: 24))
    }

    /// The same with seals that the author did not make.
    func forged(_ run: SealedRun) -> SealedRun {
        SealedRun(
            declaration: run.declaration, run: run.run,
            seals: run.seals.map {
                Seal(
                    replica: $0.replica, last: $0.last, chainHash: $0.chainHash,
                    signature: Signature([UInt8](repeating: 1, count: 64)))
            })
    }

    /// A log of one change, and a run behind it that its author sealed and that is no change.
    func spoiledLog(_ incarnation: UInt64) throws -> (good: SealedRun, bad: SealedRun) {
        var log = log(incarnation)
        let good = try write("sane", to: &log)
        let nonsense: [UInt8] = [3, 0xFF, 0xFF, 0xFF]
        var chain = Chain()
        chain.append(good.run.bytes)
        chain.append(nonsense)
        let last = log.last + 1
        var writer = ByteWriter(reserving: 112)
        writer.raw("repld seal v1\0".utf8)
        space.raw.encode(into: &writer)
        log.replica.raw.encode(into: &writer)
        writer.u64(last.value)
        chain.current.encode(into: &writer)
        let seal = Seal(
            replica: log.replica, last: last, chainHash: chain.current, signature: device.sign(writer.bytes))
        let run = Run(replica: log.replica, first: last, last: last, bytes: nonsense)
        return (good, SealedRun(declaration: log.declaration, run: run, seals: [seal]))
    }

    /// Other changes than those that are written to `log`, of the same log.
    func branches() throws -> (shared: SealedRun, mine: SealedRun, other: SealedRun) {
        var (one, shared) = (log(5), log(5))
        let trunk = try write("trunk", to: &one)
        _ = try write("trunk", to: &shared)
        return (trunk, try write("mine", to: &one), try write("other", to: &shared))
    }
}

private func frame(_ type: FrameType, _ body: [UInt8], on channel: UInt16 = 0) -> LinkFrame {
    LinkFrame(type: type.rawValue, channel: channel, body: body)
}

private func frame(_ body: some FrameBody) -> LinkFrame {
    LinkFrame(type: type(of: body).type.rawValue, channel: 0, body: body.encoded())
}

private func frame(_ segment: Segment) -> LinkFrame { frame(.segment, segment.encoded()) }

/// What is said, and what follows.
struct SaidFrames: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        case fault, dropped, suspicion
    }

    let testDescription: String
    let outcome: Outcome
    fileprivate let frames: @Sendable (Liar) throws -> [LinkFrame]

    fileprivate init(
        _ name: String, _ outcome: Outcome, _ frames: @escaping @Sendable (Liar) throws -> [LinkFrame]
    ) {
        (testDescription, self.outcome, self.frames) = (name, outcome, frames)
    }

    private static let someLog = ReplicaID(raw: Bytes16(high: 7, low: 7))
    private static let strangeKey = Secret(copying: [UInt8](repeating: 0x77, count: 32))

    static let faults: [SaidFrames] = [
        SaidFrames("RECEIVED of more than was sent", .fault) { _ in [frame(ReceivedFrame(bytes: 1 << 40))] },
        SaidFrames("a PONG of another length", .fault) { _ in [LinkFrame(type: LinkFrame.pong, body: [])] },
        SaidFrames("OPEN on channel 0", .fault) { _ in
            [LinkFrame(type: 4, body: [UInt8](repeating: 0, count: 32))]
        },
        SaidFrames("OPEN on a channel of the responder's", .fault) { _ in
            [LinkFrame(type: 4, channel: 3, body: [UInt8](repeating: 0, count: 32))]
        },
        SaidFrames("a HAVE delta before a full one", .fault) { _ in [frame(HaveFrame(.delta, []))] },
        SaidFrames("a segment that is none", .fault) { _ in [frame(.segment, [1, 2, 3])] },
        SaidFrames("a roster operation that is none", .fault) { _ in
            [frame(RosterOperationsFrame(operations: [[1, 2, 3]]))]
        },
        SaidFrames("FORK_PROOF of one run", .fault) { liar in
            var log = liar.log(5)
            let segment = liar.segment(try liar.write("a", to: &log))
            return [frame(.forkProof, ForkProofFrame(baseHash: .zero, segment, segment).encoded())]
        },
        SaidFrames("FORK_PROOF whose seals do not hold", .fault) { liar in
            let (_, mine, other) = try liar.branches()
            let segments = [liar.segment(liar.forged(mine)), liar.segment(other)]
            return [frame(.forkProof, ForkProofFrame(baseHash: .zero, segments[0], segments[1]).encoded())]
        },
        SaidFrames("FORK_RUN of a held log that does not verify", .fault) { liar in
            var log = liar.log(5)
            let run = try liar.write("a", to: &log)
            let forged = liar.segment(liar.forged(run))
            return [
                frame(liar.segment(run)),
                frame(.forkRun, ForkRunFrame(.comparison, baseHash: .zero, segment: forged).encoded()),
            ]
        },
        SaidFrames("a seal that the author did not make", .fault) { liar in
            var log = liar.log(5)
            return [frame(liar.segment(liar.forged(try liar.write("a", to: &log))))]
        },
        SaidFrames("a change whose section names no roster heads", .fault) { liar in
            var log = liar.log(5)
            return [frame(liar.segment(try liar.write("a", to: &log, heads: [])))]
        },
        SaidFrames("a held log with other bytes under a seal that is not the author's", .fault) { liar in
            let (trunk, mine, other) = try liar.branches()
            return [trunk, mine, liar.forged(other)].map { frame(liar.segment($0)) }
        },
    ]

    static let others: [SaidFrames] = [
        SaidFrames("JOIN_PROOF and JOIN_ANSWER on a mesh link", .dropped) { _ in
            [frame(.joinProof, [255]), frame(.joinAnswer, [255])]
        },
        SaidFrames("a PONG of a token that nobody sent", .dropped) { _ in
            [LinkFrame(type: LinkFrame.pong, body: [UInt8](repeating: 9, count: 16))]
        },
        SaidFrames("OPEN of no space that is here, and a frame on its channel", .dropped) { _ in
            [
                LinkFrame(type: 4, channel: 2, body: [UInt8](repeating: 0, count: 32)),
                frame(.have, [255], on: 2),
            ]
        },
        SaidFrames("frames of unknown types", .dropped) { _ in
            [23, 31, 255].map { LinkFrame(type: $0, body: [255]) }
        },
        SaidFrames("parts and documents of a digest that was not sent", .dropped) { _ in
            [
                frame(DigestPartsFrame(of: .zero, parts: [UInt64](repeating: 7, count: 256))),
                frame(DigestDocumentsFrame(of: .zero, part: 3, lines: [])),
            ]
        },
        SaidFrames("FORK_ASK for another device's log", .dropped) { _ in
            [frame(ForkAskFrame(replica: someLog, first: SequenceNumber(3), from: SequenceNumber(9)))]
        },
        SaidFrames("FORK_RUN that nobody asked for, of a log that nobody holds", .dropped) { liar in
            var log = liar.log(5)
            let segment = liar.segment(try liar.write("a", to: &log))
            return [
                frame(.forkRun, ForkRunFrame(.branch, baseHash: .zero, segment: segment).encoded()),
                frame(.forkRun, ForkRunFrame(.comparison, baseHash: .zero, segment: segment).encoded()),
            ]
        },
        SaidFrames("FORK_RUN in which nothing differs", .dropped) { liar in
            var log = liar.log(5)
            let segment = liar.segment(try liar.write("a", to: &log))
            let run = ForkRunFrame(.comparison, baseHash: .zero, segment: segment)
            return [frame(segment), frame(.forkRun, run.encoded())]
        },
        SaidFrames("segment, FORK_RUN and FORK_PROOF under an unknown key", .dropped) { liar in
            let (trunk, mine, other) = try liar.branches()
            let segments = [trunk, mine, other].map { liar.segment($0, key: strangeKey) }
            return [
                frame(segments[0]),
                frame(.forkRun, ForkRunFrame(.branch, baseHash: .zero, segment: segments[1]).encoded()),
                frame(.forkProof, ForkProofFrame(baseHash: .zero, segments[1], segments[2]).encoded()),
            ]
        },
        SaidFrames("a segment that does not begin at the head", .dropped) { liar in
            let (_, mine, _) = try liar.branches()
            return [frame(liar.segment(mine))]
        },
        SaidFrames("a segment twice", .dropped) { liar in
            var log = liar.log(5)
            let segment = frame(liar.segment(try liar.write("a", to: &log)))
            return [segment, segment]
        },
        SaidFrames("words about views in a small space, and the greatest BACKLOG", .dropped) { liar in
            let device = DeviceID(publicKey: liar.device.publicKey)
            return [
                frame(NeighbourFrame(links: 3, isNeeded: true)),
                frame(WalkFrame(stops: 6, device: device, addresses: [])), frame(BacklogFrame(changes: .max)),
                frame(GraftFrame([someLog])), frame(PruneFrame([someLog])),
            ]
        },
        SaidFrames("a held log with other bytes under the author's seal", .suspicion) { liar in
            let (trunk, mine, other) = try liar.branches()
            return [trunk, mine, other].map { frame(liar.segment($0)) }
        },
    ]
}

@Suite struct FaultTableTests {
    @Test("a fault closes the link, anything else does not", arguments: SaidFrames.faults + SaidFrames.others)
    func table(said: SaidFrames) throws {
        var world = World(seed: 140)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        // What each says of itself in the roster is everywhere.
        world.run(milliseconds: 2_000)
        let keys = try #require(try StrangerLink.keys(of: 2, world))
        let liar = try Liar(world, as: 2)
        world.crash(2)
        var dice = SeededGenerator(seed: 140)
        var link = StrangerLink(&world, as: 2, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        for frame in try said.frames(liar) {
            link.say(frame, &world)
            link.wait(200, &world)
        }
        #expect(world.isClosed(link.connection) == (said.outcome == .fault), "\(world.logs())")
        let isSuspected = world.alarms(0).contains { $0.hasPrefix("fork") }
        #expect(isSuspected == (said.outcome == .suspicion), "\(world.alarms(0))")
        #expect(world.nodes[0].log.contains { $0.contains("broke the protocol") } == (said.outcome == .fault))
    }

    @Test(
        "what an author sealed and is no change counts against it once a log, and against who could read it")
    func spoiled() throws {
        var world = World(seed: 141)
        let isMade = world.makeSpace("notes", nodes: 4)
        #expect(isMade, "\(world.logs())")
        let relay = world.addNode()
        guard let token = world.invite(0, "notes", role: .relay), case .joined = world.join(relay, token)
        else {
            Issue.record("no relay: \(world.logs())")
            return
        }
        world.run(milliseconds: 2_000)
        let (author, carrier) = (2, 3)
        let keys = try #require(try StrangerLink.keys(of: author, world))
        let liar = try Liar(world, as: author)
        for node in [author, carrier, relay] { world.crash(node) }
        var dice = SeededGenerator(seed: 141)
        // Three logs: what stands, and the nonsense behind it.
        let logs = try (0..<3).map { try liar.spoiledLog(UInt64(5 + $0)) }
        var link = StrangerLink(&world, as: relay, keys, &dice)
        link.say(RosterHaveFrame(heads: [], summary: []), &world)
        for (good, bad) in logs + logs {
            for run in [good, bad] {
                link.say(frame(liar.segment(run)), &world)
                link.wait(200, &world)
            }
        }
        #expect(!world.isClosed(link.connection), "who cannot read it is not blamed: \(world.logs())")
        let told = world.nodes[0].log.filter { $0.contains("sealed what is no change behind log") }
        #expect(told.count == 3 && told.allSatisfy { $0.contains("in what it signed") }, "\(told)")
        #expect(told.count { $0.contains("the device is refused") } == 1, "\(told)")
        // The author is refused: its handshake leads to nothing.
        let refused = StrangerLink(&world, as: author, keys, &dice)
        world.run(milliseconds: 200)
        #expect(world.isClosed(refused.connection))
        // A member that reads is blamed for passing it on, and the author not again.
        var other = StrangerLink(&world, as: carrier, keys, &dice)
        other.say(RosterHaveFrame(heads: [], summary: []), &world)
        other.say(frame(liar.segment(logs[0].bad)), &world)
        other.wait(200, &world)
        #expect(world.isClosed(other.connection), "\(world.logs())")
        let later = world.nodes[0].log.filter {
            $0.contains("broke the protocol") && $0.contains("sealed what is no change behind log")
        }
        #expect(later.count == 4, "\(later)")
        #expect(later.last?.contains("broke the protocol (segment: ") == true, "\(later)")
    }
}

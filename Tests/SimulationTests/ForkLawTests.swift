// A member that says two things. Whatever it says to whom, and in whatever order a node hears of branches, of
// changes made on them and of the proof, honest nodes end in one state.

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

/// A compromised member: its keys in the hands of the test, linked to one node.
private struct Equivocator {
    let space: SpaceID
    let keys: SpaceKeys
    let device: SigningKey
    let heads: [Bytes32]
    private var dice: SeededGenerator

    init(_ world: World, as member: Int) throws {
        let disk = world.diskCopy(member)
        let record = try #require(try disk.spaces().first)
        space = record.id
        keys = try SpaceKeys(decoding: record.keys, of: record.id)
        device = world.nodes[member].deviceKey
        let stored = try disk.rosterOperations(record.id)
        var roster = try Roster(genesis: RosterOperation(decoding: try #require(stored.first)))
        for bytes in stored.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
        heads = roster.heads
        dice = SeededGenerator(seed: 99)
    }

    mutating func secret() -> Secret {
        Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
    }

    func log(_ incarnation: UInt64) -> LogState {
        LogState(
            space: space,
            declaration: .init(device: DeviceID(publicKey: device.publicKey), incarnation: incarnation))
    }

    /// Writes text into `note` after a dot, as one sealed change of a log.
    func type(
        _ text: String, after left: Dot?, on context: VersionVector = VersionVector(), to log: inout LogState
    ) throws -> SealedRun {
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
        let first = log.next
        let change = try log.author(
            timestamp: log.nextTimestamp(wall: 1_700_000_000_000), context: context, rosterHeads: heads,
            operations: [
                Operation(document: "note", body: .act(in: path, .insertText(left: left, right: nil, text)))
            ])
        return SealedRun(
            declaration: log.declaration,
            run: Run(replica: log.replica, first: first, last: log.last, bytes: change.bytes),
            seals: log.seal(with: device))
    }

    mutating func segment(_ run: SealedRun) throws -> LinkFrame {
        LinkFrame(
            type: FrameType.segment.rawValue, channel: 0, body: try sealed(run).encoded())
    }

    mutating func proof(_ a: SealedRun, _ b: SealedRun) throws -> LinkFrame {
        let body = ForkProofFrame(baseHash: .zero, try sealed(a), try sealed(b)).encoded()
        return LinkFrame(type: FrameType.forkProof.rawValue, channel: 0, body: body)
    }

    private mutating func sealed(_ run: SealedRun) throws -> Segment {
        let content = try #require(keys.current.content)
        let nonce = (0..<24).map { _ in UInt8.random(in: 0...255, using: &dice) }
        return Segment.seal(run, in: space, contentKey: content, nonce: nonce)
    }

    /// Says frames to a node on a link of its own, which is closed then.
    mutating func say(_ frames: [LinkFrame], to node: Int, _ world: inout World) throws {
        let candidate = PSKCandidate(
            space: space, use: .mesh(epoch: 1), psk: LinkKeys.meshPSK(keys.current.access), rosterHash: .zero)
        let identity = LinkIdentity(
            key: device, instance: dice.next(), staticKey: AgreementKey(secret: secret()))
        var link = SecureLink(
            initiating: candidate, identity: identity, ephemeral: secret(), at: world.now)
        let connection = world.connectStranger(to: node)
        var replays = ReplayGuard()
        func send(_ outputs: [LinkOutput]) {
            for case .send(let bytes) in outputs { world.sendAsStranger(connection, bytes) }
        }
        send(link.start())
        for _ in 0..<4 { send(link.receive(world.takeHeard(connection), replays: &replays, at: world.now)) }
        try #require(link.established != nil)
        for frame in frames { world.sendAsStranger(connection, link.send(frame)) }
        #expect(!world.isClosed(connection), "\(world.logs())")
        world.run(milliseconds: 100)
    }
}

/// The runs of a log as one: what a proof is made of.
private func joined(_ runs: [SealedRun]) -> SealedRun {
    SealedRun(
        declaration: runs[0].declaration,
        run: Run(
            replica: runs[0].replica, first: runs[0].run.first, last: runs[runs.count - 1].run.last,
            bytes: runs.flatMap(\.run.bytes)),
        seals: runs.flatMap(\.seals))
}

@Suite struct ForkLawTests {
    @Test("a branch, its proof, and changes made on it give one state in every order of arrival")
    func orders() throws {
        var states: Set<String> = []
        for (number, order) in permutations(of: [0, 1, 2, 3]).enumerated() {
            var world = World(seed: 80)
            let isMade = world.makeSpace("notes", nodes: 2)
            #expect(isMade)
            _ = world.splice(0, "notes", "note", at: 0, "zz")
            let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
            #expect(isLevel)
            var member = try Equivocator(world, as: 1)
            world.crash(1)
            // trunk "abc", then "d" on one branch and "xy" on the other.
            var one = member.log(1)
            let trunk = try member.type("abc", after: nil, to: &one)
            var two = one
            let left = try member.type("d", after: Dot(one.replica, one.last), to: &one)
            let right = try member.type("xy", after: Dot(two.replica, two.last), to: &two)
            // Another log of it goes on in the first branch, and one of it in the trunk.
            let context = VersionVector([.init(one.replica, one.last)])
            var third = member.log(2)
            let onVoid = try member.type("e", after: Dot(one.replica, one.last), on: context, to: &third)
            var fourth = member.log(3)
            let early = VersionVector([.init(one.replica, SequenceNumber(3))])
            let onTrunk = try member.type(
                "f", after: Dot(one.replica, SequenceNumber(2)), on: early, to: &fourth)
            let frames = [
                try member.segment(trunk), try member.segment(left),
                try member.proof(joined([trunk, left]), joined([trunk, right])), try member.segment(onVoid),
                try member.segment(onTrunk),
            ]
            var said = order.map { frames[$0] }
            said.insert(frames[4], at: number % 5)
            try member.say(said, to: 0, &world)
            // What came before what it continues was dropped; a sender sends it again.
            try member.say(frames, to: 0, &world)
            states.insert(String(decoding: world.export(0, "notes") ?? [], as: UTF8.self))
            // And the node comes to the same after a restart.
            world.crash(0)
            world.start(0)
            states.insert(String(decoding: world.export(0, "notes") ?? [], as: UTF8.self))
        }
        #expect(states.count == 1, "\(states)")
        let text = try #require(states.first)
        #expect(text.contains("\"abcfezz\""), "\(text)")
    }

    @Test("a member that only says it holds more of a node's log makes it begin another once")
    func claims() throws {
        var world = World(seed: 82)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade)
        _ = world.increment(0, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        var member = try Equivocator(world, as: 2)
        world.crash(2)
        let victim = DeviceID(publicKey: world.nodes[0].deviceKey.publicKey)
        for round in 0..<8 {
            let record = try #require(try world.diskCopy(0).spaces().first)
            let log = ReplicaID(
                space: record.id,
                declaration: .init(device: victim, incarnation: record.incarnation ?? 0))
            let held = try world.diskCopy(0).heads(record.id)[log]
            // More than there is, and other bytes than there are.
            let last = round % 2 == 0 ? SequenceNumber(held.value + 50) : held
            let entries = held > .none ? [HaveFrame.Entry(replica: log, last: last, fingerprint: 7)] : []
            try member.say(
                [
                    LinkFrame(
                        type: FrameType.have.rawValue, channel: 0, body: HaveFrame(.full, entries).encoded())
                ], to: 0, &world)
            let isWritten = world.increment(0, "notes", "count")
            #expect(isWritten)
        }
        let heads = try world.diskCopy(0).heads(member.space)
        #expect(heads.count <= 2, "\(heads.count) logs after eight lies")
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        let text = String(decoding: world.export(1, "notes") ?? [], as: UTF8.self)
        #expect(done && text.contains(#""n":9}"#), "\(text) \(world.logs())")
    }

    @Test("a member that tells two nodes different things is found out, and they are equal again")
    func equivocation() throws {
        var world = World(seed: 81)
        let isMade = world.makeSpace("notes", nodes: 4)
        #expect(isMade, "\(world.logs())")
        _ = world.increment(1, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2, 3], "notes") }
        #expect(isLevel)
        var member = try Equivocator(world, as: 3)
        world.crash(3)
        world.separate([0])
        var one = member.log(1)
        let trunk = try member.type("trunk ", after: nil, to: &one)
        var two = one
        var (left, right) = ([trunk], [trunk])
        for round in 0..<5 {
            left.append(try member.type("l\(round)", after: nil, to: &one))
            right.append(try member.type("r\(round)", after: nil, to: &two))
        }
        let frames = (try left.map { try member.segment($0) }, try right.map { try member.segment($0) })
        try member.say(frames.0, to: 0, &world)
        try member.say(frames.1, to: 1, &world)
        // Both sides write on what they saw.
        _ = world.splice(0, "notes", "note", at: 3, "zero")
        _ = world.splice(2, "notes", "note", at: 3, "two")
        world.run(milliseconds: 2_000)
        let before = (0..<3).map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self) }
        #expect(before[0].contains("l4") && before[1].contains("r4"), "\(before)")
        world.reunite()
        let done = world.run(within: 120_000) { world in
            world.areEqual([0, 1, 2], "notes")
                && (0..<3).allSatisfy { index in world.alarms(index).contains("fork") }
        }
        let after = (0..<3).map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self) }
        #expect(done, "\(after) \(world.logs())")
        // They wrote inside the word; the branches are gone from it.
        #expect(after[0].contains("\"truzerotwonk \""), "\(after)")
        // Nodes that know the same say nothing more: their digests are compared and equal.
        world.run(milliseconds: 30_000)
        for index in 0..<3 {
            let alarms = world.alarms(index)
            #expect(!alarms.contains("digest-differs") && !alarms.contains("fork-suspicion"), "\(alarms)")
        }
    }
}

private func permutations(of items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index -> [[Int]] in
        var rest = items
        let first = rest.remove(at: index)
        return permutations(of: rest).map { [first] + $0 }
    }
}

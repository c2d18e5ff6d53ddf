// Whoever holds a space's access secret, as a relay or a removed device does, can make any number of devices
// that no roster lists. They get roster frames for a moment, and nothing that listed members need.

import Bytes
import Causality
import Crypto
import Node
import Roster
import SecureLink
import Simulator
import Testing
import Wire

/// A link of any device under a space's key, that the test speaks on.
private struct StrangersLink {
    var secure: SecureLink
    var replays = ReplayGuard()
    let connection: UInt64

    init(
        _ world: inout World, to node: Int, as key: SigningKey, _ keys: SpaceKeys, clock: Instant,
        _ dice: inout SeededGenerator
    ) {
        let candidate = PSKCandidate(
            space: keys.space, use: .mesh(epoch: 1), psk: LinkKeys.meshPSK(keys.current.access),
            rosterHash: .zero)
        let identity = LinkIdentity(
            key: key, instance: dice.next(), staticKey: AgreementKey(secret: Self.secret(&dice)))
        secure = SecureLink(
            initiating: candidate, identity: identity, ephemeral: Self.secret(&dice), at: clock)
        connection = world.connectStranger(to: node)
        take(secure.start(), &world)
        for _ in 0..<4 {
            take(secure.receive(world.takeHeard(connection), replays: &replays, at: clock), &world)
        }
    }

    mutating func take(_ outputs: [LinkOutput], _ world: inout World) {
        for case .send(let bytes) in outputs { world.sendAsStranger(connection, bytes) }
    }

    static func secret(_ dice: inout SeededGenerator) -> Secret {
        Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
    }
}

@Suite struct StrangerTests {
    /// Two members that are linked, one that is away, and the keys of their space.
    private func makeWorld(_ seed: UInt64) throws -> (World, SpaceKeys) {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.run(milliseconds: 2_000)
        let record = try #require(try world.diskCopy(2).spaces().first)
        world.crash(2)
        world.run(milliseconds: 1_000)
        return (world, try SpaceKeys(decoding: record.keys, of: record.id))
    }

    @Test("more made-up devices than there are links take no listed member's link, and leave no alarm")
    func linksAndAlarms() throws {
        let (made, keys) = try makeWorld(70)
        var world = made
        var dice = SeededGenerator(seed: 70)
        let far = Instant(monotonic: world.now.monotonic, wall: world.now.wall + 3_600_000)
        var strangers: [UInt64] = []
        for _ in 0..<260 {
            let key = SigningKey(seed: StrangersLink.secret(&dice))
            let link = StrangersLink(&world, to: 0, as: key, keys, clock: far, &dice)
            #expect(link.secure.established != nil)
            strangers.append(link.connection)
        }
        let open = strangers.filter { !world.isClosed($0) }
        #expect(open == strangers.suffix(16))
        #expect(world.alarms(0).isEmpty)
        // A listed device finds its room, and its clock is compared.
        let member = StrangersLink(
            &world, to: 0, as: world.nodes[2].deviceKey, keys, clock: far, &dice)
        #expect(member.secure.established != nil && !world.isClosed(member.connection))
        #expect(world.alarms(0) == ["clock-far"])
        let isWritten = world.increment(1, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isWritten && isLevel, "\(world.logs())")
        world.run(milliseconds: 31_000)
        let left = strangers.count { !world.isClosed($0) }
        #expect(left == 0)
    }

    @Test("a frame that never ends costs a megabyte from a device that no roster lists, and then its link")
    func endlessFragments() throws {
        let (made, keys) = try makeWorld(71)
        var world = made
        var dice = SeededGenerator(seed: 71)
        let key = SigningKey(seed: StrangersLink.secret(&dice))
        var link = StrangersLink(&world, to: 0, as: key, keys, clock: world.now, &dice)
        let frame = LinkFrame(
            type: FrameType.rosterOperations.rawValue, channel: 0, body: [UInt8](repeating: 7, count: 4 << 20)
        )
        let records = link.secure.send(frame)
        var sent = 0
        while sent < records.count, !world.isClosed(link.connection) {
            let end = min(records.count, sent + 65_536)
            world.sendAsStranger(link.connection, Array(records[sent..<end]))
            sent = end
        }
        #expect(sent > 1 << 20 && sent < (1 << 20) + 4 * 65_536)
        // A listed one may send as much as a frame holds.
        var member = StrangersLink(
            &world, to: 0, as: world.nodes[2].deviceKey, keys, clock: world.now, &dice)
        let whole = member.secure.send(frame)
        world.sendAsStranger(member.connection, Array(whole.prefix(3 << 20)))
        #expect(!world.isClosed(member.connection))
    }
}

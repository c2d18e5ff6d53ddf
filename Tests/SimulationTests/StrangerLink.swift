// A link on which a test speaks with a member's keys: a real handshake, then whatever the test wants to say,
// and what the node answered.

import Bytes
import Causality
import Crypto
import Node
import Roster
import SecureLink
import Simulator
import Wire

/// A link to a node as the device of a member that does not run.
struct StrangerLink {
    private(set) var secure: SecureLink
    private var replays = ReplayGuard()
    let connection: UInt64
    /// Frames that arrived, until they are taken.
    private var heard: [LinkFrame] = []

    /// Shakes hands as the device of `member`, under the key of the space or of an invite.
    init(
        _ world: inout World, as member: Int, to node: Int = 0, _ keys: SpaceKeys,
        invite: InviteSecret? = nil,
        _ dice: inout SeededGenerator
    ) {
        func secret(_ dice: inout SeededGenerator) -> Secret {
            Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }
        let candidate = PSKCandidate(
            space: keys.space, use: invite.map { .join(invite: $0.id.raw) } ?? .mesh(epoch: 1),
            psk: invite?.joinPresharedKey() ?? LinkKeys.meshPSK(keys.current.access), rosterHash: .zero)
        let identity = LinkIdentity(
            key: world.nodes[member].deviceKey, instance: dice.next(),
            staticKey: AgreementKey(secret: secret(&dice)))
        secure = SecureLink(
            initiating: candidate, identity: identity, ephemeral: secret(&dice), at: world.now)
        connection = world.connectStranger(to: node)
        take(secure.start(), &world)
        for _ in 0..<4 { listen(&world) }
    }

    /// What a member that is gone knows: the keys on its disk.
    static func keys(of member: Int, _ world: World) throws -> SpaceKeys? {
        try world.diskCopy(member).spaces().first.map { try SpaceKeys(decoding: $0.keys, of: $0.id) }
    }

    private mutating func take(_ outputs: [LinkOutput], _ world: inout World) {
        for output in outputs {
            switch output {
            case .send(let bytes): world.sendAsStranger(connection, bytes)
            case .frame(let frame): heard.append(frame)
            default: break
            }
        }
    }

    /// Takes in what the node sent, and answers its signs of life.
    mutating func listen(_ world: inout World) {
        take(secure.receive(world.takeHeard(connection), replays: &replays, at: world.now), &world)
    }

    mutating func say(_ frame: LinkFrame, _ world: inout World) { say([frame], &world) }

    /// All of it in one piece.
    mutating func say(_ frames: [LinkFrame], _ world: inout World) {
        guard secure.established != nil else { return }
        world.sendAsStranger(connection, secure.send(frames))
        listen(&world)
    }

    mutating func say(_ body: some FrameBody, times: Int = 1, _ world: inout World) {
        let frame = LinkFrame(type: type(of: body).type.rawValue, channel: 0, body: body.encoded())
        say([LinkFrame](repeating: frame, count: times), &world)
    }

    /// Lets time pass on a link that stays alive.
    mutating func wait(_ milliseconds: UInt64, _ world: inout World) {
        for _ in 0..<milliseconds / 200 {
            world.run(milliseconds: 200)
            listen(&world)
        }
    }

    /// The frames of a type that arrived since they were taken last.
    mutating func take(_ type: FrameType) -> [LinkFrame] {
        let taken = heard.filter { $0.type == type.rawValue }
        heard.removeAll { $0.type == type.rawValue }
        return taken
    }
}

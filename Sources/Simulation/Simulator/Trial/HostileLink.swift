// A link of a member whose keys are in wrong hands: a real handshake, then whatever the trial wants to say.
// It listens too: what honest nodes send is looked at for nonces that were used before.

import Bytes
import Causality
import Crypto
import Node
import Roster
import SecureLink
import Wire

/// One connection from a hostile member to a node.
struct HostileLink {
    private var secure: SecureLink
    private let wall: UInt64?
    private var replays = ReplayGuard()
    let connection: UInt64
    /// Frames that arrived.
    private(set) var heard: [LinkFrame] = []

    /// Shakes hands with a node under the space's key. Nothing more happens until `run` was called a few
    /// times: the node answers in its own time. `wall`: what it says of its clock; nil: the truth.
    init(
        _ world: inout World, as key: SigningKey, to index: Int, _ keys: SpaceKeys,
        _ dice: inout SeededGenerator, wall: UInt64? = nil
    ) {
        let candidate = PSKCandidate(
            space: keys.space, use: .mesh(epoch: 1), psk: LinkKeys.meshPSK(keys.current.access),
            rosterHash: .zero)
        let identity = LinkIdentity(
            key: key, instance: dice.next(), staticKey: AgreementKey(secret: Self.secret(&dice)))
        self.wall = wall
        secure = SecureLink(
            initiating: candidate, identity: identity, ephemeral: Self.secret(&dice),
            at: Instant(monotonic: world.now.monotonic, wall: wall ?? world.now.wall))
        connection = world.connectStranger(to: index)
        take(secure.start(), &world)
    }

    private func now(_ world: borrowing World) -> Instant {
        Instant(monotonic: world.now.monotonic, wall: wall ?? world.now.wall)
    }

    var isEstablished: Bool { secure.established != nil }
    var handshakeHash: [UInt8] { secure.established?.handshakeHash ?? [] }

    /// Takes in what the node sent since.
    mutating func listen(_ world: inout World) {
        let bytes = world.takeHeard(connection)
        if !bytes.isEmpty { take(secure.receive(bytes, replays: &replays, at: now(world)), &world) }
    }

    mutating func say(_ frame: LinkFrame, _ world: inout World) {
        guard isEstablished else { return }
        world.sendAsStranger(connection, secure.send(frame))
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

    /// What the node said last of each log that it holds.
    var entries: [HaveFrame.Entry] {
        var entries: [ReplicaID: HaveFrame.Entry] = [:]
        for frame in heard where frame.type == FrameType.have.rawValue {
            do throws(DecodeFault) {
                for entry in try HaveFrame(decoding: frame.body).entries { entries[entry.replica] = entry }
            } catch {
                preconditionFailure("an honest node sent a HAVE that does not decode: \(error)")
            }
        }
        return entries.values.sorted { $0.replica < $1.replica }
    }

    /// What the node said that it holds.
    var held: VersionVector { VersionVector(entries.map { .init($0.replica, $0.last) }) }

    /// The last frame of a type that arrived.
    func last(_ type: FrameType) -> LinkFrame? { heard.last { $0.type == type.rawValue } }

    mutating func takeFrames() -> [LinkFrame] {
        defer { heard = [] }
        return heard
    }

    static func secret(_ dice: inout SeededGenerator) -> Secret {
        Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
    }
}

// The device in wrong hands: its keys, its membership, and logs that it may write anything into.

import Bytes
import Causality
import Crypto
import Documents
import Glibc
import Identity
import Roster
import SecureLink
import Wire

struct Member {
    /// The node that is attacked.
    var port: UInt16
    /// All that are.
    var ports: [UInt16]
    let key: SigningKey
    let roster: Roster
    let keys: SpaceKeys
    let role: Role
    var entropy: Entropy
    var dice: SeededGenerator

    /// Joins as anybody does.
    init(port: UInt16, token text: String, seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let seedBytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) }
        var entropy = Entropy(seed: Secret(copying: seedBytes))
        let key = SigningKey(seed: entropy.secret(32))
        let box = AgreementKey(secret: entropy.secret(32))
        let token = try InviteToken(text)
        let candidate = PSKCandidate(
            space: token.space, use: .join(invite: token.secret.id.raw),
            psk: token.secret.joinPresharedKey(), rosterHash: .zero)
        let identity = LinkIdentity(
            key: key, instance: entropy.u64(), staticKey: AgreementKey(secret: entropy.secret(32)))
        var link = try Self.patiently {
            try HostileLink(port: port, candidate, identity, ephemeral: entropy.secret(32))
        }
        guard let established = link.secure.established, let name = DeviceName("mallory") else {
            throw HostileFailure.refused("no join")
        }
        var joining = Joining(
            token: token, device: DeviceID(publicKey: key.publicKey), boxKey: box)
        let proof = joining.proof(
            name: name, addresses: [], handshakeHash: established.handshakeHash, by: key)
        link.say(
            LinkFrame(
                type: FrameType.joinProof.rawValue, body: JoinProofFrame(body: proof.encoded()).encoded()))
        var joined: JoinedSpace?
        while joined == nil, let frame = link.wait(for: FrameType.joinAnswer.rawValue, within: 10_000) {
            joined = try joining.take(JoinAnswerFrame(decoding: frame.body).body)
        }
        guard let joined else { throw HostileFailure.refused("no answer to the proof") }
        (self.port, ports) = (port, [port])
        self.key = key
        (roster, keys, role) = (joined.roster, joined.keys, joined.role)
        (self.entropy, self.dice) = (entropy, dice)
    }

    /// Tries again for a while, as every joiner does: the attacks before may have used up what the node lets
    /// this address begin in a second, and then it says nothing.
    static func patiently(_ dial: () throws -> HostileLink) throws -> HostileLink {
        for _ in 0..<4 {
            do { return try dial() } catch HostileFailure.refused { usleep(500_000) }
        }
        return try dial()
    }

    var device: DeviceID { DeviceID(publicKey: key.publicKey) }

    /// A new mesh link, as a process that was just started.
    mutating func link() throws -> HostileLink {
        let candidate = PSKCandidate(
            space: keys.space, use: .mesh(epoch: UInt64(keys.current.number.value)),
            psk: LinkKeys.meshPSK(keys.current.access), rosterHash: roster.rosterHash)
        let identity = LinkIdentity(
            key: key, instance: entropy.u64(), staticKey: AgreementKey(secret: entropy.secret(32)))
        return try HostileLink(port: port, candidate, identity, ephemeral: entropy.secret(32))
    }

    /// A link on which both sides said what they hold. `have` is what the node said.
    mutating func greetedLink() throws -> (link: HostileLink, have: HaveFrame) {
        var link = try Self.patiently { try self.link() }
        link.say(frame(RosterHaveFrame(heads: roster.heads, summary: [])))
        guard let said = link.wait(for: FrameType.have.rawValue, within: 5_000) else {
            throw HostileFailure.refused("the node said no HAVE")
        }
        return (link, try HaveFrame(decoding: said.body))
    }

    func frame(_ body: some FrameBody) -> LinkFrame {
        LinkFrame(type: type(of: body).type.rawValue, body: body.encoded())
    }

    // MARK: Logs

    /// A new log of this device, or one that claims to be of another.
    mutating func newLog(of other: DeviceID? = nil) -> LogState {
        LogState(
            space: keys.space,
            declaration: Change.Declaration(device: other ?? device, incarnation: entropy.u64()))
    }

    /// Appends a change; its bytes.
    func write(
        _ operations: [Operation], to log: inout LogState, at milliseconds: UInt64? = nil,
        context: VersionVector = VersionVector()
    ) throws -> [UInt8] {
        let wall = milliseconds ?? HostileLink.now.wall
        return try log.author(
            timestamp: log.nextTimestamp(wall: wall), context: context, rosterHeads: roster.heads,
            operations: operations
        ).bytes
    }

    static func increment(_ key: Key = "mallory") -> Operation {
        let counter = ContainerStep(.key("n"), .counter, .first)
        let path = ContainerPath(generation: .first, steps: [counter])
        return Operation(document: key, body: .act(in: path, .increment(by: 1)))
    }

    /// The frame of a run, signed by this device whatever it says; `seals` as they came from `log.seal`.
    mutating func segment(
        _ bytes: [UInt8], of log: LogState, first: SequenceNumber, seals: [Seal]
    ) throws -> LinkFrame {
        let run = Run(replica: log.replica, first: first, last: log.last, bytes: bytes)
        return try segment(run, of: log, seals: seals)
    }

    /// The same of any run, whether the log has it or not.
    mutating func segment(_ run: Run, of log: LogState, seals: [Seal]) throws -> LinkFrame {
        guard let content = keys.current.content else { throw HostileFailure.refused("no content key") }
        let sealed = SealedRun(declaration: log.declaration, run: run, seals: seals)
        let segment = Segment.seal(
            sealed, in: keys.space, contentKey: content, nonce: entropy.bytes(XChaCha.nonceBytes))
        return LinkFrame(type: FrameType.segment.rawValue, body: segment.encoded())
    }

    /// A signature of this device over any chain hash of any log.
    func forgedSeal(of replica: ReplicaID, at last: SequenceNumber, _ chainHash: Bytes32) -> Seal {
        var writer = ByteWriter(reserving: 112)
        writer.raw("repld seal v1\0".utf8)
        keys.space.raw.encode(into: &writer)
        replica.raw.encode(into: &writer)
        writer.u64(last.value)
        chainHash.encode(into: &writer)
        return Seal(replica: replica, last: last, chainHash: chainHash, signature: key.sign(writer.bytes))
    }
}

// Seeds of the roster, of joining, and of connections.

import Bytes
import Causality
import Crypto
import Identity
import Roster
import SecureLink
import Wire

enum RosterSamples {
    private static let timestamp = Timestamp(milliseconds: 77)
    private static let invite = InviteSecret(FuzzKeys.secret(4))
    private static let other = DeviceID(publicKey: SigningKey(seed: FuzzKeys.secret(10)).publicKey)

    /// One of each kind.
    static var operations: [RosterOperation] {
        let invited = RosterBody.Invite(
            id: invite.id, role: .writer, expirySeconds: 1_000, key: invite.signingKey().publicKey)
        let add = RosterBody.Add(
            device: other, role: .writer, invite: invite.id, description: TrustProperties.description,
            sealedKeys: [1, 2, 3])
        let kept = VersionVector([.init(FuzzKeys.replica, SequenceNumber(300))])
        let package = RosterBody.KeyEpoch.Package(device: other, sealedKeys: [4, 5])
        let checkpoint = CheckpointBody(
            previous: invited.key, witness: Dot(FuzzKeys.replica, SequenceNumber(300)), absent: [other],
            table: .zero, manifest: .zero)
        let bodies: [RosterBody] = [
            .invite(invited), .revokeInvite(invite.id), .add(add), .leave,
            .deviceUpdate(.init(TrustProperties.description)), .remove(.init(device: other, frontier: kept)),
            .role(.init(device: other, role: .reader, frontier: kept)),
            .keyEpoch(.init(epoch: KeyEpochNumber(2), wrappedPrevious: [1], packages: [package])),
            .resolve([1, 2]), .unknown(kind: RosterBody.checkpointKind, []), .unknown(kind: 12, [0xFF]),
            .checkpoint(checkpoint),
        ]
        let genesis = TrustProperties.genesis
        return [genesis]
            + bodies.map { RosterOperation($0, on: [genesis.id], at: timestamp, by: FuzzKeys.device) }
    }

    static var joining: [[UInt8]] {
        let proof = JoinProof(
            TrustProperties.description, of: FuzzKeys.device, invite: invite,
            space: SpaceID(raw: TrustProperties.genesis.id),
            handshakeHash: [UInt8](repeating: 1, count: JoinProof.handshakeHashBytes))
        let answer = JoinAnswerPart.parts(of: operations)[0].encoded()
        let short = JoinAnswerPart.parts(of: Array(operations.prefix(2)))[0].encoded()
        return [[0] + proof.encoded(), [1] + answer, [2] + answer, [2] + short]
    }

    static var texts: [[UInt8]] {
        let hints = ["192.168.1.7:21420", "[fe80::1]:21420"].compactMap(PeerAddress.init)
        let token = InviteToken(
            secret: invite, space: FuzzKeys.space, expirySeconds: 1_700_000_000, hints: hints)
        let letters = Array(token.text().utf8)
        let body = (try? Base32.decode(letters.dropFirst(InviteToken.prefix.utf8.count))) ?? []
        let device = DeviceID(publicKey: FuzzKeys.device.publicKey).text
        let dot = Dot(FuzzKeys.replica, SequenceNumber(42)).description
        let texts: [(UInt8, String)] = [
            (2, device), (2, device.lowercased()), (3, "box.lan:1"), (3, "[fe80::1]:21420"), (4, "0"),
            (4, dot), (5, dot),
        ]
        return [[0] + body.dropLast(3), [1] + letters] + texts.map { [$0.0] + Array($0.1.utf8) }
    }

    static var stored: [[UInt8]] {
        var entropy = Entropy(seed: FuzzKeys.secret(11))
        var invites = IssuedInvites()
        guard var roster = try? Roster(genesis: TrustProperties.genesis) else { return [] }
        _ = try? invites.issue(
            .reader, expirySeconds: 9_000, secret: FuzzKeys.secret(12), hints: [], in: &roster,
            at: Instant(monotonic: 0, wall: 1_000), by: FuzzKeys.device)
        let keys = SpaceKeys(founding: FuzzKeys.space, from: &entropy)
        let position = BoundaryPosition(last: SequenceNumber(4_096), timestamp: timestamp)
        let boundary = LogBoundary(
            position: position, chainHash: .zero, declaration: FuzzKeys.declaration)
        return [[0] + invites.encoded(), [1] + keys.encoded(), [2] + boundary.encoded()]
    }
}

enum LinkSamples {
    static var connections: [[UInt8]] {
        let preamble = Preamble(profile: .mesh, inviteID: .zero).bytes
        let joining = Preamble(profile: .join, inviteID: Bytes16(high: 7, low: 7)).bytes
        let message = [UInt8](repeating: 3, count: 48)
        let claim = LinkCertificate.Claim(
            kind: .mesh, version: 1, features: 0, device: DeviceID(publicKey: FuzzKeys.device.publicKey),
            instance: 1, wallMilliseconds: 5, rosterHash: .zero)
        let context = LinkCertificate.Context(
            space: FuzzKeys.space, role: .initiator, staticKey: FuzzKeys.box.publicKey)
        let certificate = LinkCertificate(claim, in: context, by: FuzzKeys.device).bytes
        return [
            [0] + preamble + [0, 48] + message, [0] + joining + [0, 48] + message,
            [1, 0, 248] + [UInt8](repeating: 3, count: 248), [2] + preamble, [2] + joining, [3] + certificate,
        ]
    }

    /// A frame in one record, one in three, and one that is cut.
    static var records: [[UInt8]] {
        func record(_ type: UInt8, more: UInt8, total: UInt8, _ body: [UInt8]) -> [UInt8] {
            [type, more, 0, 0, 0, 0, 0, total, 0, UInt8(body.count)] + body
        }
        return [
            record(5, more: 0, total: 3, [1, 2, 3]),
            record(7, more: 1, total: 5, [1, 2]) + record(7, more: 1, total: 5, [3])
                + record(7, more: 0, total: 5, [4, 5]),
            record(1, more: 0, total: 0, []) + record(9, more: 1, total: 200, [1]),
        ]
    }
}

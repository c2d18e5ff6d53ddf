// Decoders are total: whatever is done to valid bytes, they give a value or a fault, and a value that they
// give has the bytes that it was read from.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

@Suite struct RosterFuzzTests {
    /// One operation of each kind, with every list filled.
    static func samples() throws -> [RosterOperation] {
        let box = Box(1)
        let address = try #require(PeerAddress("10.1.2.3:21420"))
        let other = try #require(PeerAddress("[fe80::2]:21420"))
        let described = DeviceDescription(
            name: try #require(DeviceName("Küche")), boxKey: box.boxKey.publicKey,
            addresses: [address, other])
        let founding = try genesis(by: box)
        let packages = [Box(2), Box(3)].map(\.device).sorted().map {
            RosterBody.KeyEpoch.Package(device: $0, sealedKeys: [4, 5, 6])
        }
        let (secret, inviteBody) = invite(1, .writer)
        let kept = frontier([(1, 300), (2, SequenceNumber.max.value)])
        let checkpoint = CheckpointBody(
            previous: hash("p"), witness: Dot(replica(1), SequenceNumber(300)), absent: [Box(2).device],
            table: hash("t"), manifest: hash("m"))
        let bodies: [RosterBody] = [
            inviteBody, .revokeInvite(secret.id), try add(Box(2), .reader, by: secret), .leave,
            .deviceUpdate(.init(described)), removal(of: Box(2), keeping: kept),
            roleChange(of: Box(3), to: .relay, keeping: kept),
            .keyEpoch(.init(epoch: KeyEpochNumber(2), wrappedPrevious: [1, 2], packages: packages)),
            .resolve([1, 2, 3]), .checkpoint(checkpoint),
            .unknown(kind: RosterBody.checkpointKind, []), .unknown(kind: 12, [0xFF]),
        ]
        return [founding]
            + bodies.map { RosterOperation($0, on: [founding.id, hash("b")], at: at(77), by: box.key) }
    }

    private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            default: bytes.removeLast(min(bytes.count, Int.random(in: 1...40, using: &generator)))
            }
        }
        return bytes
    }

    @Test("mutated operations are refused or are operations with exactly these bytes, and none is signed")
    func operations() throws {
        var generator = SeededGenerator(seed: 41)
        let samples = try Self.samples()
        var (decoded, refused) = (0, 0)
        for _ in 0..<6_000 {
            let sample = samples[Int.random(in: 0..<samples.count, using: &generator)]
            let bytes = mutated(sample.bytes, &generator)
            guard bytes != sample.bytes else { continue }
            guard let operation = try? RosterOperation(decoding: bytes) else {
                refused += 1
                continue
            }
            decoded += 1
            let again = RosterOperation(
                operation.body, on: operation.heads, at: operation.timestamp, by: Box(1).key)
            // The author and the signature are the key's; all between is the operation's.
            #expect(again.bytes.count == bytes.count)
            #expect(again.bytes[..<2] == bytes[..<2])
            #expect(again.bytes[34..<bytes.count - 64] == bytes[34..<bytes.count - 64])
            if decoded.isMultiple(of: 20) { #expect(!operation.isSigned()) }
        }
        #expect(decoded > 500 && refused > 500, "\(decoded) decoded, \(refused) refused")
    }

    @Test("mutated tokens, proofs, answers and stored invites never trap")
    func others() throws {
        var generator = SeededGenerator(seed: 43)
        let token = InviteToken(
            secret: InviteSecret(secret(3, 1)), space: SpaceID(raw: hash("s")), expirySeconds: 5, hints: [])
        let proof = JoinProof(
            try Box(1).description(), of: Box(1).key, invite: token.secret, space: token.space,
            handshakeHash: [UInt8](repeating: 1, count: 64))
        let answer = JoinAnswerPart.parts(of: try Self.samples())[0].encoded()
        var roster = try Roster(genesis: genesis(by: Box(1)))
        var invites = IssuedInvites()
        _ = try invites.issue(
            .reader, expirySeconds: 9, secret: secret(4, 4), hints: [], in: &roster, at: moment(seconds: 1),
            by: Box(1).key)
        var refused = 0
        for _ in 0..<2_000 {
            let typed = mutated(Array(token.text().utf8), &generator)
            if (try? InviteToken(String(decoding: typed, as: UTF8.self))) == nil { refused += 1 }
            let part = mutated(answer, &generator)
            if let read = try? JoinAnswerPart(decoding: part) { #expect(read.encoded() == part) }
            let claim = mutated(proof.encoded(), &generator)
            if let read = try? JoinProof(decoding: claim) { #expect(read.encoded() == claim) }
            let stored = mutated(invites.encoded(), &generator)
            if let read = try? IssuedInvites(decoding: stored) { #expect(read.encoded() == stored) }
        }
        #expect(refused > 1_000)
    }

    @Test("random bytes are no operation")
    func noise() {
        var generator = SeededGenerator(seed: 47)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<300, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: DecodeFault.self) { _ = try RosterOperation(decoding: bytes) }
        }
        let long = [UInt8](repeating: 1, count: RosterLimits.operationBytesMax + 1)
        #expect(throws: DecodeFault.self) { _ = try RosterOperation(decoding: long) }
    }
}

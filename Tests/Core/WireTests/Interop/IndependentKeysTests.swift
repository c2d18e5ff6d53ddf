// Which segments a device can open, by a reader that was written from WIRE.md alone: it looks for keys in all
// that the device was sent.

import Bytes
import Causality
import Crypto
import Foundation
import Roster
import Testing
import Wire

@Suite("A reader of keys written from WIRE.md alone", .enabled("no python3") { IndependentReader.isThere })
struct IndependentKeysTests {
    /// A device whose secrets are known to both readers.
    private struct Holder {
        let key: SigningKey
        let boxSecret: [UInt8]
        var box: AgreementKey { AgreementKey(secret: Secret(copying: boxSecret)) }
        var device: DeviceID { DeviceID(publicKey: key.publicKey) }

        init(_ number: UInt8) {
            key = SigningKey(seed: Secret(copying: [UInt8](repeating: number, count: 32)))
            boxSecret = [UInt8](repeating: number &+ 100, count: 32)
        }

        func description(_ name: String) throws -> DeviceDescription {
            let name = try #require(DeviceName(name))
            return DeviceDescription(name: name, boxKey: box.publicKey, addresses: [])
        }
    }

    /// What the founder of a space does to its roster and keys.
    private struct Founding {
        let founder = Holder(1)
        private(set) var roster: Roster
        private(set) var keys: SpaceKeys
        private var entropy = Entropy(seed: Secret(copying: [UInt8](repeating: 9, count: 32)))
        private let time = Timestamp(milliseconds: 7)

        init() throws {
            let name = try #require(SpaceName("notes"))
            let description = try founder.description("founder")
            roster = try Roster(
                genesis: Roster.genesis(
                    name: name, creator: description, nonce: entropy.bytes(32), at: time, by: founder.key))
            keys = SpaceKeys(founding: roster.space, from: &entropy)
        }

        mutating func add(_ holder: Holder, _ role: Role) throws {
            let secret = InviteSecret(entropy.secret(32))
            try act(
                .invite(
                    .init(id: secret.id, role: role, expirySeconds: 1, key: secret.signingKey().publicKey)))
            let ephemeral = AgreementKey(secret: entropy.secret(32))
            let sealed = keys.sealed(for: role, to: holder.box.publicKey, ephemeral: ephemeral)
            try act(
                .add(
                    .init(
                        device: holder.device, role: role, invite: secret.id,
                        description: try holder.description("box"), sealedKeys: sealed)))
        }

        mutating func remove(_ holder: Holder) throws {
            try act(.remove(.init(device: holder.device, frontier: VersionVector())))
            try rotate()
        }

        mutating func rotate() throws {
            let epochs = KeyEpochs(of: &roster, for: founder.device)
            keys = try keys.rotated(in: &roster, epochs, &entropy, at: time, by: founder.key).keys
        }

        private mutating func act(_ body: RosterBody) throws {
            _ = try roster.add(try roster.author(body, at: time, by: founder.key))
        }

        /// A segment under the current content key.
        func segment(_ run: SealedRun, _ number: Int) throws -> [UInt8] {
            let content = try #require(keys.current.content)
            let nonce = (0..<24).map { UInt8($0 * 5 + number) }
            return Segment.seal(run, in: roster.space, contentKey: content, nonce: nonce).encoded()
        }
    }

    @Test("members open what was sealed under every epoch, a removed one nothing after, a relay nothing")
    func removed() throws {
        var founding = try Founding()
        let (out, member, newcomer, relay) = (Holder(2), Holder(3), Holder(4), Holder(5))
        try founding.add(out, .writer)
        try founding.add(member, .writer)
        try founding.add(relay, .relay)
        let runs = try SegmentedLog(seed: 2, rounds: 4, in: founding.roster.space).runs
        var segments = [try founding.segment(runs[0], 0)]
        try founding.remove(out)
        segments.append(try founding.segment(runs[1], 1))
        // More than the wrapped field of one epoch leads back to.
        for _ in 0..<9 { try founding.rotate() }
        try founding.add(newcomer, .reader)
        segments.append(try founding.segment(runs[2], 2))
        let roster = founding.roster.operations().map { Hex.encode($0.bytes) }
        let holders = [founding.founder, out, member, newcomer, relay]
        let found = try IndependentReader.read(
            holders.map {
                [
                    "kind": "keys", "roster": roster, "space": "\(founding.roster.space)",
                    "box": Hex.encode($0.boxSecret),
                ]
            })
        var opened: [[Bool]] = []
        for answer in found {
            let keys = try #require(answer.fields["content"] as? [String], "\(answer.fields)")
            opened.append(
                try segments.map { segment in
                    let cases = keys.map { key in
                        [
                            "kind": "segment", "hex": Hex.encode(segment), "contentKey": key,
                            "space": "\(founding.roster.space)",
                        ]
                    }
                    return try IndependentReader.read(cases).contains { $0.fields["fault"] == nil }
                })
        }
        #expect(
            opened == [
                // The founder made the first epoch, which is in no operation for it.
                [true, true, true], [true, false, false], [true, true, true], [true, true, true],
                [false, false, false],
            ])
        let epochs = found.map { ($0.fields["access"] as? [[Any]] ?? []).compactMap { $0.first as? Int } }
        #expect(epochs == [Array(2...11), [1], Array(1...11), [11], Array(1...11)])
    }
}

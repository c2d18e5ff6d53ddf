// The bytes of later epochs, which never change, and the secrets under which links are opened.

import Bytes
import Causality
import Crypto
import Testing
import Wire

@testable import Roster

@Suite struct KeyEpochFormTests {
    private let space = SpaceID(raw: hash("space"))
    private let secrets = KeyEpochSecrets(access: secret(40, 1), content: .key(secret(40, 2)))

    @Test("an id, a package and a wrapped field have the bytes of WIRE.md")
    func golden() throws {
        let id = try #require(secrets.id(of: KeyEpochNumber(2), in: space))
        #expect(id.description == "5e95c620b45a76d63ad68b5a09d5e84b")
        let name = KeyEpochName(KeyEpochNumber(2), id)
        let ephemeral = AgreementKey(secret: secret(40, 3))
        let box = Box(2)
        let reader = try #require(
            secrets.package(for: .reader, to: box.boxKey.publicKey, of: space, ephemeral: ephemeral))
        let relay = try #require(
            secrets.package(for: .relay, to: box.boxKey.publicKey, of: space, ephemeral: ephemeral))
        let earlier = ReadableEpoch(number: .first, accessHalf: hash("half"), content: secret(40, 4))
        let wrapped = WrappedKeys.seal(
            [earlier], under: secret(40, 2), of: name, by: box.device, in: space,
            nonce: Array(hash("nonce").bytes.prefix(24)))
        #expect(
            [reader, relay, wrapped].map { Hex.encode(Blake2b.hash256($0).bytes) } == [
                "0d6d61c118b9486c2aa9354cdc560094699a3581ef31d27d3e6c49bfcabddab1",
                "7777f71431567965fd85337bba0d56a0c0e84da4acee345ec3533a479a7c2a67",
                "d18823ed9f59e96659a3849348251ffd96a458af08d52e2dac782284c7799862",
            ])
        #expect(reader.count == 113 && relay.count == 113 && wrapped.count == 16 + 24 + 1 + 68 + 16)
        // A relay checks the id by the half of the content key.
        let atRelay = try #require(
            KeyEpochSecrets(opening: relay, of: name, in: space, with: box.boxKey))
        #expect(atRelay.contentKey == nil && atRelay.access == secrets.access)
        #expect(KeyEpochSecrets(opening: reader, of: name, in: space, with: box.boxKey) == secrets)
        // Bound to the number, the space, the author and the box.
        let others = [
            KeyEpochName(KeyEpochNumber(3), id), KeyEpochName(KeyEpochNumber(2), .init(raw: .zero)),
        ]
        for other in others {
            #expect(KeyEpochSecrets(opening: reader, of: other, in: space, with: box.boxKey) == nil)
        }
        let elsewhere = SpaceID(raw: hash("other"))
        #expect(KeyEpochSecrets(opening: reader, of: name, in: elsewhere, with: box.boxKey) == nil)
        #expect(KeyEpochSecrets(opening: reader, of: name, in: space, with: Box(3).boxKey) == nil)
        let open = { (author: DeviceID, space: SpaceID) in
            WrappedKeys.open(wrapped, under: secret(40, 2), of: name, by: author, in: space)
        }
        #expect(open(box.device, space) == [earlier])
        #expect(open(Box(3).device, space) == [] && open(box.device, elsewhere) == [])
        #expect(WrappedKeys.open([], under: secret(40, 2), of: name, by: box.device, in: space) == [])
    }

    @Test("six earlier epochs fit the wrapped field")
    func fullField() {
        let earlier = (1...6).map {
            ReadableEpoch(number: KeyEpochNumber($0), accessHalf: .zero, content: secret(41, Int($0)))
        }
        let name = KeyEpochName(KeyEpochNumber(7), KeyEpochID(raw: .zero))
        let field = WrappedKeys.seal(
            earlier, under: secret(40, 2), of: name, by: Box(1).device, in: space,
            nonce: [UInt8](repeating: 1, count: 24))
        #expect(field.count <= RosterLimits.sealedKeysBytesMax)
        #expect(
            WrappedKeys.open(field, under: secret(40, 2), of: name, by: Box(1).device, in: space) == earlier)
    }

    @Test("keys of one epoch are stored as ever; more of them in a second form, which is read back whole")
    func stored() throws {
        var admin = try KeyHolder(founding: Box(1))
        var relay = try admin.invite(Box(2), .relay)
        #expect(admin.keys.encoded().first == 1 && relay.keys.encoded().first == 1)
        _ = try admin.rotate()
        try relay.hear(admin)
        let newcomer = try admin.invite(Box(3), .reader)
        for keys in [relay.keys, newcomer.keys, newcomer.keys.withoutContent()] {
            let bytes = keys.encoded()
            #expect(bytes.first == 2)
            #expect(try SpaceKeys(decoding: bytes, of: keys.space) == keys)
            for cut in 0..<bytes.count {
                #expect(throws: SpaceKeysFault.self) {
                    _ = try SpaceKeys(decoding: Array(bytes[..<cut]), of: keys.space)
                }
            }
            #expect(throws: SpaceKeysFault.self) {
                _ = try SpaceKeys(decoding: bytes + [0], of: keys.space)
            }
        }
        // What the first form can say is not said in the second.
        let first = SpaceKeys(of: space, [.init(.first, secrets, in: space)]).encoded()
        let second = [2] + first[1..<33] + [0] + first[33...] + [0]
        #expect(throws: SpaceKeysFault.malformed(.notCanonical(field: "space keys"))) {
            _ = try SpaceKeys(decoding: Array(second), of: space)
        }
    }

    @Test("an add that does not give the id it names is refused, and so is one that seals another epoch")
    func adds() throws {
        var admin = try KeyHolder(founding: Box(1))
        _ = try admin.rotate()
        let box = Box(2)
        let sealed = admin.keys.sealed(
            for: .reader, to: box.boxKey.publicKey, ephemeral: AgreementKey(secret: secret(40, 5)))
        #expect(SpaceKeys.epochCarried(by: sealed) == admin.current)
        let keys = try SpaceKeys(opening: sealed, with: box.boxKey, of: admin.roster.space)
        #expect(keys.current == admin.keys.current)
        for place in [3, 4, 19, 20, 60, 132] {
            var wrong = sealed
            wrong[place] ^= 1
            #expect(throws: SpaceKeysFault.self) {
                _ = try SpaceKeys(opening: wrong, with: box.boxKey, of: admin.roster.space)
            }
        }
        let other = SpaceKeys(
            of: space, [.init(.first, secrets, in: space), .init(KeyEpochNumber(2), secrets, in: space)])
        let boxed = SealedBox.seal(
            other.encoded(), to: box.boxKey.publicKey, ephemeral: AgreementKey(secret: secret(40, 6)))
        #expect(throws: SpaceKeysFault.malformed(.outOfRange(field: "epoch"))) {
            _ = try SpaceKeys(opening: boxed, with: box.boxKey, of: space)
        }
    }

    @Test("links accept older secrets until every member has shown a newer one, and 32 at most")
    func access() throws {
        var admin = try KeyHolder(founding: Box(1))
        var writer = try admin.invite(Box(2), .writer)
        let reader = try admin.invite(Box(3), .reader)
        let accepted = { (linked: LinkedEpochs) in
            admin.keys.accessEpochs(in: admin.roster, admin.epochs, linked: linked).map(\.number.value)
        }
        for _ in 0..<3 { _ = try admin.rotate() }
        #expect(accepted(LinkedEpochs()) == [4, 3, 2, 1])
        var linked = LinkedEpochs()
        linked.record(writer.box.device, linkedUnder: KeyEpochNumber(4))
        #expect(accepted(linked) == [4, 3, 2, 1])
        linked.record(reader.box.device, linkedUnder: KeyEpochNumber(2))
        #expect(accepted(linked) == [4, 3, 2])
        linked.record(reader.box.device, linkedUnder: .first)
        linked.record(reader.box.device, linkedUnder: KeyEpochNumber(3))
        #expect(accepted(linked) == [4, 3])
        // An operation shows it too: the writer gives somebody a package of the current epoch.
        try writer.hear(admin)
        _ = try writer.give([reader.box.device])
        try admin.hear(writer)
        var onlyReader = LinkedEpochs()
        onlyReader.record(reader.box.device, linkedUnder: KeyEpochNumber(3))
        #expect(accepted(onlyReader) == [4, 3])
        #expect(admin.epochs.epochUsed(by: writer.box.device) == admin.current)
        for _ in 0..<40 { _ = try admin.rotate() }
        #expect(accepted(LinkedEpochs()) == Array((12...44).reversed()))
        #expect(admin.keys.accessSecrets(previous: 4).count == 5)
    }

    @Test("no more epochs are kept than the limit, and the oldest go")
    func limit() {
        let epochs = (1...UInt32(RosterLimits.epochsMax)).map {
            SpaceKeys.Epoch(KeyEpochNumber($0), secrets, in: space)
        }
        var keys = SpaceKeys(of: space, epochs)
        let next = SpaceKeys.Epoch(KeyEpochNumber(UInt32(epochs.count) + 1), secrets, in: space)
        let isNew = keys.insert(next)
        #expect(isNew && keys.epochs.count == RosterLimits.epochsMax)
        #expect(keys.holds(next.name) && !keys.holds(.first))
        let isAgain = keys.insert(epochs[0])
        #expect(!isAgain && keys.epochs.count == RosterLimits.epochsMax)
    }
}

// The two secrets of a key epoch, and the bytes in which they travel. The id of an epoch is a hash of a
// *half* of each secret, which is a one-way image of it: a relay gets the access secret and the half of the
// content key, so it can check the id as well as a reader can, and opens nothing.
//
//   half of a secret   KDF(secret, "repld-epoch-acc1" or "repld-epoch-con1", SpaceID)
//   id                 first16 of hash(SpaceID ‖ number ‖ both halves, "repld-epoch-id-1"), access first
//   package            c ‖ SealedBox(access ‖ content key, or its half for a relay)
//   wrapped field      id ‖ nonce ‖ up to 6 earlier epochs, each number ‖ half of access ‖ content key, under
//                      KDF(content key, "repld-epoch-wrap")

import Bytes
import Causality
import Crypto
import Wire

/// What one device holds of one epoch.
struct KeyEpochSecrets: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case key(Secret)
        /// At a relay.
        case half(Bytes32)
        /// At a relay that was added in the first epoch: nothing but the access secret is sealed there.
        case unknown
    }

    let access: Secret
    let content: Content

    var contentKey: Secret? { if case .key(let key) = content { key } else { nil } }

    static func accessHalf(_ access: Secret, of space: SpaceID) -> Bytes32 {
        Bytes32(KeyDerivation.deriveBytes(access, label: "repld-epoch-acc1", info: space.raw.bytes))
    }

    static func contentHalf(_ content: Secret, of space: SpaceID) -> Bytes32 {
        Bytes32(KeyDerivation.deriveBytes(content, label: "repld-epoch-con1", info: space.raw.bytes))
    }

    /// Nil when the half of the content key is not known.
    func contentHalf(of space: SpaceID) -> Bytes32? {
        switch content {
        case .key(let key): Self.contentHalf(key, of: space)
        case .half(let half): half
        case .unknown: nil
        }
    }

    static func id(
        of number: KeyEpochNumber, in space: SpaceID, accessHalf: Bytes32, contentHalf: Bytes32
    ) -> KeyEpochID {
        var writer = ByteWriter(reserving: 100)
        space.raw.encode(into: &writer)
        writer.u32(number.value)
        accessHalf.encode(into: &writer)
        contentHalf.encode(into: &writer)
        let hash = Blake2b.hash256(writer.bytes, personal: "repld-epoch-id-1")
        return KeyEpochID(raw: Bytes16(hash.bytes[..<Bytes16.byteCount]))
    }

    func id(of number: KeyEpochNumber, in space: SpaceID) -> KeyEpochID? {
        guard let half = contentHalf(of: space) else { return nil }
        return Self.id(
            of: number, in: space, accessHalf: Self.accessHalf(access, of: space), contentHalf: half)
    }

    // MARK: Packages

    /// Bytes of every package: a relay's and a reader's differ in one.
    static let packageBytes = 1 + SealedBox.overheadBytes + 64

    /// For a device with this role. The holder has the content key or its half, or there is no package.
    func package(
        for role: Role, to boxKey: Bytes32, of space: SpaceID, ephemeral: AgreementKey
    ) -> [UInt8]? {
        guard let half = contentHalf(of: space) else { return nil }
        let isRelay = role == .relay
        guard let second = isRelay ? half.bytes : contentKey?.exposedBytes() else { return nil }
        let sealed = SealedBox.seal(access.exposedBytes() + second, to: boxKey, ephemeral: ephemeral)
        return [isRelay ? 0 : 1] + sealed
    }

    /// True when the package claims to hold the content key; readable by all, so that all agree on who can
    /// open payloads.
    static func givesContent(_ package: [UInt8]) -> Bool { package.first != 0 }

    /// Nil when the package is for another key, damaged, or does not give the id that it stands under.
    init?(opening package: [UInt8], of name: KeyEpochName, in space: SpaceID, with boxKey: AgreementKey) {
        guard package.count == Self.packageBytes, package[0] <= 1,
            let bytes = SealedBox.open(Array(package[1...]), with: boxKey), bytes.count == 64
        else { return nil }
        let second = Array(bytes[32...])
        self.init(
            access: Secret(copying: Array(bytes[..<32])),
            content: package[0] == 1 ? .key(Secret(copying: second)) : .half(Bytes32(second)))
        guard id(of: name.number, in: space) == name.id else { return nil }
    }

    init(access: Secret, content: Content) { (self.access, self.content) = (access, content) }
}

/// An epoch whose payloads can be opened, with what its id is checked by.
struct ReadableEpoch: Sendable, Equatable {
    let number: KeyEpochNumber
    let accessHalf: Bytes32
    let content: Secret

    func id(in space: SpaceID) -> KeyEpochID {
        KeyEpochSecrets.id(
            of: number, in: space, accessHalf: accessHalf,
            contentHalf: KeyEpochSecrets.contentHalf(content, of: space))
    }
}

/// The wrapped field: what leads from a new epoch back to those before it.
enum WrappedKeys {
    private static let entryBytes = 68

    static func seal(
        _ earlier: [ReadableEpoch], under content: Secret, of name: KeyEpochName, by author: DeviceID,
        in space: SpaceID, nonce: [UInt8]
    ) -> [UInt8] {
        precondition(earlier.count <= RosterLimits.wrappedEpochsMax, "\(earlier.count) wrapped epochs")
        var writer = ByteWriter(reserving: 1 + entryBytes * earlier.count)
        writer.u8(UInt8(earlier.count))
        for epoch in earlier {
            precondition(epoch.number < name.number, "epoch \(epoch.number.value) is not earlier")
            writer.u32(epoch.number.value)
            epoch.accessHalf.encode(into: &writer)
            epoch.content.withBytes { writer.raw($0) }
        }
        return name.id.raw.bytes + nonce
            + XChaCha.seal(
                writer.bytes, key: key(content), nonce: nonce,
                authenticating: extra(name, by: author, in: space))
    }

    /// Empty for a field without keys, as further packages have it, or one that is no author's of this epoch.
    static func open(
        _ field: [UInt8], under content: Secret, of name: KeyEpochName, by author: DeviceID, in space: SpaceID
    ) -> [ReadableEpoch] {
        let start = Bytes16.byteCount
        let end = start + XChaCha.nonceBytes
        guard field.count > end,
            let bytes = XChaCha.open(
                Array(field[end...]), key: key(content), nonce: Array(field[start..<end]),
                authenticating: extra(name, by: author, in: space))
        else { return [] }
        do throws(DecodeFault) {
            var reader = ByteReader(bytes)
            var earlier: [ReadableEpoch] = []
            for _ in 0..<(try reader.u8()) {
                let number = KeyEpochNumber(try reader.u32())
                let half = try Bytes32(from: &reader)
                let content = Secret(copying: try reader.raw(32))
                guard number >= .first, number < name.number else { return [] }
                earlier.append(ReadableEpoch(number: number, accessHalf: half, content: content))
            }
            try reader.finish()
            return earlier
        } catch {
            // By somebody who knows the key and writes no keys: as none.
            return []
        }
    }

    private static func key(_ content: Secret) -> Secret {
        KeyDerivation.derive(content, label: "repld-epoch-wrap")
    }

    private static func extra(_ name: KeyEpochName, by author: DeviceID, in space: SpaceID) -> [UInt8] {
        var writer = ByteWriter(reserving: 84)
        space.raw.encode(into: &writer)
        writer.u32(name.number.value)
        name.id.raw.encode(into: &writer)
        author.publicKey.encode(into: &writer)
        return writer.bytes
    }
}

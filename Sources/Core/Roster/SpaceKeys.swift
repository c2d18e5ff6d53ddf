// The keys of a space by epoch (DESIGN 7 and 8): the access secret opens links and beacons, the content key
// opens payloads. A relay holds access secrets only. Epoch 1 is made with the genesis and reaches each
// newcomer sealed in the operation that adds it; the wrapping of a previous content key for later epochs is
// reserved.

public import Bytes
public import Causality
public import Crypto
public import Wire

/// Why bytes are not the keys of this space.
public enum SpaceKeysFault: Error, Equatable, Sendable {
    case malformed(DecodeFault)
    /// The box is for another key, or damaged.
    case notOpened
    /// The keys are another space's.
    case otherSpace
}

/// Keys of one space by epoch; never without one.
public struct SpaceKeys: Sendable, Equatable {
    static let version: UInt8 = 1

    public struct Epoch: Sendable, Equatable {
        public let number: KeyEpochNumber
        public let access: Secret
        /// Nil at a relay.
        public let content: Secret?
    }

    public let space: SpaceID
    /// Ascending by number.
    public private(set) var epochs: [Epoch]

    /// Epoch 1 of a new space.
    public init(founding space: SpaceID, from entropy: inout Entropy) {
        self.space = space
        epochs = [
            Epoch(number: .first, access: entropy.secret(32), content: entropy.secret(32))
        ]
    }

    /// The one that is used for what is new.
    public var current: Epoch { epochs[epochs.count - 1] }

    /// The content key that a segment names; nil when it is not held. O(epochs).
    public func content(named id: ContentKeyID) -> Secret? {
        epochs.last { $0.content.map(ContentKeyID.init(of:)) == id }?.content
    }

    /// Access secrets under which links may be opened, newest first: the current and at most `previous`
    /// before it.
    public func accessSecrets(previous: Int = 4) -> [Secret] {
        epochs.suffix(previous + 1).reversed().map(\.access)
    }

    /// What is left when payloads need not be read any more: links can be opened, and that is all.
    public func withoutContent() -> SpaceKeys {
        var keys = self
        keys.epochs = epochs.map { Epoch(number: $0.number, access: $0.access, content: nil) }
        return keys
    }

    // MARK: Sealed and stored

    /// The newest epoch for a newcomer, sealed to its box key; a relay gets the access secret only.
    /// `ephemeral` is fresh and used for nothing else.
    public func sealed(for role: Role, to boxKey: Bytes32, ephemeral: AgreementKey) -> [UInt8] {
        let newest = current
        let content = role == .relay ? nil : newest.content
        let given = Epoch(number: newest.number, access: newest.access, content: content)
        return SealedBox.seal(Self.encode([given], of: space), to: boxKey, ephemeral: ephemeral)
    }

    /// Opens what `sealed` made.
    public init(opening sealed: [UInt8], with boxKey: AgreementKey, of space: SpaceID) throws(SpaceKeysFault)
    {
        guard let bytes = SealedBox.open(sealed, with: boxKey) else { throw .notOpened }
        try self.init(decoding: bytes, of: space)
    }

    /// All epochs in clear, for the node's own store.
    public func encoded() -> [UInt8] { Self.encode(epochs, of: space) }

    /// Reads what `encoded` made.
    public init(decoding bytes: [UInt8], of space: SpaceID) throws(SpaceKeysFault) {
        let epochs: [Epoch]
        let named: SpaceID
        do throws(DecodeFault) {
            (named, epochs) = try Self.decode(bytes)
        } catch {
            throw .malformed(error)
        }
        guard named == space else { throw .otherSpace }
        self.space = space
        self.epochs = epochs
    }

    /// version 1 | SpaceID 32 | n varint ≥ 1, n × (epoch u32 ascending | 0 or 1: has content | access 32 |
    /// content 32)
    private static func encode(_ epochs: [Epoch], of space: SpaceID) -> [UInt8] {
        precondition(!epochs.isEmpty && epochs.count <= RosterLimits.epochsMax, "\(epochs.count) epochs")
        var writer = ByteWriter(reserving: 40 + 69 * epochs.count)
        writer.u8(version)
        space.raw.encode(into: &writer)
        writer.varint(epochs.count)
        for epoch in epochs {
            writer.u32(epoch.number.value)
            writer.u8(epoch.content == nil ? 0 : 1)
            epoch.access.withBytes { writer.raw($0) }
            epoch.content?.withBytes { writer.raw($0) }
        }
        return writer.bytes
    }

    private static func decode(_ bytes: [UInt8]) throws(DecodeFault) -> (SpaceID, [Epoch]) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else { throw .unknownTag(field: "space keys", value: UInt64(version)) }
        let space = SpaceID(raw: try Bytes32(from: &reader))
        var epochs: [Epoch] = []
        for _ in 0..<(try reader.count(limit: RosterLimits.epochsMax, field: "epochs")) {
            let number = KeyEpochNumber(try reader.u32())
            guard number > epochs.last?.number ?? KeyEpochNumber(0) else {
                throw .notCanonical(field: "epochs")
            }
            let flag = try reader.u8()
            guard flag <= 1 else { throw .outOfRange(field: "has content") }
            let access = Secret(copying: try reader.raw(32))
            let content = flag == 1 ? Secret(copying: try reader.raw(32)) : nil
            epochs.append(Epoch(number: number, access: access, content: content))
        }
        try reader.finish()
        guard !epochs.isEmpty else { throw .outOfRange(field: "epochs") }
        return (space, epochs)
    }
}

// The bytes of space keys: sealed in an add, and in clear in the node's own store. Version 1 has what there
// was before epochs could change, and is written while it says everything; so an older program reads the
// state of a space whose keys were never changed.

public import Bytes
public import Causality
public import Crypto
public import Wire

extension SpaceKeys {
    private static let firstVersion: UInt8 = 1
    private static let version: UInt8 = 2

    // MARK: Sealed in an add

    /// The form of an add that carries a later epoch than the first is told by its length: number ‖ id ‖
    /// package. No list of epochs in a SealedBox is as long.
    private static let carriedBytes = 4 + Bytes16.byteCount + KeyEpochSecrets.packageBytes

    /// The epoch that an add says it carries.
    static func epochCarried(by sealed: [UInt8]) -> KeyEpochName {
        guard sealed.count == carriedBytes else { return .first }
        let number = sealed[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return KeyEpochName(KeyEpochNumber(number), KeyEpochID(raw: Bytes16(sealed[4..<20])))
    }

    /// Its package; nil for an add that carries the first epoch.
    static func packageCarried(by sealed: [UInt8]) -> [UInt8]? {
        sealed.count == carriedBytes ? Array(sealed[20...]) : nil
    }

    /// The current epoch for a newcomer, sealed to its box key; a relay gets the access secret only.
    /// `ephemeral` is fresh and used for nothing else.
    public func sealed(for role: Role, to boxKey: Bytes32, ephemeral: AgreementKey) -> [UInt8] {
        let newest = current
        if newest.number == .first {
            let content: KeyEpochSecrets.Content = role == .relay ? .unknown : newest.secrets.content
            let given = KeyEpochSecrets(access: newest.access, content: content)
            let epochs = [Epoch(.first, given, in: space)]
            return SealedBox.seal(Self.encodeFirst(epochs, of: space), to: boxKey, ephemeral: ephemeral)
        }
        guard let package = newest.secrets.package(for: role, to: boxKey, of: space, ephemeral: ephemeral)
        else { preconditionFailure("epoch \(newest.number.value) is given by who cannot open it") }
        var writer = ByteWriter(reserving: Self.carriedBytes)
        writer.u32(newest.number.value)
        newest.name.id.raw.encode(into: &writer)
        writer.raw(package)
        return writer.bytes
    }

    /// Opens what `sealed` made.
    public init(opening sealed: [UInt8], with boxKey: AgreementKey, of space: SpaceID) throws(SpaceKeysFault)
    {
        let name = Self.epochCarried(by: sealed)
        if let package = Self.packageCarried(by: sealed) {
            guard let secrets = KeyEpochSecrets(opening: package, of: name, in: space, with: boxKey) else {
                throw .notOpened
            }
            self.init(of: space, [Epoch(name.number, secrets, in: space)])
            return
        }
        guard let bytes = SealedBox.open(sealed, with: boxKey) else { throw .notOpened }
        try self.init(decoding: bytes, of: space)
        guard epochs.count == 1, epochs[0].number == .first else {
            throw .malformed(.outOfRange(field: "epoch"))
        }
    }

    // MARK: Stored

    /// Everything in clear, for the node's own store.
    public func encoded() -> [UInt8] {
        isOfFirstVersion ? Self.encodeFirst(epochs, of: space) : encodeSecond()
    }

    /// Reads what `encoded` made, now or by an earlier version.
    public init(decoding bytes: [UInt8], of space: SpaceID) throws(SpaceKeysFault) {
        let keys: SpaceKeys
        do throws(DecodeFault) {
            keys = try Self.decode(bytes)
        } catch {
            throw .malformed(error)
        }
        guard keys.space == space else { throw .otherSpace }
        self = keys
    }

    private var isOfFirstVersion: Bool {
        readable.isEmpty && currentName == epochs[epochs.count - 1].name
            && epochs.allSatisfy { if case .half = $0.secrets.content { false } else { true } }
            && zip(epochs, epochs.dropFirst()).allSatisfy { $0.number < $1.number }
    }

    /// version 1 | SpaceID 32 | n varint ≥ 1, n × (epoch u32 ascending | 0 or 1: has content | access 32 |
    /// content 32)
    private static func encodeFirst(_ epochs: [Epoch], of space: SpaceID) -> [UInt8] {
        precondition(!epochs.isEmpty && epochs.count <= RosterLimits.epochsMax, "\(epochs.count) epochs")
        var writer = ByteWriter(reserving: 40 + 69 * epochs.count)
        writer.u8(firstVersion)
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

    /// version 2 | SpaceID 32 | index of the current epoch varint | n varint ≥ 1, n × (epoch u32 | 0, 1 or 2:
    /// content unknown, key, half | access 32 | key or half 32) | m varint, m × (epoch u32 | half of access
    /// 32 | content key 32); each list ascending by number and id
    private func encodeSecond() -> [UInt8] {
        precondition(epochs.count <= RosterLimits.epochsMax, "\(epochs.count) epochs")
        precondition(readable.count <= RosterLimits.epochsMax, "\(readable.count) readable epochs")
        var writer = ByteWriter(reserving: 48 + 69 * (epochs.count + readable.count))
        writer.u8(Self.version)
        space.raw.encode(into: &writer)
        writer.varint(epochs.partitioningIndex { $0.name >= currentName })
        writer.varint(epochs.count)
        for epoch in epochs {
            writer.u32(epoch.number.value)
            switch epoch.secrets.content {
            case .unknown: writer.u8(0)
            case .key: writer.u8(1)
            case .half: writer.u8(2)
            }
            epoch.access.withBytes { writer.raw($0) }
            switch epoch.secrets.content {
            case .unknown: break
            case .key(let key): key.withBytes { writer.raw($0) }
            case .half(let half): half.encode(into: &writer)
            }
        }
        writer.varint(readable.count)
        for epoch in readable {
            writer.u32(epoch.number.value)
            epoch.accessHalf.encode(into: &writer)
            epoch.content.withBytes { writer.raw($0) }
        }
        return writer.bytes
    }

    private static func decode(_ bytes: [UInt8]) throws(DecodeFault) -> SpaceKeys {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == firstVersion || version == Self.version else {
            throw .unknownTag(field: "space keys", value: UInt64(version))
        }
        let isFirst = version == firstVersion
        let space = SpaceID(raw: try Bytes32(from: &reader))
        let current = isFirst ? nil : try reader.count(limit: RosterLimits.epochsMax - 1, field: "current")
        var epochs: [Epoch] = []
        for _ in 0..<(try reader.count(limit: RosterLimits.epochsMax, field: "epochs")) {
            let epoch = try epoch(from: &reader, upTo: isFirst ? 1 : 2, in: space)
            if let last = epochs.last, last.name >= epoch.name || isFirst && last.number >= epoch.number {
                throw .notCanonical(field: "epochs")
            }
            epochs.append(epoch)
        }
        guard !epochs.isEmpty else { throw .outOfRange(field: "epochs") }
        var keys = SpaceKeys(of: space, epochs)
        if let current {
            guard current < epochs.count else { throw .outOfRange(field: "current") }
            keys.currentName = epochs[current].name
            keys.readable = try readable(from: &reader, in: space)
            if keys.isOfFirstVersion { throw .notCanonical(field: "space keys") }
        }
        try reader.finish()
        return keys
    }

    private static func epoch(
        from reader: inout ByteReader, upTo greatest: UInt8, in space: SpaceID
    ) throws(DecodeFault) -> Epoch {
        let number = KeyEpochNumber(try reader.u32())
        guard number >= .first else { throw .notCanonical(field: "epochs") }
        let tag = try reader.u8()
        guard tag <= greatest else { throw .outOfRange(field: "has content") }
        let access = Secret(copying: try reader.raw(32))
        let content: KeyEpochSecrets.Content
        switch tag {
        case 1: content = .key(Secret(copying: try reader.raw(32)))
        case 2: content = .half(try Bytes32(from: &reader))
        default: content = .unknown
        }
        return Epoch(number, KeyEpochSecrets(access: access, content: content), in: space)
    }

    private static func readable(
        from reader: inout ByteReader, in space: SpaceID
    ) throws(DecodeFault) -> [ReadableEpoch] {
        var readable: [ReadableEpoch] = []
        var last: KeyEpochName?
        for _ in 0..<(try reader.count(limit: RosterLimits.epochsMax, field: "readable epochs")) {
            let epoch = ReadableEpoch(
                number: KeyEpochNumber(try reader.u32()), accessHalf: try Bytes32(from: &reader),
                content: Secret(copying: try reader.raw(32)))
            let name = KeyEpochName(epoch.number, epoch.id(in: space))
            guard epoch.number >= .first, last.map({ $0 < name }) ?? true else {
                throw .notCanonical(field: "readable epochs")
            }
            last = name
            readable.append(epoch)
        }
        return readable
    }
}

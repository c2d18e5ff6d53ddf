// The keys of a space that this node can use (DESIGN 7 and 8): the access secret of an epoch opens links and
// beacons, the content key opens payloads. A relay holds access secrets only. Epoch 1 is made with the
// genesis and reaches each newcomer sealed in the operation that adds it; later ones come in packages, and
// their wrapped fields lead back to those before (decision 0168).
//
// Files: KeyEpochs (who can open which), KeyEpochReading (secrets out of the roster), KeyEpochRotation (new
// ones into it), KeyEpochAccess (which open links), SpaceKeys+Coding (the bytes).

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
    /// Secrets that were given to this device, or made by it.
    public struct Epoch: Sendable, Equatable {
        public let number: KeyEpochNumber
        /// Nil at a relay that knows of the first epoch nothing but the access secret.
        public let id: KeyEpochID?
        let secrets: KeyEpochSecrets

        public var access: Secret { secrets.access }
        /// Nil at a relay.
        public var content: Secret? { secrets.contentKey }
        public var name: KeyEpochName {
            guard number != .first, let id else { return KeyEpochName(number, KeyEpochName.first.id) }
            return KeyEpochName(number, id)
        }

        init(_ number: KeyEpochNumber, _ secrets: KeyEpochSecrets, in space: SpaceID) {
            self.number = number
            self.secrets = secrets
            id = secrets.id(of: number, in: space)
        }
    }

    public let space: SpaceID
    /// Ascending by name, none twice.
    public internal(set) var epochs: [Epoch]
    /// Content keys that came wrapped by later ones, ascending by number and id; for reading only.
    var readable: [ReadableEpoch] = []
    /// Of one of `epochs`.
    public internal(set) var currentName: KeyEpochName

    /// Epoch 1 of a new space.
    public init(founding space: SpaceID, from entropy: inout Entropy) {
        let secrets = KeyEpochSecrets(access: entropy.secret(32), content: .key(entropy.secret(32)))
        self.init(of: space, [Epoch(.first, secrets, in: space)])
    }

    init(of space: SpaceID, _ epochs: [Epoch]) {
        precondition(!epochs.isEmpty, "a space without keys")
        self.space = space
        self.epochs = epochs
        currentName = epochs[epochs.count - 1].name
    }

    /// The one that is used for what is new.
    public var current: Epoch {
        guard let epoch = epoch(currentName) else {
            preconditionFailure("the current epoch \(currentName.number.value) is not held")
        }
        return epoch
    }

    func epoch(_ name: KeyEpochName) -> Epoch? {
        let place = epochs.partitioningIndex { $0.name >= name }
        return place < epochs.count && epochs[place].name == name ? epochs[place] : nil
    }

    public func holds(_ name: KeyEpochName) -> Bool { epoch(name) != nil }

    /// True when some payload can be opened: false at a relay.
    public var opensPayloads: Bool { !readable.isEmpty || epochs.contains { $0.content != nil } }

    /// The content key that a segment names; nil when it is not held. O(epochs), the newest first.
    public func content(named id: ContentKeyID) -> Secret? {
        for epoch in epochs.reversed() {
            if let content = epoch.content, ContentKeyID(of: content) == id { return content }
        }
        return readable.last { ContentKeyID(of: $0.content) == id }?.content
    }

    /// What is left when payloads need not be read any more: links can be opened, and that is all.
    public func withoutContent() -> SpaceKeys {
        var keys = self
        keys.readable = []
        keys.epochs = epochs.map { epoch in
            let half = epoch.secrets.contentHalf(of: space).map(KeyEpochSecrets.Content.half)
            let content = epoch.number == .first ? .unknown : half ?? .unknown
            return Epoch(epoch.number, KeyEpochSecrets(access: epoch.access, content: content), in: space)
        }
        return keys
    }

    // MARK: Growing

    /// Adds what another join brought; the later of the two epochs is used from now on.
    public mutating func formUnion(_ other: SpaceKeys) {
        precondition(space == other.space, "keys of two spaces")
        for epoch in other.epochs { _ = insert(epoch) }
        for epoch in other.readable { _ = insert(epoch) }
        if other.currentName > currentName, holds(other.currentName) { currentName = other.currentName }
    }

    /// Puts an epoch in its place; one that brings less than is held changes nothing. True when it is new.
    mutating func insert(_ epoch: Epoch) -> Bool {
        let place = epochs.partitioningIndex { $0.name >= epoch.name }
        if place < epochs.count, epochs[place].name == epoch.name {
            guard epochs[place].content == nil, epoch.content != nil else { return false }
            epochs[place] = epoch
            return true
        }
        epochs.insert(epoch, at: place)
        if epochs.count > RosterLimits.epochsMax {
            epochs.removeFirst()
            if epoch.name < epochs[0].name { return false }
        }
        return true
    }

    /// The same for what is only read with.
    mutating func insert(_ epoch: ReadableEpoch) -> Bool {
        let name = KeyEpochName(epoch.number, epoch.id(in: space))
        if epoch.number == .first {
            let isHeld = epochs.contains { $0.number == .first && $0.id == name.id }
            let count = readable.count { $0.number == .first }
            if isHeld || count >= RosterLimits.firstEpochsMax { return false }
        } else if self.epoch(name)?.content != nil {
            return false
        }
        let place = readable.partitioningIndex { KeyEpochName($0.number, $0.id(in: space)) >= name }
        if place < readable.count, readable[place] == epoch { return false }
        if readable.count >= RosterLimits.epochsMax {
            if place == 0 { return false }
            readable.insert(epoch, at: place)
            readable.removeFirst()
            return true
        }
        readable.insert(epoch, at: place)
        return true
    }
}

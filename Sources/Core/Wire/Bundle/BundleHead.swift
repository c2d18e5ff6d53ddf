// A bundle carries what a link would between boxes that never meet: one file, by a stick or any syncer
// (decision 0238). Whoever finds it shall not learn who is in the space, so all but its head is sealed under
// a key of its own, and that key is in a box for each member who may read:
//
//     "repldbdl" | version 1 | SpaceID 32 | salt 16 | n u32 | n × (tag 8 | box 80)      the head
//     length u32 | XChaCha20-Poly1305 of a record                                       as often as needed
//
// A box is found by its tag, which without the member's box key looks like chance. So a member that lacks
// the newest content key opens the bundle all the same, and finds that key in the roster inside.

public import Bytes
public import Causality
public import Crypto

/// The beginning of a bundle: of which space it is, and who can open it.
public struct BundleHead: Hashable, Sendable {
    static let magic = Array("repldbdl".utf8)
    private static let version: UInt8 = 1
    /// What stands before the boxes.
    static let fixedBytes = 8 + 1 + 32 + 16 + 4
    static let tagBytes = 8
    static let boxBytes = 32 + SealedBox.overheadBytes

    /// The bundle's key for one member.
    struct Box: Hashable, Sendable {
        let tag: [UInt8]
        let sealed: [UInt8]
    }

    public let space: SpaceID
    let salt: Bytes16
    /// Ascending by tag.
    let boxes: [Box]

    /// Of a new bundle, with the key of its records. `members`: the box keys of those who may read it, up to
    /// `WireLimits.bundleBoxesMax`. O(members), about 0.1 ms each.
    public static func make(
        for members: [Bytes32], in space: SpaceID, from entropy: inout Entropy
    ) -> (head: BundleHead, key: Secret) {
        precondition(members.count <= WireLimits.bundleBoxesMax, "a bundle for \(members.count) members")
        let (key, salt) = (entropy.secret(32), Bytes16(entropy.bytes(16)))
        let boxes = members.map { member in
            let ephemeral = AgreementKey(secret: entropy.secret(32))
            let sealed = SealedBox.seal(key.exposedBytes(), to: member, ephemeral: ephemeral)
            return Box(tag: tag(of: member, salt), sealed: sealed)
        }
        let head = BundleHead(space: space, salt: salt, boxes: boxes.sorted { $0.isBefore($1) })
        return (head, head.recordKey(from: key))
    }

    private init(space: SpaceID, salt: Bytes16, boxes: [Box]) {
        (self.space, self.salt, self.boxes) = (space, salt, boxes)
    }

    /// Members for whom it is sealed.
    public var memberCount: Int { boxes.count }

    /// The key of the records; nil when the bundle was not sealed for this box.
    public func recordKey(with box: AgreementKey) -> Secret? {
        let tag = Self.tag(of: box.publicKey, salt)
        // Tags of two members may be equal, and anybody can write one.
        for own in boxes.filter({ $0.tag == tag }).prefix(Self.equalTagsMax) {
            guard let key = SealedBox.open(own.sealed, with: box), key.count == 32 else { continue }
            return recordKey(from: Secret(copying: key))
        }
        return nil
    }

    private static let equalTagsMax = 4

    /// Bound to every byte of the head.
    private func recordKey(from key: Secret) -> Secret {
        KeyDerivation.derive(key, label: "repld-bundle-key", info: Blake2b.hash256(encoded()).bytes)
    }

    private static func tag(of boxKey: Bytes32, _ salt: Bytes16) -> [UInt8] {
        Array(Blake2b.hash256(salt.bytes + boxKey.bytes, personal: "repld-bundle-tag").bytes.prefix(tagBytes))
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: Self.fixedBytes + boxes.count * (Self.tagBytes + Self.boxBytes))
        writer.raw(Self.magic)
        writer.u8(Self.version)
        space.raw.encode(into: &writer)
        salt.encode(into: &writer)
        writer.u32(UInt32(boxes.count))
        for box in boxes {
            writer.raw(box.tag)
            writer.raw(box.sealed)
        }
        return writer.bytes
    }

    /// How many bytes the head has, as far as its beginning says; nil: more of it is needed.
    static func byteCount(announcedIn bytes: ArraySlice<UInt8>) throws(BundleFault.Reason) -> Int? {
        guard bytes.prefix(magic.count).elementsEqual(magic.prefix(bytes.count)) else { throw .notBundle }
        guard bytes.count > magic.count else { return nil }
        let version = bytes[bytes.startIndex + magic.count]
        guard version == Self.version else { throw .version(version) }
        guard bytes.count >= fixedBytes else { return nil }
        let count = bytes.dropFirst(fixedBytes - 4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= WireLimits.bundleBoxesMax else {
            throw .malformed(
                .overLimit(field: "boxes", value: UInt64(count), limit: UInt64(WireLimits.bundleBoxesMax)))
        }
        return fixedBytes + count * (tagBytes + boxBytes)
    }

    /// Reads a head of exactly these bytes, whose beginning `byteCount` looked at.
    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        try reader.skip(Self.magic.count + 1)
        space = SpaceID(raw: try Bytes32(from: &reader))
        salt = try Bytes16(from: &reader)
        let count = try reader.u32()
        var boxes: [Box] = []
        for _ in 0..<count {
            let box = Box(tag: try reader.raw(Self.tagBytes), sealed: try reader.raw(Self.boxBytes))
            if let last = boxes.last, !last.isBefore(box) { throw .notCanonical(field: "boxes") }
            boxes.append(box)
        }
        try reader.finish()
        self.boxes = boxes
    }
}

extension BundleHead.Box {
    fileprivate func isBefore(_ other: BundleHead.Box) -> Bool {
        tag == other.tag
            ? sealed.lexicographicallyPrecedes(other.sealed) : tag.lexicographicallyPrecedes(other.tag)
    }
}

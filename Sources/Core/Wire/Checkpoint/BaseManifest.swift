// All pages of a base, in key order, by the hash of each. Its own hash stands in the checkpoint, so each page
// that comes from anybody is checked on arrival (decision 0184, WIRE.md "Checkpoints"). Sizes are there so
// that who fetches them says how far it is; last keys, so that a document's page is found, and two manifests
// that differ say which documents may, before a page is there.

public import Bytes
import Crypto
import Documents

/// The pages of one base.
public struct BaseManifest: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let personal = "repld-manifest-1"

    /// One page.
    public struct Entry: Hashable, Sendable {
        public let hash: Bytes32
        public let byteCount: Int
        public let documentCount: Int
        /// Of its last document: the page holds the keys after the entry before, up to this one.
        public let lastKey: Key

        public init(hash: Bytes32, byteCount: Int, documentCount: Int, lastKey: Key) {
            self.hash = hash
            self.byteCount = byteCount
            self.documentCount = documentCount
            self.lastKey = lastKey
        }
    }

    /// Ascending by last key.
    public let entries: [Entry]

    public init(entries: [Entry]) {
        precondition(entries.count <= WireLimits.manifestPagesMax, "\(entries.count) pages")
        precondition(
            zip(entries, entries.dropFirst()).allSatisfy { $0.lastKey < $1.lastKey },
            "a manifest is ascending")
        for entry in entries { precondition(entry.fault == nil, "a page with a wrong \(entry.fault ?? "")") }
        self.entries = entries
    }

    /// O(pages), as is `byteCount`.
    public var documentCount: Int { entries.reduce(0) { $0 + $1.documentCount } }
    /// Of all pages.
    public var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

    /// The page that holds this key if the base does; nil past the last. O(log pages).
    public func index(of key: Key) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].lastKey < key { low = middle + 1 } else { high = middle }
        }
        return low < entries.count ? low : nil
    }

    /// True for a page that stands at this place: the documents are as many, the last is the last, and the
    /// first comes after the page before. That it has the hash is asked before it is decoded.
    public func holds(_ page: PageOutline, at index: Int) -> Bool {
        guard page.documents.count == entries[index].documentCount,
            let first = page.documents.first, page.documents.last?.key == entries[index].lastKey
        else { return false }
        return index == 0 || entries[index - 1].lastKey < first.key
    }

    /// By which a checkpoint names a manifest of these bytes.
    public static func hash(of bytes: [UInt8]) -> Bytes32 { Blake2b.hash256(bytes, personal: personal) }
}

// MARK: Bytes

extension BaseManifest {
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: entries.count * 48 + 8)
        writer.u8(Self.version)
        writer.varint(entries.count)
        for entry in entries {
            entry.hash.encode(into: &writer)
            writer.varint(entry.byteCount)
            writer.varint(entry.documentCount)
            writer.counted(entry.lastKey)
        }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        let limit = WireLimits.manifestBytesMax
        if bytes.count > limit {
            throw .overLimit(field: "manifest", value: UInt64(bytes.count), limit: UInt64(limit))
        }
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "manifest", value: UInt64(version)) }
        let count = try reader.count(limit: WireLimits.manifestPagesMax, field: "manifest")
        var entries: [Entry] = []
        entries.reserveCapacity(min(count, reader.remaining / Entry.bytesMin))
        for _ in 0..<count {
            let entry = try Entry(from: &reader)
            if let former = entries.last, former.lastKey >= entry.lastKey {
                throw .notCanonical(field: "manifest")
            }
            entries.append(entry)
        }
        try reader.finish()
        self.entries = entries
    }
}

extension BaseManifest.Entry {
    fileprivate static let bytesMin = 36
    /// The version, and a document with a key of one byte, no frontier and no snapshot.
    private static let pageBytesMin = 1 + 4

    /// Which field says what cannot be; nil: none.
    fileprivate var fault: String? {
        if byteCount < Self.pageBytesMin || byteCount > WireLimits.pageBytesMax { return "page bytes" }
        if documentCount < 1 || documentCount > byteCount / 4 { return "page documents" }
        return (1...DocumentLimits.documentKeyBytesMax).contains(lastKey.utf8Count) ? nil : "document key"
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        hash = try Bytes32(from: &reader)
        byteCount = try reader.count(limit: WireLimits.pageBytesMax, field: "page bytes")
        documentCount = try reader.count(limit: WireLimits.pageBytesMax, field: "page documents")
        lastKey = try reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        if let fault { throw .outOfRange(field: fault) }
    }
}

// A part of a base: some documents in key order, each as it is in its normal form. Where a page ends depends
// on the keys and sizes of its own documents only, so a document that changed changes its page, and mostly no
// other: a node computes its next base, and a peer fetches it, at the cost of what changed (decision 0184).

public import Bytes
public import Causality
import Crypto
import Documents

/// Consecutive documents of a base.
public struct BasePage: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let personal = "repld-cp-page-v1"

    public struct Document: Hashable, Sendable {
        public let key: Key
        /// Changes that touched it and that no other such change covers, ascending.
        public let frontier: [Dot]
        /// WIRE.md, "Snapshots".
        public let snapshot: [UInt8]

        public init(key: Key, frontier: [Dot], snapshot: [UInt8]) {
            precondition(
                (1...DocumentLimits.documentKeyBytesMax).contains(key.utf8Count), "a key of \(key.utf8Count)")
            precondition(zip(frontier, frontier.dropFirst()).allSatisfy { $0 < $1 }, "a frontier ascends")
            self.key = key
            self.frontier = frontier
            self.snapshot = snapshot
        }
    }

    /// Ascending by key, at least one.
    public let documents: [Document]

    public init(documents: [Document]) {
        precondition(!documents.isEmpty, "a page of nothing")
        precondition(
            zip(documents, documents.dropFirst()).allSatisfy { $0.key < $1.key }, "a page is ascending")
        self.documents = documents
    }

    /// By which a manifest names a page of these bytes.
    public static func hash(of bytes: [UInt8]) -> Bytes32 { Blake2b.hash256(bytes, personal: personal) }

    /// True for a key after which a page ends however short it is: the last bits of
    /// BLAKE2b-256(key), personal "repld-bucket-1", are zero.
    public static func endsPage(_ key: Key) -> Bool {
        let last = Blake2b.hash256(Array(key.utf8), personal: "repld-bucket-1").bytes[Bytes32.byteCount - 1]
        return last & ((1 << WireLimits.pageKeyBits) - 1) == 0
    }
}

/// Cuts documents into pages, as they come in key order. One for each base.
public struct BasePager: Sendable {
    private var page = ByteWriter()
    private var documentCount = 0
    private var lastKey: Key?

    public init() {}

    /// A page that is whole.
    public struct Page: Hashable, Sendable {
        public let entry: BaseManifest.Entry
        public let bytes: [UInt8]
    }

    /// The next document; the page that it ends, if it does.
    public mutating func add(_ document: BasePage.Document) -> Page? {
        if let lastKey { precondition(lastKey < document.key, "documents come in key order") }
        if documentCount == 0 { page = BasePage.begin() }
        document.encode(into: &page)
        precondition(page.count <= WireLimits.pageBytesMax, "a page of \(page.count) bytes")
        documentCount += 1
        lastKey = document.key
        return page.count >= WireLimits.pageBytesAim || BasePage.endsPage(document.key) ? finish() : nil
    }

    /// The last page; nil where the last document ended one.
    public mutating func finish() -> Page? {
        guard documentCount > 0, let lastKey else { return nil }
        defer { (page, documentCount) = (ByteWriter(), 0) }
        let entry = BaseManifest.Entry(
            hash: BasePage.hash(of: page.bytes), byteCount: page.count, documentCount: documentCount,
            lastKey: lastKey)
        return Page(entry: entry, bytes: page.bytes)
    }
}

// MARK: Bytes

extension BasePage {
    /// A page without documents. Each follows as key, counted ‖ dots, counted: replica 16 ‖ sequence varint ‖
    /// snapshot, counted.
    public static func begin() -> ByteWriter {
        var writer = ByteWriter(reserving: 4_096)
        writer.u8(version)
        return writer
    }

    static func readVersion(from reader: inout ByteReader) throws(DecodeFault) {
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "page", value: UInt64(version)) }
    }

    public func encoded() -> [UInt8] {
        var writer = Self.begin()
        for document in documents { document.encode(into: &writer) }
        return writer.bytes
    }

    /// Up to the end: a page has no count. Snapshots are looked at by who opens them.
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        let outline = try PageOutline(decoding: bytes)
        documents = outline.documents.map {
            Document(key: $0.key, frontier: outline.frontier(of: $0), snapshot: outline.snapshot(of: $0))
        }
    }
}

extension BasePage.Document {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.counted(key)
        writer.varint(frontier.count)
        for dot in frontier {
            dot.replica.raw.encode(into: &writer)
            writer.varint(dot.sequence.value)
        }
        writer.counted(snapshot)
    }
}

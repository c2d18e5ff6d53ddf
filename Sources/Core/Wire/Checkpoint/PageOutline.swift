// A page of a base as it lies in its bytes. A newcomer takes a million documents that it only checks and
// keeps: none of them is taken out of the page for that.

public import Bytes
public import Causality
import Documents

/// A page that was checked, but for its snapshots: those are looked at by who opens them.
public struct PageOutline: Sendable {
    public struct Document: Sendable {
        public let key: Key
        /// Where it begins, with the length of its key.
        public let start: Int
        /// Its dots, with their count in front.
        fileprivate let dots: Range<Int>
        public let dotCount: Int
        /// Without its length.
        public let snapshot: Range<Int>

        /// Key, dots and, with their length, the bytes of the snapshot.
        public var whole: Range<Int> { start..<snapshot.upperBound }
        /// Key and dots.
        public var head: Range<Int> { start..<dots.upperBound }
    }

    public let bytes: [UInt8]
    /// Ascending by key, at least one.
    public let documents: [Document]

    /// Accepts what `BasePage.encoded` makes, and nothing else.
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        if bytes.count > WireLimits.pageBytesMax {
            throw .overLimit(
                field: "page", value: UInt64(bytes.count), limit: UInt64(WireLimits.pageBytesMax))
        }
        var reader = ByteReader(bytes)
        try BasePage.readVersion(from: &reader)
        if reader.isAtEnd { throw .outOfRange(field: "page") }
        var documents: [Document] = []
        while !reader.isAtEnd {
            let document = try Document(from: &reader)
            if let former = documents.last, former.key >= document.key {
                throw .notCanonical(field: "page")
            }
            documents.append(document)
        }
        (self.bytes, self.documents) = (bytes, documents)
    }

    /// Ascending.
    public func frontier(of document: Document) -> [Dot] {
        var reader = ByteReader(bytes, in: document.dots)
        do throws(DecodeFault) {
            var frontier: [Dot] = []
            for _ in 0..<(try Document.dotCount(from: &reader)) {
                frontier.append(try Document.dot(from: &reader))
            }
            return frontier
        } catch {
            preconditionFailure("the dots of a page were read once: \(error)")
        }
    }

    public func snapshot(of document: Document) -> [UInt8] { Array(bytes[document.snapshot]) }
}

extension PageOutline.Document {
    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        start = reader.offset
        key = try reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        if key.utf8Count == 0 { throw .outOfRange(field: "document key") }
        let first = reader.offset
        dotCount = try Self.dotCount(from: &reader)
        var former: Dot?
        for _ in 0..<dotCount {
            let dot = try Self.dot(from: &reader)
            if let former, former >= dot { throw .notCanonical(field: "frontier") }
            former = dot
        }
        dots = first..<reader.offset
        let count = try reader.count(limit: WireLimits.pageBytesMax, field: "snapshot")
        try reader.skip(count)
        snapshot = reader.offset - count..<reader.offset
    }

    fileprivate static func dotCount(from reader: inout ByteReader) throws(DecodeFault) -> Int {
        // A dot takes at least 17 bytes.
        try reader.count(limit: reader.remaining / 17, field: "frontier")
    }

    fileprivate static func dot(from reader: inout ByteReader) throws(DecodeFault) -> Dot {
        let replica = ReplicaID(raw: try Bytes16(from: &reader))
        return Dot(replica, try SequenceNumber(from: &reader, field: "frontier"))
    }
}

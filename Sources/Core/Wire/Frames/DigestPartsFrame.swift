// After two digests differed at equal vectors: where. The parts are compared first, then the documents of the
// first part that differs, so that the alarm can name one.

public import Bytes
import Documents

/// A short hash of each part of a state digest.
public struct DigestPartsFrame: FrameBody {
    public static let type = FrameType.digestParts
    /// The state that it is of: `DigestFrame.documentsDigest`.
    public let of: Bytes32
    /// 256 of them.
    public let parts: [UInt64]
    public static let partCount = 256

    public init(of: Bytes32, parts: [UInt64]) {
        precondition(parts.count == Self.partCount, "\(parts.count) parts")
        self.of = of
        self.parts = parts
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        of = try Bytes32(from: &reader)
        var parts: [UInt64] = []
        for _ in 0..<Self.partCount { parts.append(try reader.u64()) }
        self.parts = parts
    }

    public func encode(into writer: inout ByteWriter) {
        of.encode(into: &writer)
        for part in parts { writer.u64(part) }
    }
}

/// The documents of one part, each with its digest; the first ones when there are many.
public struct DigestDocumentsFrame: FrameBody {
    public static let type = FrameType.digestDocuments
    public static let documentsMax = 1_024

    public struct Line: Hashable, Sendable {
        public let key: Key
        public let digest: Bytes32

        public init(key: Key, digest: Bytes32) {
            self.key = key
            self.digest = digest
        }
    }

    public let of: Bytes32
    public let part: UInt8
    /// Ascending by key.
    public let lines: [Line]

    public init(of: Bytes32, part: UInt8, lines: [Line]) {
        precondition(lines.count <= Self.documentsMax, "\(lines.count) documents")
        self.of = of
        self.part = part
        self.lines = lines
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        of = try Bytes32(from: &reader)
        part = try reader.u8()
        let count = try reader.count(limit: Self.documentsMax, field: "documents")
        var lines: [Line] = []
        for _ in 0..<count {
            let key = try reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
            if let last = lines.last, last.key >= key { throw .notCanonical(field: "documents") }
            lines.append(Line(key: key, digest: try Bytes32(from: &reader)))
        }
        self.lines = lines
    }

    public func encode(into writer: inout ByteWriter) {
        of.encode(into: &writer)
        writer.u8(part)
        writer.varint(lines.count)
        for line in lines {
            writer.counted(line.key.utf8)
            line.digest.encode(into: &writer)
        }
    }
}

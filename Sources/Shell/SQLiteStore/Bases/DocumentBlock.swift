// Documents of a base lie in blocks: some dozens in key order, in one row. A base that comes from a peer is
// hundreds of thousands of small documents, and a row for each costs many times what its bytes do.
//
//     entry      flags u8 ‖ key, counted ‖ [position varint] ‖ dots, counted: replica 16 ‖ sequence varint
//                ‖ content
//     flags      1 visible, 2 has a position, 4 its snapshot lies apart, 8 no document any more
//     content    the snapshot, counted; or where it lies apart: row varint ‖ length varint; or nothing
//
// An entry without a position has that of its block. Candidates have none, so that they become bases when
// their block gets one, as it is.

import Bytes
import Causality
import Node
import Wire

/// A document as a block holds it.
struct BlockEntry {
    enum Content {
        /// The base does not hold the document any more: of candidates only.
        case absent
        case inline([UInt8])
        /// A row of `large_snapshots`.
        case apart(row: Int64, bytes: Int)
    }

    let key: Key
    let isVisible: Bool
    /// `.start` of a candidate.
    let position: CommitPosition
    /// Ascending.
    let frontier: [Dot]
    let content: Content

    /// Bytes that `StoredBases.baseBytes` counts for the document.
    var size: Int { key.utf8Count + frontier.count * 24 + snapshotBytes }

    private var snapshotBytes: Int {
        switch content {
        case .absent: 0
        case .inline(let bytes): bytes.count
        case .apart(_, let bytes): bytes
        }
    }

    /// Bytes that it takes in a block, or a few more.
    var bytesInBlock: Int {
        let inline = if case .inline(let bytes) = content { bytes.count } else { 16 }
        return key.utf8Count + frontier.count * 26 + inline + 12
    }

    /// A base as it is listed, where the document has no record of its own.
    var record: DocumentRecord {
        DocumentRecord(key: key, isVisible: isVisible, frontier: frontier, position: position)
    }

    /// Where its snapshot lies, when that is apart.
    var rowApart: Int64? { if case .apart(let row, _) = content { row } else { nil } }
}

/// What stands beside the content of a block, so that many can be moved and counted without being read.
struct BlockFigures {
    var documents = 0
    var visible = 0
    /// As `BlockEntry.size`.
    var bytes = 0
    /// Of `documents`: those that are absent.
    var absent = 0

    init() {}

    init(_ entries: some Collection<BlockEntry>) {
        for entry in entries {
            documents += 1
            if entry.isVisible { visible += 1 }
            bytes += entry.size
            if case .absent = entry.content { absent += 1 }
        }
    }

    mutating func add(_ document: PageOutline.Document, isVisible: Bool) {
        documents += 1
        if isVisible { visible += 1 }
        bytes += document.key.utf8Count + document.dotCount * 24 + document.snapshot.count
    }
}

/// The bytes of a block.
enum DocumentBlock {
    private static let visible: UInt8 = 1
    private static let hasPosition: UInt8 = 2
    private static let apart: UInt8 = 4
    private static let absent: UInt8 = 8

    /// `position`: of the block.
    static func encode(_ entries: some Collection<BlockEntry>, at position: CommitPosition) -> [UInt8] {
        var writer = ByteWriter(reserving: entries.reduce(0) { $0 + $1.bytesInBlock })
        for entry in entries {
            var flags = entry.isVisible ? visible : 0
            if entry.position != position { flags |= hasPosition }
            switch entry.content {
            case .absent: flags |= absent
            case .inline: break
            case .apart: flags |= apart
            }
            writer.u8(flags)
            writer.counted(entry.key)
            if flags & hasPosition != 0 { writer.varint(entry.position.value) }
            writer.varint(entry.frontier.count)
            for dot in entry.frontier {
                dot.replica.raw.encode(into: &writer)
                writer.varint(dot.sequence.value)
            }
            switch entry.content {
            case .absent: break
            case .inline(let bytes): writer.counted(bytes)
            case .apart(let row, let bytes):
                writer.varint(UInt64(row))
                writer.varint(bytes)
            }
        }
        return writer.bytes
    }

    /// A candidate as it lies in a page. `rowApart`: where its snapshot lies, if that is apart.
    static func append(
        _ document: PageOutline.Document, of page: [UInt8], isVisible: Bool, rowApart: Int64?,
        to writer: inout ByteWriter
    ) {
        let flags = (isVisible ? visible : 0) | (rowApart == nil ? 0 : apart)
        writer.u8(flags)
        page.withUnsafeBufferPointer { bytes in
            let copied = rowApart == nil ? document.whole : document.head
            writer.raw(UnsafeBufferPointer(rebasing: bytes[copied]))
        }
        guard let rowApart else { return }
        writer.varint(UInt64(rowApart))
        writer.varint(document.snapshot.count)
    }

    /// All entries of a block, in key order.
    static func entries(_ bytes: [UInt8], at position: CommitPosition, in path: String)
        throws(StoreFailure) -> [BlockEntry]
    {
        try StoredForms.decode(bytes, column: .block, in: path) { reader throws(DecodeFault) in
            var entries: [BlockEntry] = []
            while !reader.isAtEnd {
                let head = try Head(from: &reader, of: bytes)
                entries.append(try entry(head, from: &reader, at: position))
            }
            return entries
        }
    }

    /// One entry of a block; nil: it holds none of that key. The others are passed over.
    static func entry(_ key: Key, in bytes: [UInt8], at position: CommitPosition, _ path: String)
        throws(StoreFailure) -> BlockEntry?
    {
        try StoredForms.decode(bytes, column: .block, in: path) { reader throws(DecodeFault) in
            while !reader.isAtEnd {
                let head = try Head(from: &reader, of: bytes)
                if try !head.isKey(key) {
                    try head.passRest(&reader)
                    continue
                }
                return try entry(head, from: &reader, at: position)
            }
            return nil
        }
    }

    /// The same as listings want them: snapshots are passed over. Those that are absent are not among them.
    static func records(_ bytes: [UInt8], at position: CommitPosition, in path: String)
        throws(StoreFailure) -> [DocumentRecord]
    {
        try StoredForms.decode(bytes, column: .block, in: path) { reader throws(DecodeFault) in
            var records: [DocumentRecord] = []
            while !reader.isAtEnd {
                let head = try Head(from: &reader, of: bytes)
                let key = try head.key()
                let own = try head.position(from: &reader) ?? position
                let frontier = try head.frontier(from: &reader)
                try head.passContent(&reader)
                if head.flags & absent != 0 { continue }
                records.append(
                    DocumentRecord(
                        key: key, isVisible: head.flags & visible != 0, frontier: frontier, position: own))
            }
            return records
        }
    }

    /// Where the parts of a document lie in its block that a page has too.
    struct Place {
        /// The key and its length.
        let key: Range<Int>
        /// The dots, and the snapshot unless that lies apart.
        let rest: Range<Int>
        /// Where it lies then.
        let rowApart: Int64?
    }

    /// All documents of a block of bases, in key order; those up to `after` are passed over.
    static func places(_ bytes: [UInt8], after: Key?, in path: String) throws(StoreFailure) -> [Place] {
        try StoredForms.decode(bytes, column: .block, in: path) { reader throws(DecodeFault) in
            var places: [Place] = []
            while !reader.isAtEnd {
                let start = reader.offset + 1
                let head = try Head(from: &reader, of: bytes)
                if head.flags & absent != 0 { throw .outOfRange(field: "flags") }
                let key = start..<reader.offset
                if let after, places.isEmpty, !head.isBehind(after) {
                    try head.passRest(&reader)
                    continue
                }
                _ = try head.position(from: &reader)
                let dots = reader.offset
                try head.passFrontier(&reader)
                let inline = reader.offset
                try head.passContent(&reader)
                places.append(
                    Place(
                        key: key, rest: dots..<(head.flags & apart == 0 ? reader.offset : inline),
                        rowApart: try head.rowApart(at: inline)))
            }
            return places
        }
    }

    private static func entry(
        _ head: Head, from reader: inout ByteReader, at position: CommitPosition
    ) throws(DecodeFault) -> BlockEntry {
        let key = try head.key()
        let own = try head.position(from: &reader) ?? position
        let frontier = try head.frontier(from: &reader)
        let content: BlockEntry.Content
        if head.flags & absent != 0 {
            content = .absent
        } else if head.flags & apart != 0 {
            guard let row = Int64(exactly: try reader.varint()) else { throw .outOfRange(field: "row") }
            content = .apart(row: row, bytes: try reader.count(limit: Int(Int32.max), field: "length"))
        } else {
            content = .inline(try reader.counted(limit: reader.remaining, field: "snapshot"))
        }
        return BlockEntry(
            key: key, isVisible: head.flags & visible != 0, position: own, frontier: frontier,
            content: content)
    }

    /// The beginning of an entry, read as far as its key.
    private struct Head {
        let flags: UInt8
        private let bytes: [UInt8]
        private let place: Range<Int>

        init(from reader: inout ByteReader, of bytes: [UInt8]) throws(DecodeFault) {
            flags = try reader.u8()
            let count = try reader.count(limit: reader.remaining, field: "key")
            place = reader.offset..<reader.offset + count
            self.bytes = bytes
            try reader.skip(count)
        }

        func key() throws(DecodeFault) -> Key {
            let key = bytes.withUnsafeBufferPointer {
                Key(validating: UnsafeBufferPointer(rebasing: $0[place]))
            }
            guard let key else { throw .invalidUTF8(at: place.lowerBound) }
            return key
        }

        func isKey(_ key: Key) throws(DecodeFault) -> Bool {
            guard key.utf8Count == place.count else { return false }
            return key.withUTF8 { wanted in
                bytes.withUnsafeBufferPointer {
                    UnsafeBufferPointer(rebasing: $0[place]).elementsEqual(wanted)
                }
            }
        }

        func isBehind(_ key: Key) -> Bool {
            key.withUTF8 { other in
                bytes.withUnsafeBufferPointer {
                    other.lexicographicallyPrecedes(UnsafeBufferPointer(rebasing: $0[place]))
                }
            }
        }

        func position(from reader: inout ByteReader) throws(DecodeFault) -> CommitPosition? {
            flags & DocumentBlock.hasPosition == 0 ? nil : CommitPosition(try reader.varint())
        }

        func frontier(from reader: inout ByteReader) throws(DecodeFault) -> [Dot] {
            // A dot takes at least 17 bytes.
            let count = try reader.count(limit: reader.remaining / 17, field: "frontier")
            var frontier: [Dot] = []
            frontier.reserveCapacity(count)
            for _ in 0..<count {
                let replica = ReplicaID(raw: try Bytes16(from: &reader))
                frontier.append(Dot(replica, SequenceNumber(try reader.varint())))
            }
            return frontier
        }

        func passRest(_ reader: inout ByteReader) throws(DecodeFault) {
            _ = try position(from: &reader)
            try passFrontier(&reader)
            try passContent(&reader)
        }

        func passFrontier(_ reader: inout ByteReader) throws(DecodeFault) {
            for _ in 0..<(try reader.count(limit: reader.remaining / 17, field: "frontier")) {
                try reader.skip(Bytes16.byteCount)
                _ = try reader.varint()
            }
        }

        /// Where the content begins at `offset`.
        func rowApart(at offset: Int) throws(DecodeFault) -> Int64? {
            if flags & DocumentBlock.apart == 0 { return nil }
            var reader = ByteReader(bytes, in: offset..<bytes.count)
            guard let row = Int64(exactly: try reader.varint()) else { throw .outOfRange(field: "row") }
            return row
        }

        func passContent(_ reader: inout ByteReader) throws(DecodeFault) {
            if flags & DocumentBlock.absent != 0 { return }
            if flags & DocumentBlock.apart != 0 {
                _ = try reader.varint()
                _ = try reader.varint()
            } else {
                try reader.skip(try reader.count(limit: reader.remaining, field: "snapshot"))
            }
        }
    }
}

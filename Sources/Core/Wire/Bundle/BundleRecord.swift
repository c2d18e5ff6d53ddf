// The records of a bundle: the bodies of frames as links carry them, and what a link says by being one. Their
// order is that in which they can be taken: the roster, which brings keys, then proofs, the base and what
// follows it, then what the writer holds.

public import Bytes
import Causality

/// One record, opened.
public enum BundleRecord: Hashable, Sendable {
    /// Roster operations, each after those that it names.
    case roster(RosterOperationsFrame)
    /// The body of a FORK_PROOF.
    case forkProof([UInt8])
    /// The base of this checkpoint follows: its table, its manifest, its pages, as parts.
    case base(checkpoint: Bytes32)
    case basePart(BasePartFrame)
    /// The body of a SEGMENT, and how many changes are in it, as its writer says.
    case segment(changes: Int, [UInt8])
    case statement(BundleStatement)
    case end(BundleEnd)
    /// Of a newer version; passed over.
    case unknown(UInt8)

    private enum Kind: UInt8 {
        case roster = 1
        case forkProof
        case base
        case basePart
        case segment
        case statement
        case end
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 256)
        switch self {
        case .roster(let frame):
            writer.u8(Kind.roster.rawValue)
            frame.encode(into: &writer)
        case .forkProof(let body):
            writer.u8(Kind.forkProof.rawValue)
            writer.raw(body)
        case .base(let checkpoint):
            writer.u8(Kind.base.rawValue)
            checkpoint.encode(into: &writer)
        case .basePart(let frame):
            writer.u8(Kind.basePart.rawValue)
            frame.encode(into: &writer)
        case .segment(let changes, let body):
            writer.u8(Kind.segment.rawValue)
            writer.varint(changes)
            writer.raw(body)
        case .statement(let statement):
            writer.u8(Kind.statement.rawValue)
            statement.encode(into: &writer)
        case .end(let end):
            writer.u8(Kind.end.rawValue)
            end.encode(into: &writer)
        case .unknown(let kind): writer.u8(kind)
        }
        precondition(writer.count <= WireLimits.frameBytesMax + 16, "a record of \(writer.count) bytes")
        return writer.bytes
    }

    /// Exactly one record. Bodies of SEGMENT and FORK_PROOF are kept as they are: to read them one must know
    /// the space.
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let tag = try reader.u8()
        switch Kind(rawValue: tag) {
        case .roster: self = .roster(try RosterOperationsFrame(from: &reader))
        case .forkProof: self = .forkProof(try reader.raw(reader.remaining))
        case .base: self = .base(checkpoint: try Bytes32(from: &reader))
        case .basePart: self = .basePart(try BasePartFrame(from: &reader))
        case .segment:
            let changes = try reader.count(limit: WireLimits.runBytesMax, field: "changes")
            self = .segment(changes: changes, try reader.raw(reader.remaining))
        case .statement: self = .statement(try BundleStatement(from: &reader))
        case .end: self = .end(try BundleEnd(from: &reader))
        case nil:
            self = .unknown(tag)
            try reader.skip(reader.remaining)
        }
        try reader.finish()
    }
}

/// The last record.
public struct BundleEnd: Hashable, Sendable {
    /// Before this one.
    public let records: UInt64
    /// In all segments.
    public let changes: UInt64

    public init(records: UInt64, changes: UInt64) {
        (self.records, self.changes) = (records, changes)
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        records = try reader.varint()
        changes = try reader.varint()
    }

    func encode(into writer: inout ByteWriter) {
        writer.varint(records)
        writer.varint(changes)
    }
}

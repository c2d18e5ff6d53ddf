// What a space keeps of its newest standing checkpoint: what it holds, and what follows for documents and
// logs. Documents are its base and the executed changes beyond what it holds, in normal form as of what the
// one before it covered (LIFECYCLE 2).

import Bytes
import Causality
import Wire

/// A checkpoint that stands, as documents and logs depend on it.
struct StandingBase: Hashable, Sendable {
    /// The roster operation.
    let id: Bytes32
    /// What it holds (W): final.
    let covered: VersionVector
    /// What the one before it holds (V): every change that is still to come has seen that.
    let released: VersionVector
    /// The hash of all pages, and what is in them.
    let summary: BaseSummary
    /// Changes that it covers, as far as this node has counted them.
    let changes: Int
    /// Documents of it that show, once it is applied.
    var visible = 0

    init(id: Bytes32, covered: VersionVector, released: VersionVector, summary: BaseSummary, changes: Int) {
        precondition(covered.covers(released), "checkpoint \(id) holds less than the one before it")
        (self.id, self.covered, self.released, self.summary) = (id, covered, released, summary)
        self.changes = changes
    }

    /// True when the change lies beyond the base.
    func isBeyond(_ record: CommitRecord) -> Bool { record.last > covered[record.replica] }

    private static let version: UInt8 = 1

    /// version u8 | id 32 | covered, released: count, each replica 16 and last | manifest 32 | documents |
    /// bytes | changes | visible
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 128 + 24 * covered.count)
        writer.u8(Self.version)
        id.encode(into: &writer)
        for vector in [covered, released] { vector.encode(into: &writer) }
        summary.manifest.encode(into: &writer)
        writer.varint(summary.documents)
        writer.varint(summary.bytes)
        writer.varint(changes)
        writer.varint(visible)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "standing checkpoint", value: UInt64(version))
        }
        let id = try Bytes32(from: &reader)
        let covered = try VersionVector(from: &reader)
        let released = try VersionVector(from: &reader)
        let manifest = try Bytes32(from: &reader)
        let documents = try reader.count(limit: .max, field: "documents")
        let size = try reader.count(limit: .max, field: "bytes")
        let changes = try reader.count(limit: .max, field: "changes")
        let visible = try reader.count(limit: .max, field: "visible documents")
        try reader.finish()
        guard covered.covers(released) else { throw .outOfRange(field: "standing checkpoint") }
        let summary = BaseSummary(manifest: manifest, documents: documents, bytes: size)
        self.init(id: id, covered: covered, released: released, summary: summary, changes: changes)
        self.visible = visible
    }
}

extension VersionVector {
    /// For the store: count, each replica 16 and last.
    func encode(into writer: inout ByteWriter) {
        writer.varint(count)
        for entry in entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.last.value)
        }
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init()
        for _ in 0..<(try reader.count(limit: 1 << 24, field: "vector")) {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            let last = try reader.varint()
            guard last > 0, last <= SequenceNumber.max.value else { throw .outOfRange(field: "vector") }
            advance(replica, to: SequenceNumber(last))
        }
    }
}

extension Bytes32 {
    /// The first eight digits, for people.
    var shortText: String { String(SpaceID(raw: self).description.prefix(8)) }
}

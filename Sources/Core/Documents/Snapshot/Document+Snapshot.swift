// Snapshots of documents: what the store keeps so that a document need not be rebuilt from its log, and what
// state digests are made of.

public import Bytes
import Crypto

extension Document {
    /// The document's canonical bytes. Two replicas that executed the same operations give the same, whatever
    /// the order of delivery. O(size).
    public func encodeSnapshot() -> [UInt8] { SnapshotEncoder.encode(self) }

    /// Reads `encodeSnapshot` back; total on any input.
    public init(snapshot: [UInt8]) throws(DecodeFault) { self = try SnapshotDecoder.decode(snapshot) }

    /// Checks a snapshot as `init(snapshot:)` does, and throws whenever that throws, but does not keep the
    /// document. It makes no maps and registers; other kinds it has to make. O(size).
    public static func outline(of snapshot: [UInt8]) throws(DecodeFault) -> SnapshotOutline {
        try SnapshotDecoder.outline(of: snapshot, in: snapshot.indices)
    }

    /// The same of a snapshot that lies among other bytes; `range` inside of them.
    public static func outline(of bytes: [UInt8], in range: Range<Int>) throws(DecodeFault) -> SnapshotOutline
    {
        try SnapshotDecoder.outline(of: bytes, in: range)
    }

    /// A hash of the snapshot.
    public func digest() -> Bytes32 {
        if isPlanted("digest-ignores-counters") {
            // Of the values alone, and without those of counters.
            var hashed = self
            hashed.state.contents.counters = state.contents.counters.map { _ in CounterContent() }
            var text: [UInt8] = []
            CanonicalJSON.append(hashed.plain ?? .emptyObject, to: &text)
            return Blake2b.hash256(text, personal: "repld-document-1")
        }
        return Blake2b.hash256(encodeSnapshot(), personal: "repld-document-1")
    }
}

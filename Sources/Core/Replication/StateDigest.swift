// The check that nothing else makes: nodes that hold the same changes must show the same documents. Each
// document has a digest; they are added up, so their order does not matter, in 256 parts by a hash of the
// key. When two nodes with equal vectors differ, the parts say where, and the documents of one part say which
// is the first (Merkle 1987, with one level: a space has few enough documents that two are not needed).

public import Bytes
import Crypto

/// Sums of document digests, modulo 2^64 in each of four words.
public struct StateDigest: Hashable, Sendable {
    /// One document, as it counts.
    public struct Line: Hashable, Sendable {
        public let key: Key
        public let digest: Bytes32

        public init(key: Key, digest: Bytes32) {
            self.key = key
            self.digest = digest
        }
    }

    private var parts: [Sum]

    private struct Sum: Hashable, Sendable {
        var words: [UInt64] = [0, 0, 0, 0]

        mutating func add(_ bytes: Bytes32) {
            var reader = bytes.bytes[...]
            for index in 0..<4 {
                let word = reader.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                words[index] = words[index] &+ word
                reader = reader.dropFirst(8)
            }
        }

        func encode(into writer: inout ByteWriter) {
            for word in words { writer.u64(word) }
        }
    }

    public init() { parts = [Sum](repeating: Sum(), count: ReplicationLimits.digestBuckets) }

    /// Which part a document counts in: the first byte of BLAKE2b-256(key), personal "repld-bucket-1".
    public static func part(of key: Key) -> Int {
        Int(Blake2b.hash256(Array(key.utf8), personal: "repld-bucket-1").bytes[0])
    }

    public mutating func add(_ line: Line) {
        var writer = ByteWriter(reserving: 96)
        writer.counted(line.key.utf8)
        line.digest.encode(into: &writer)
        parts[Self.part(of: line.key)].add(Blake2b.hash256(writer.bytes, personal: "repld-doc-line-1"))
    }

    /// The hash of all parts.
    public var whole: Bytes32 {
        var writer = ByteWriter(reserving: 32 * parts.count)
        for part in parts { part.encode(into: &writer) }
        return Blake2b.hash256(writer.bytes, personal: "repld-state-1")
    }

    /// A short hash of each part, to find where two differ.
    public var partHashes: [UInt64] {
        parts.map { part in
            var writer = ByteWriter(reserving: 32)
            part.encode(into: &writer)
            return Blake2b.hash256(writer.bytes).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The first part that differs; nil when none does, or the lists are of different lengths.
    public static func firstDifference(_ mine: [UInt64], _ theirs: [UInt64]) -> Int? {
        guard mine.count == theirs.count else { return nil }
        return zip(mine, theirs).enumerated().first { $1.0 != $1.1 }?.offset
    }

    /// The first document, by key, that one of two lists lacks or has otherwise; lists ascend by key.
    public static func firstDifference(_ mine: [Line], _ theirs: [Line]) -> Key? {
        let (a, b) = (Set(mine), Set(theirs))
        return a.symmetricDifference(b).map(\.key).min()
    }
}

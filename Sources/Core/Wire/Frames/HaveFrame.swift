// Which changes a node holds on its disk. What to send follows from the other side's last HAVE and what is in
// flight; so there is no frame to ask for changes, and a delta is also the acknowledgement. Beside each
// sequence stands a short keyed hash of the chain there: equal sequences with different hashes are a
// suspicion of a fork.

public import Bytes
public import Causality
import Crypto

/// Version vector of one side, in full once a link, then what advanced.
public struct HaveFrame: FrameBody {
    public static let type = FrameType.have

    public enum Extent: UInt8, Hashable, Sendable {
        /// Replaces what was said before.
        case full = 0
        /// Only what advanced.
        case delta = 1
    }

    /// One log, up to its last sequence held.
    public struct Entry: Hashable, Sendable {
        public let replica: ReplicaID
        public let last: SequenceNumber
        /// Of the chain hash at `last`.
        public let fingerprint: UInt64

        public init(replica: ReplicaID, last: SequenceNumber, fingerprint: UInt64) {
            self.replica = replica
            self.last = last
            self.fingerprint = fingerprint
        }

        /// First 8 bytes of BLAKE2b-256(chain hash), keyed with the link's 64-byte handshake hash: it shows
        /// the other side nothing that it does not hold itself, and cannot be replayed on another link.
        public static func fingerprint(of chainHash: Bytes32, handshakeHash: [UInt8]) -> UInt64 {
            Blake2b.hash256(chainHash.bytes, key: handshakeHash).bytes.prefix(8).reduce(0) {
                $0 << 8 | UInt64($1)
            }
        }
    }

    public let extent: Extent
    /// Ascending by replica, each once.
    public let entries: [Entry]

    public init(_ extent: Extent, _ entries: [Entry]) {
        precondition(entries.count <= WireLimits.haveEntriesMax, "\(entries.count) entries in a HAVE")
        precondition(
            zip(entries, entries.dropFirst()).allSatisfy { $0.replica < $1.replica }, "HAVE is ascending")
        self.extent = extent
        self.entries = entries
    }

    /// What one HAVE of any number of entries is sent as, in this order: a full one of more logs than fit
    /// into a frame is continued by deltas.
    public static func frames(_ extent: Extent, _ entries: [Entry]) -> [HaveFrame] {
        var frames: [HaveFrame] = []
        var start = 0
        repeat {
            let end = min(entries.count, start + WireLimits.haveEntriesAim)
            frames.append(HaveFrame(frames.isEmpty ? extent : .delta, Array(entries[start..<end])))
            start = end
        } while start < entries.count
        return frames
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let raw = try reader.u8()
        guard let extent = Extent(rawValue: raw) else { throw .unknownTag(field: "have", value: UInt64(raw)) }
        let count = try reader.count(limit: WireLimits.haveEntriesMax, field: "have")
        var entries: [Entry] = []
        // An entry takes at least 25 bytes.
        entries.reserveCapacity(min(count, reader.remaining / 25))
        for _ in 0..<count {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let former = entries.last, former.replica >= replica { throw .notCanonical(field: "have") }
            let last = try SequenceNumber(from: &reader, field: "have")
            entries.append(Entry(replica: replica, last: last, fingerprint: try reader.u64()))
        }
        self.extent = extent
        self.entries = entries
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u8(extent.rawValue)
        writer.varint(entries.count)
        for entry in entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.last.value)
            writer.u64(entry.fingerprint)
        }
    }
}

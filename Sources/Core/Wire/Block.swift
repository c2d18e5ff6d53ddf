// How a run's bytes are packed where they travel: one codec byte, then the bytes as they are (0), zstd of
// them with their length in front (1), or a block of changes (2, `RunColumns`). A block is not canonical,
// what it unpacks to is. The announced length is checked against two caps before a byte is allocated, and
// zstd may write no more.

public import Bytes
import CZstd
public import Causality

/// Packs and unpacks canonical bytes.
public enum Block {
    private enum Codec {
        static let plain: UInt8 = 0
        static let zstd: UInt8 = 1
        static let columns: UInt8 = 2
    }

    /// Below this zstd's own header eats what it saves.
    private static let compressedBytesMin = 256
    /// zstd's fast end: about 0.4 GB/s, and the text of logs shrinks to a third or less.
    private static let level: Int32 = 1

    /// A run, in the form that suits it.
    public static func pack(_ run: Run) -> [UInt8] {
        if let columns = RunColumns.pack(run) { return [Codec.columns] + columns }
        return pack(run.bytes)
    }

    /// The canonical bytes of the run of this log that begins at `first`.
    public static func unpack(
        _ block: [UInt8], of replica: ReplicaID, from first: SequenceNumber
    ) throws(DecodeFault) -> [UInt8] {
        guard block.first == Codec.columns else { return try unpack(block) }
        return try RunColumns.unpack(Array(block.dropFirst()), of: replica, from: first)
    }

    /// At most `WireLimits.runBytesMax` bytes, compressed when that makes them smaller.
    public static func pack(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= WireLimits.runBytesMax, "a block of \(bytes.count) bytes")
        if bytes.count >= compressedBytesMin, let compressed = compress(bytes),
            compressed.count < bytes.count, bytes.count <= compressed.count * WireLimits.blockRatioMax
        {
            var writer = ByteWriter(reserving: compressed.count + 5)
            writer.u8(Codec.zstd)
            writer.varint(bytes.count)
            writer.raw(compressed)
            return writer.bytes
        }
        return [Codec.plain] + bytes
    }

    public static func unpack(_ block: [UInt8]) throws(DecodeFault) -> [UInt8] {
        var reader = ByteReader(block)
        switch try reader.u8() {
        case Codec.plain:
            try limit(reader.remaining)
            return try reader.raw(reader.remaining)
        case Codec.zstd:
            let count = try reader.count(limit: WireLimits.runBytesMax, field: "block")
            let compressed = try reader.raw(reader.remaining)
            let ratioLimit = compressed.count * WireLimits.blockRatioMax
            if count > ratioLimit {
                throw .overLimit(field: "block ratio", value: UInt64(count), limit: UInt64(ratioLimit))
            }
            return try decompress(compressed, to: count)
        case let codec: throw .unknownTag(field: "block", value: UInt64(codec))
        }
    }

    private static func limit(_ count: Int) throws(DecodeFault) {
        if count > WireLimits.runBytesMax {
            throw .overLimit(field: "block", value: UInt64(count), limit: UInt64(WireLimits.runBytesMax))
        }
    }

    private static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let bound = ZSTD_compressBound(bytes.count)
        var isDone = false
        let out = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            let written = repl_zstd_compress(buffer.baseAddress, bound, bytes, bytes.count, level)
            isDone = ZSTD_isError(written) == 0
            count = isDone ? written : 0
        }
        return isDone ? out : nil
    }

    private static func decompress(_ compressed: [UInt8], to count: Int) throws(DecodeFault) -> [UInt8] {
        var written = 0
        let out = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, initialized in
            written = repl_zstd_decompress(buffer.baseAddress, count, compressed, compressed.count)
            initialized = ZSTD_isError(written) == 0 ? min(written, count) : 0
        }
        if ZSTD_isError(written) != 0 || written != count { throw .outOfRange(field: "block") }
        return out
    }
}

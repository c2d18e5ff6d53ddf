// Columns to bytes and back. Each column is compressed by itself when that makes it smaller. The announced
// lengths are checked against both caps, the absolute one and the ratio, before a byte is allocated, and zstd
// may write no more than was announced.
//
//     version u8 = 1 · operations varint · per column: length · stored length (0: as it is) · then the bytes
//     of all

import Bytes
import CZstd

/// The outer form of a block of changes.
enum BlockFrame {
    static let version: UInt8 = 1
    /// Below this zstd's own header eats what it saves.
    private static let compressedBytesMin = 48
    static func encode(_ columns: [[UInt8]], operations: Int, _ effort: BlockEffort) -> [UInt8] {
        var writer = ByteWriter(reserving: 256)
        writer.u8(version)
        writer.varint(operations)
        var bodies: [[UInt8]] = []
        for column in columns {
            writer.varint(column.count)
            if column.isEmpty { continue }
            if column.count >= compressedBytesMin, effort != .stored,
                let packed = Zstd.compress(column, level: effort.level(for: column.count)),
                packed.count < column.count, column.count <= packed.count * WireLimits.columnRatioMax
            {
                writer.varint(packed.count)
                bodies.append(packed)
            } else {
                writer.varint(0)
                bodies.append(column)
            }
        }
        for body in bodies { writer.raw(body) }
        return writer.bytes
    }

    /// Where the columns lie in the one array that holds them all.
    struct Columns {
        let bytes: [UInt8]
        let ranges: [Range<Int>]
        let operations: Int

        subscript(column: BlockColumn) -> ColumnReader {
            ColumnReader(bytes, in: ranges[column.rawValue])
        }
    }

    static func decode(_ block: [UInt8], _ limits: BlockLimits) throws(DecodeFault) -> Columns {
        var reader = ByteReader(block)
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "block version", value: UInt64(version)) }
        let operations = try reader.count(limit: limits.operationsMax, field: "operations")
        var lengths: [(length: Int, stored: Int)] = []
        var total = 0
        for _ in BlockColumn.allCases {
            let length = try reader.count(limit: limits.bytesMax - total, field: "column")
            total += length
            let stored = length == 0 ? 0 : try reader.count(limit: reader.remaining, field: "column")
            let ratioLimit = stored * WireLimits.columnRatioMax
            if stored > 0, length > ratioLimit {
                throw .overLimit(field: "column ratio", value: UInt64(length), limit: UInt64(ratioLimit))
            }
            lengths.append((length, stored))
        }
        let needed = lengths.reduce(0) { $0 + ($1.stored > 0 ? $1.stored : $1.length) }
        if needed > reader.remaining { throw .truncated(needed: needed, available: reader.remaining) }
        var ranges: [Range<Int>] = []
        for (length, _) in lengths {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + length)
        }
        guard let bytes = unpack(block, from: reader.offset, lengths, total) else {
            throw .outOfRange(field: "block")
        }
        try reader.skip(needed)
        try reader.finish()
        return Columns(bytes: bytes, ranges: ranges, operations: operations)
    }

    /// All columns in one array. Nil when one of them is not what was announced.
    private static func unpack(
        _ block: [UInt8], from start: Int, _ lengths: [(length: Int, stored: Int)], _ total: Int
    ) -> [UInt8]? {
        var isWhole = true
        let decompressor = Zstd.Decompressor(isNeeded: lengths.contains { $0.stored > 0 })
        let bytes = [UInt8](unsafeUninitializedCapacity: max(total, 1)) { buffer, count in
            var offset = start
            for (length, stored) in lengths where length > 0 {
                let source = block[offset..<offset + (stored > 0 ? stored : length)]
                let place = UnsafeMutableBufferPointer(rebasing: buffer[count..<count + length])
                if stored == 0 {
                    _ = place.initialize(fromContentsOf: source)
                } else if !decompressor.decompress(source, into: place) {
                    isWhole = false
                    return
                }
                count += length
                offset = source.endIndex
            }
        }
        return isWhole ? bytes : nil
    }
}

/// How hard a block is pressed.
public enum BlockEffort: Sendable {
    /// Once, to be kept for long.
    case archive
    /// While a peer waits.
    case link
    /// Not at all: as the columns are.
    case stored

    /// Small columns are worth an effort; of big ones the last percents take too long.
    fileprivate func level(for count: Int) -> Int32 {
        switch self {
        case .archive: count <= 256 * 1_024 ? 19 : 12
        case .link, .stored: Self.levelOfLinks
        }
    }

    fileprivate static let levelOfLinks: Int32 = 3
}

/// What a reader of a block takes at most.
struct BlockLimits {
    /// Of all columns, unpacked.
    let bytesMax: Int
    let operationsMax: Int

    /// A history of any length.
    static let history = BlockLimits(
        bytesMax: WireLimits.blockBytesMax, operationsMax: WireLimits.blockOperationsMax)
    /// One run: an operation has three canonical bytes at least, and no column is larger than they are
    /// together.
    static let run = BlockLimits(
        bytesMax: 2 * WireLimits.runBytesMax, operationsMax: WireLimits.runBytesMax / 3)
}

/// The two functions of zstd that blocks need.
enum Zstd {
    static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        let bound = ZSTD_compressBound(bytes.count)
        var isDone = false
        let out = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            // Higher levels work in so much memory that it is not to be kept.
            let written =
                level > BlockEffort.levelOfLinks
                ? ZSTD_compress(buffer.baseAddress, bound, bytes, bytes.count, level)
                : repl_zstd_compress(buffer.baseAddress, bound, bytes, bytes.count, level)
            isDone = ZSTD_isError(written) == 0
            count = isDone ? written : 0
        }
        return isDone ? out : nil
    }

    /// What zstd needs to unpack: making it costs more than a small column does, so one serves all columns of
    /// a block, and none is made for a block whose columns are as they are.
    struct Decompressor: ~Copyable {
        private let context: OpaquePointer?

        init(isNeeded: Bool) {
            context = isNeeded ? ZSTD_createDCtx() : nil
            precondition(!isNeeded || context != nil, "no memory for zstd")
        }

        deinit { ZSTD_freeDCtx(context) }

        /// True when the frame filled the place exactly; else some of it is filled.
        func decompress(_ frame: ArraySlice<UInt8>, into place: UnsafeMutableBufferPointer<UInt8>) -> Bool {
            let written = frame.withUnsafeBytes { source in
                ZSTD_decompressDCtx(context, place.baseAddress, place.count, source.baseAddress, source.count)
            }
            return ZSTD_isError(written) == 0 && written == place.count
        }
    }
}

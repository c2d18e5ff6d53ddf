// The end of a snapshot: eight bytes over all before. A disk that bends a snapshot is noticed when it is
// read, so the structure of a text may stay folded until its first edit. No defence against who can write
// the file: that one can write any snapshot.

import Bytes

/// A sum over words, each rotated into a product.
enum SnapshotChecksum {
    private static let byteCount = 8

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { raw in
            var sum = UInt64(raw.count) &* 0x9E37_79B9_7F4A_7C15
            var offset = 0
            while offset + 8 <= raw.count {
                mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), &sum)
                offset += 8
            }
            while offset < raw.count {
                mix(UInt64(raw[offset]), &sum)
                offset += 1
            }
            return sum ^ sum >> 32
        }
    }

    /// A step is one to one in the sum and in the word, so no single change is lost.
    private static func mix(_ word: UInt64, _ sum: inout UInt64) {
        sum = (sum << 23 | sum >> 41) ^ word
        sum = sum &* 0x517C_C1B7_2722_0A95
    }

    /// A reader of what the checksum holds over.
    static func checked(_ bytes: [UInt8], in range: Range<Int>) throws(DecodeFault) -> ByteReader {
        let end = range.upperBound - byteCount
        guard end > range.lowerBound else {
            throw .truncated(needed: byteCount + 1, available: range.count)
        }
        var reader = ByteReader(bytes, in: end..<range.upperBound)
        if try reader.u64() != of(bytes[range.lowerBound..<end]) {
            throw .outOfRange(field: "snapshot checksum")
        }
        return ByteReader(bytes, in: range.lowerBound..<end)
    }
}

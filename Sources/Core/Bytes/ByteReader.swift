// The one way bytes are read. Every function is total: whatever the input, it returns or throws a
// `DecodeFault`, never traps, and never allocates more than the bytes that are really there.

/// Why bytes that came from outside (a peer, a disk) are not what they should be. The sender's fault, not
/// ours.
public enum DecodeFault: Error, Equatable, Sendable {
    /// The input ends before the value does.
    case truncated(needed: Int, available: Int)
    /// A varint with padding, or one that exceeds 64 bits.
    case varintNotMinimal(at: Int)
    /// A count or length over the limit of this field.
    case overLimit(field: String, value: UInt64, limit: UInt64)
    /// Bytes left after the value.
    case trailing(count: Int)
    /// Bytes that are no UTF-8, at this offset of the input.
    case invalidUTF8(at: Int)
    /// A tag that this version does not know, where it may not be skipped.
    case unknownTag(field: String, value: UInt64)
    /// A second form of a value that has one canonical form.
    case notCanonical(field: String)
    /// A value outside the range of its field.
    case outOfRange(field: String)
}

/// Reads what `ByteWriter` wrote, from a range of an array, without copying the array.
public struct ByteReader: Sendable {
    private let bytes: [UInt8]
    /// Offset of the next byte in the array.
    public private(set) var offset: Int
    /// One past the last byte that may be read.
    public let end: Int

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    /// Reads only `range` of `bytes`; the range must lie inside.
    public init(_ bytes: [UInt8], in range: Range<Int>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes.count, "range \(range) of \(bytes.count)")
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    public var remaining: Int { end - offset }
    public var isAtEnd: Bool { offset == end }

    public mutating func u8() throws(DecodeFault) -> UInt8 {
        try need(1)
        defer { offset += 1 }
        return bytes[offset]
    }

    public mutating func u16() throws(DecodeFault) -> UInt16 {
        try need(2)
        defer { offset += 2 }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    public mutating func u32() throws(DecodeFault) -> UInt32 {
        try need(4)
        defer { offset += 4 }
        let stored = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        return UInt32(bigEndian: stored)
    }

    public mutating func u64() throws(DecodeFault) -> UInt64 {
        try need(8)
        defer { offset += 8 }
        let stored = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        return UInt64(bigEndian: stored)
    }

    /// A minimal unsigned LEB128; a padded or overlong one is refused, so each number has one form.
    public mutating func varint() throws(DecodeFault) -> UInt64 {
        // Most are small.
        if offset < end, bytes[offset] < 0x80 {
            defer { offset += 1 }
            return UInt64(bytes[offset])
        }
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try u8()
            if shift == 63 && byte > 1 { throw .varintNotMinimal(at: start) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                if byte == 0 && shift > 0 { throw .varintNotMinimal(at: start) }
                return value
            }
            shift += 7
            if shift > 63 { throw .varintNotMinimal(at: start) }
        }
    }

    /// A varint that counts something, at most `limit`; `field` names it in the fault.
    public mutating func count(limit: Int, field: String) throws(DecodeFault) -> Int {
        let value = try varint()
        if value > UInt64(limit) { throw .overLimit(field: field, value: value, limit: UInt64(limit)) }
        return Int(value)
    }

    public mutating func zigzag() throws(DecodeFault) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    public mutating func raw(_ count: Int) throws(DecodeFault) -> [UInt8] {
        try need(count)
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// A varint length of at most `limit`, then that many bytes.
    public mutating func counted(limit: Int, field: String) throws(DecodeFault) -> [UInt8] {
        try raw(try count(limit: limit, field: field))
    }

    /// A counted byte string that must be UTF-8.
    public mutating func key(limit: Int, field: String) throws(DecodeFault) -> Key {
        let start = offset
        let count = try count(limit: limit, field: field)
        try skip(count)
        let key = bytes.withUnsafeBufferPointer {
            Key(validating: UnsafeBufferPointer(rebasing: $0[offset - count..<offset]))
        }
        guard let key else { throw .invalidUTF8(at: start) }
        return key
    }

    /// A reader of the next `count` bytes only, which this reader moves past; nothing is copied.
    public mutating func slice(_ count: Int) throws(DecodeFault) -> ByteReader {
        try need(count)
        defer { offset += count }
        return ByteReader(bytes, in: offset..<offset + count)
    }

    /// Moves past `count` bytes without looking at them.
    public mutating func skip(_ count: Int) throws(DecodeFault) {
        try need(count)
        offset += count
    }

    /// Bytes between two offsets that this reader has already passed.
    public func passed(from start: Int) -> [UInt8] { Array(bytes[start..<offset]) }

    /// Every decoder of a whole input ends with this: nothing may follow a value.
    public func finish() throws(DecodeFault) {
        if !isAtEnd { throw .trailing(count: remaining) }
    }

    private func need(_ count: Int) throws(DecodeFault) {
        if count < 0 || count > end - offset { throw .truncated(needed: count, available: end - offset) }
    }
}

// The one way bytes are made: every canonical encoding of repld goes through this writer, so that integers
// are big-endian and lengths are minimal varints in every format. See `ByteReader` for the inverse.

/// Appends fixed-width integers (big-endian), varints (unsigned LEB128, always minimal) and byte strings.
public struct ByteWriter: Sendable {
    /// Everything written so far.
    public private(set) var bytes: [UInt8]

    public init(reserving capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    public var count: Int { bytes.count }

    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    public mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    public mutating func u32(_ value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func u64(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Unsigned LEB128: seven bits a byte, low group first, 1 to 10 bytes, no padding.
    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    public mutating func varint(_ value: Int) {
        precondition(value >= 0, "a length or count is never negative, got \(value)")
        varint(UInt64(value))
    }

    /// A signed integer as a zigzag varint: 0, -1, 1, -2 … become 0, 1, 2, 3 …
    public mutating func zigzag(_ value: Int64) {
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    public mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    // The forms below do the same as the generic ones, which other modules call unspecialised: byte by byte.

    public mutating func raw(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    public mutating func raw(_ more: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: more) }

    public mutating func counted(_ more: [UInt8]) {
        varint(more.count)
        bytes.append(contentsOf: more)
    }

    /// What is written up to `endCounted` gets its length in front. Most of it is short, and then nothing is
    /// copied.
    public mutating func beginCounted() { bytes.append(0) }

    /// `start`: what `count` was before `beginCounted`.
    public mutating func endCounted(from start: Int) {
        precondition(start < bytes.count, "nothing was begun at \(start) of \(bytes.count)")
        var rest = UInt64(bytes.count - start - 1)
        var place = start
        while rest >= 0x80 {
            bytes[place] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            place += 1
            bytes.insert(0, at: place)
        }
        bytes[place] = UInt8(rest)
    }

    /// A varint length and then the UTF-8 bytes.
    public mutating func counted(_ key: Key) {
        varint(key.utf8Count)
        key.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// A varint length and then the bytes.
    public mutating func counted(_ more: some Collection<UInt8>) {
        varint(more.count)
        bytes.append(contentsOf: more)
    }
}

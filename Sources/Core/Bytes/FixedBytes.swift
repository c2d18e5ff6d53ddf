// Identities and hashes have a fixed length. Kept as integers they need no allocation and compare in a few
// instructions; the order is that of the bytes.

/// 32 bytes: a hash, a public key, a space.
public struct Bytes32: Hashable, Comparable, Sendable {
    private let a, b, c, d: UInt64

    public static let zero = Bytes32(0, 0, 0, 0)
    public static let byteCount = 32

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    /// Exactly 32 bytes; anything else is a bug of the caller (decoders use `init(from:)`).
    public init(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count == Self.byteCount, "32 bytes, got \(bytes.count)")
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for (index, byte) in bytes.enumerated() {
            switch index >> 3 {
            case 0: words.0 = words.0 << 8 | UInt64(byte)
            case 1: words.1 = words.1 << 8 | UInt64(byte)
            case 2: words.2 = words.2 << 8 | UInt64(byte)
            default: words.3 = words.3 << 8 | UInt64(byte)
            }
        }
        self.init(words.0, words.1, words.2, words.3)
    }

    /// The same for an array, which is what hashes come as; the generic form reads byte by byte through a
    /// witness.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "32 bytes, got \(bytes.count)")
        self.init(bytes[...])
    }

    public init(_ bytes: ArraySlice<UInt8>) {
        precondition(bytes.count == Self.byteCount, "32 bytes, got \(bytes.count)")
        let start = bytes.startIndex
        self.init(
            UInt64(bytes, at: start), UInt64(bytes, at: start + 8), UInt64(bytes, at: start + 16),
            UInt64(bytes, at: start + 24))
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init(try reader.u64(), try reader.u64(), try reader.u64(), try reader.u64())
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u64(a)
        writer.u64(b)
        writer.u64(c)
        writer.u64(d)
    }

    public var bytes: [UInt8] {
        var writer = ByteWriter(reserving: Self.byteCount)
        encode(into: &writer)
        return writer.bytes
    }

    /// The first eight bytes, big-endian.
    public var firstWord: UInt64 { a }

    public static func < (left: Bytes32, right: Bytes32) -> Bool {
        (left.a, left.b, left.c, left.d) < (right.a, right.b, right.c, right.d)
    }
}

/// 16 bytes: a replica, an invite id.
public struct Bytes16: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public static let zero = Bytes16(high: 0, low: 0)
    public static let byteCount = 16

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Exactly 16 bytes; anything else is a bug of the caller (decoders use `init(from:)`).
    public init(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count == Self.byteCount, "16 bytes, got \(bytes.count)")
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(high: high, low: low)
    }

    /// The same for an array, without a witness for each byte.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "16 bytes, got \(bytes.count)")
        self.init(bytes[...])
    }

    public init(_ bytes: ArraySlice<UInt8>) {
        precondition(bytes.count == Self.byteCount, "16 bytes, got \(bytes.count)")
        let start = bytes.startIndex
        self.init(high: UInt64(bytes, at: start), low: UInt64(bytes, at: start + 8))
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init(high: try reader.u64(), low: try reader.u64())
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u64(high)
        writer.u64(low)
    }

    public var bytes: [UInt8] {
        var writer = ByteWriter(reserving: Self.byteCount)
        encode(into: &writer)
        return writer.bytes
    }

    public static func < (left: Bytes16, right: Bytes16) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension UInt64 {
    /// Eight bytes from `start` on, big-endian.
    fileprivate init(_ bytes: ArraySlice<UInt8>, at start: Int) {
        var value: UInt64 = 0
        for index in start..<start + 8 { value = value << 8 | UInt64(bytes[index]) }
        self = value
    }
}

// An Ed25519 signature as it stands in seals, roster operations and certificates: 64 bytes without structure.

public import Bytes

/// 64 bytes that may or may not be a valid signature of something.
public struct Signature: Hashable, Sendable {
    public static let byteCount = 64
    private let first: Bytes32
    private let second: Bytes32

    /// Exactly 64 bytes; anything else is a bug of the caller (decoders use `init(from:)`).
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "64 bytes, got \(bytes.count)")
        first = Bytes32(bytes[..<32])
        second = Bytes32(bytes[32...])
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        first = try Bytes32(from: &reader)
        second = try Bytes32(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        first.encode(into: &writer)
        second.encode(into: &writer)
    }

    public var bytes: [UInt8] { first.bytes + second.bytes }
}

// A space's name is chosen by its creator and is every joiner's default. It is typed in commands and stands
// in paths, so it is plain: [a-z0-9][a-z0-9._-]{0,63} (DESIGN 7).

public import Bytes

/// A name that every node can use for a space.
public struct SpaceName: Hashable, Sendable, CustomStringConvertible {
    /// ASCII, so that equality of strings is equality of bytes.
    public let string: String

    /// Nil unless it is 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit.
    public init?(_ string: String) {
        let utf8 = string.utf8
        guard let first = utf8.first, utf8.count <= RosterLimits.spaceNameBytesMax,
            Self.isLetterOrDigit(first), utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.string = string
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let bytes = try reader.counted(limit: RosterLimits.spaceNameBytesMax, field: "space name")
        guard let name = SpaceName(String(decoding: bytes, as: UTF8.self)) else {
            throw .outOfRange(field: "space name")
        }
        self = name
    }

    public func encode(into writer: inout ByteWriter) { writer.counted(string.utf8) }

    public var description: String { string }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == 0x2E || byte == 0x5F || byte == 0x2D
    }
}

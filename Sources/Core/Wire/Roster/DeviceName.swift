// What a person calls a box. It is shown on other people's terminals, so it carries no control characters; it
// identifies nothing, devices are named by their keys.

public import Bytes

/// 1 to 64 bytes of UTF-8 without control or line-separating characters; two devices may have the same.
public struct DeviceName: Hashable, Sendable, CustomStringConvertible {
    public let key: Key

    /// Nil when it is empty, too long, or has a character that would move a terminal's cursor.
    public init?(_ string: String) { self.init(key: Key(string)) }

    private init?(key: Key) {
        guard key.utf8Count >= 1, key.utf8Count <= RosterLimits.deviceNameBytesMax,
            key.string.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.key = key
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let key = try reader.key(limit: RosterLimits.deviceNameBytesMax, field: "device name")
        guard let name = DeviceName(key: key) else { throw .outOfRange(field: "device name") }
        self = name
    }

    public func encode(into writer: inout ByteWriter) { writer.counted(key.utf8) }

    public var string: String { key.string }
    public var description: String { key.string }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: false
        // Separators of lines, and the marks that reverse what is shown after them.
        case 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }
}

// An archive in the format of POSIX 1003.1-1988 (ustar), for a handful of small files that a program has
// made: every tar reads it, and it needs no library.
//
//   header (512 bytes) · content · zeros up to 512 · … · 1,024 zeros

/// Appends files to a byte array.
public struct TarWriter: Sendable {
    /// Everything appended so far, without the end.
    public private(set) var bytes: [UInt8] = []
    public static let blockBytes = 512
    /// What stands behind the last file.
    public static let end = [UInt8](repeating: 0, count: 2 * blockBytes)
    public static let nameBytesMax = 100

    public init() {}

    /// `name`: ASCII, at most 100 bytes, no `..` in it: a bug of the caller otherwise. `seconds`: when
    /// it was made, since 1970.
    public mutating func append(_ name: String, _ content: [UInt8], seconds: UInt64) {
        precondition(
            1...Self.nameBytesMax ~= name.utf8.count && name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
                && !name.hasPrefix("/") && !name.contains(".."), "no name of an archive: \(name)")
        precondition(content.count < 1 << 33, "\(content.count) bytes do not fit a header")
        let fields: [[UInt8]] = [
            Self.text(name, 100), Self.octal(0o600, 8), Self.octal(0, 8), Self.octal(0, 8),
            Self.octal(UInt64(content.count), 12), Self.octal(seconds, 12),
            // The sum is counted as if these were spaces.
            [UInt8](repeating: 0x20, count: 8), Self.text("0", 1), Self.text("", 100), Self.text("ustar", 6),
            Self.text("00", 2), Self.text("", 32), Self.text("", 32), Self.octal(0, 8), Self.octal(0, 8),
            Self.text("", 155), Self.text("", 12),
        ]
        var header = fields.flatMap(\.self)
        let sum = header.reduce(UInt64(0)) { $0 + UInt64($1) }
        header.replaceSubrange(148..<156, with: Self.octal(sum, 7) + [0x20])
        bytes += header
        bytes += content
        bytes += [UInt8](
            repeating: 0, count: (Self.blockBytes - content.count % Self.blockBytes) % Self.blockBytes)
    }

    private static func text(_ text: String, _ width: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
    }

    /// With a zero byte at its end.
    private static func octal(_ number: UInt64, _ width: Int) -> [UInt8] {
        let digits = String(number, radix: 8)
        precondition(digits.utf8.count < width, "\(number) does not fit \(width - 1) octal digits")
        return [UInt8](repeating: UInt8(ascii: "0"), count: width - 1 - digits.utf8.count) + digits.utf8 + [0]
    }
}

// Lower-case hexadecimal: how replicas, spaces and hashes are shown to people and written in the API.

/// Encodes bytes as lower-case hexadecimal digits and reads them back (either case).
public enum Hex {
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    /// The same for an array; the generic form reads byte by byte through a witness.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// The 16 digits of a number, into text that has room for them.
    public static func write(_ number: UInt64, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for place in 0..<16 {
            text[start + place] = digit(UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15)
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// Nil unless `text` is an even number of hexadecimal digits.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var half: UInt8?
        for character in text.utf8 {
            guard let digit = value(of: character) else { return nil }
            if let high = half {
                bytes.append(high << 4 | digit)
                half = nil
            } else {
                half = digit
            }
        }
        return half == nil ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x61...0x66: character - 0x61 + 10
        case 0x41...0x46: character - 0x41 + 10
        default: nil
        }
    }
}

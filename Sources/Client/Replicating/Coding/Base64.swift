// Bytes as text, RFC 4648 section 4 with padding: Codable has no bytes that every encoder writes alike.

enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                var word: UInt32 = 0
                for step in 0..<3 { word = word << 8 | (step < count ? UInt32(bytes[start + step]) : 0) }
                for step in 0..<4 {
                    let digit = digits[Int(word >> (18 - 6 * UInt32(step)) & 63)]
                    text[place + step] = step <= count ? digit : padding
                }
                place += 4
            }
            return place
        }
    }

    /// Nil for anything that `encode` does not write.
    static func decode(_ text: String) -> [UInt8]? {
        let utf8 = Array(text.utf8)
        guard utf8.count % 4 == 0 else { return nil }
        let padded = utf8.suffix(2).count { $0 == padding }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count / 4 * 3)
        var word: UInt32 = 0
        for (place, character) in utf8.enumerated() {
            let isPadding = place >= utf8.count - padded
            guard let digit = isPadding ? 0 : value(of: character) else { return nil }
            word = word << 6 | UInt32(digit)
            if place % 4 == 3 {
                for shift in [16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
                word = 0
            }
        }
        bytes.removeLast(padded)
        return encode(bytes) == text ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    static func decode<Value>(
        _ decoder: any Decoder, _ read: ([UInt8]) throws(ReplicatingError) -> Value
    ) throws -> Value {
        let container = try decoder.singleValueContainer()
        guard let bytes = decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no base64")
        }
        do throws(ReplicatingError) {
            return try read(bytes)
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "this is no replicating value: \(error)")
        }
    }
}

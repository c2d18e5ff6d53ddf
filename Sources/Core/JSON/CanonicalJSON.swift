// The canonical JSON text of values (API.md, "Export, canonical"): members in byte order of their keys, no
// spaces, numbers and strings as in RFC 8785. Equal values give equal bytes on every node, so exports can be
// compared.

public import Bytes

/// Writes values as canonical JSON.
public enum CanonicalJSON {
    /// Appends the text of a value. O(size).
    public static func append(_ value: PlainValue, to text: inout [UInt8]) {
        switch value {
        case .scalar(let scalar): append(scalar, to: &text)
        case .array(let values): appendArray(values, to: &text) { append($0, to: &$1) }
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    public static func append(_ scalar: Scalar, to text: inout [UInt8]) {
        switch scalar {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): text.append(contentsOf: String(value).utf8)
        case .double(let value): append(value, to: &text)
        case .string(let value): append(value, to: &text)
        }
    }

    /// A string: only `"`, `\` and the controls below U+0020 are escaped.
    public static func append(_ string: Key, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var plain = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                text.append(contentsOf: bytes[plain..<index])
                appendEscape(byte, to: &text)
                plain = index + 1
            }
            text.append(contentsOf: bytes[plain...])
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: text.append(UInt8(ascii: "b"))
        case 0x09: text.append(UInt8(ascii: "t"))
        case 0x0A: text.append(UInt8(ascii: "n"))
        case 0x0C: text.append(UInt8(ascii: "f"))
        case 0x0D: text.append(UInt8(ascii: "r"))
        case 0x22, 0x5C: text.append(byte)
        default: text.append(contentsOf: ("u00" + Hex.encode([byte])).utf8)
        }
    }

    /// Appends an array whose elements `append` writes.
    public static func appendArray<Value>(
        _ values: [Value], to text: inout [UInt8], _ append: (Value, inout [UInt8]) -> Void
    ) {
        text.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(value, &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    // MARK: Numbers

    /// A finite number as ECMAScript writes it (ECMA-262, Number::toString): the shortest digits that read
    /// back, without exponent from 1e-6 up to 1e21.
    public static func append(_ number: Double, to text: inout [UInt8]) {
        precondition(number.isFinite, "JSON has no \(number)")
        if number == 0 {
            text.append(UInt8(ascii: "0"))
            return
        }
        if number < 0 { text.append(UInt8(ascii: "-")) }
        let (digits, point) = shortestDigits(number.magnitude)
        let zero = UInt8(ascii: "0")
        switch point {
        case digits.count...21:
            text.append(contentsOf: digits)
            text.append(contentsOf: repeatElement(zero, count: point - digits.count))
        case 1...21:
            text.append(contentsOf: digits[..<point])
            text.append(UInt8(ascii: "."))
            text.append(contentsOf: digits[point...])
        case -5...0:
            text.append(contentsOf: "0.".utf8)
            text.append(contentsOf: repeatElement(zero, count: -point))
            text.append(contentsOf: digits)
        default:
            text.append(digits[0])
            if digits.count > 1 { text.append(UInt8(ascii: ".")) }
            text.append(contentsOf: digits[1...])
            text.append(contentsOf: (point > 0 ? "e+" : "e").utf8)
            text.append(contentsOf: String(point - 1).utf8)
        }
    }

    /// The value is 0.digits × 10^point; no zero at either end of the digits. Swift's description has the
    /// shortest digits that read back, the closest ones among those, as ECMAScript wants them; only the
    /// layout differs.
    private static func shortestDigits(_ number: Double) -> (digits: [UInt8], point: Int) {
        var digits: [UInt8] = []
        var point = 0
        var exponent = 0
        var isFraction = false
        let description = Array(number.description.utf8)
        for (index, byte) in description.enumerated() {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: description[(index + 1)...], as: UTF8.self)) ?? 0
                break
            } else {
                digits.append(byte)
                if !isFraction { point += 1 }
            }
        }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (digits, point - leading + exponent)
    }
}

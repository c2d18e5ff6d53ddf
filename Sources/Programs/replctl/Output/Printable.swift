// Text of other people, made harmless for a terminal: C0 and C1 controls, DEL, and the characters that turn
// the direction of writing are shown as escapes.

enum Printable {
    /// On one line: line feeds and tabs become escapes too.
    static func line(_ text: some StringProtocol) -> String {
        text.unicodeScalars.contains(where: steers)
            ? escaped(text.unicodeScalars, keepingLines: false) : String(text)
    }

    /// With its line feeds and tabs.
    static func lines(_ text: some StringProtocol) -> String {
        escaped(text.unicodeScalars, keepingLines: true)
    }

    /// JSON text in which those characters, which stand only inside strings, are JSON escapes.
    static func json(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if steers(scalar), scalar != "\n" {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func escaped(_ scalars: some Sequence<Unicode.Scalar>, keepingLines: Bool) -> String {
        var result = ""
        for scalar in scalars {
            switch scalar {
            case "\n", "\t":
                if keepingLines {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += scalar == "\n" ? "\\n" : "\\t"
                }
            case _ where steers(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

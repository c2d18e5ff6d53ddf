// Text that others wrote, on its way to a terminal or a log: whatever a peer, a document or a file name says
// passes here. It may hold anything that is UTF-8, and a terminal obeys some of it.

/// Text without the characters that steer what shows it.
public enum ShownText {
    /// On one line: line feeds and tabs become `\n` and `\t`, what steers a terminal `\u{…}`. O(length).
    public static func line(_ text: some StringProtocol) -> String {
        text.unicodeScalars.contains(where: steers)
            ? escaped(text.unicodeScalars, keepingLines: false) : String(text)
    }

    /// The same with its line feeds and tabs.
    public static func lines(_ text: some StringProtocol) -> String {
        escaped(text.unicodeScalars, keepingLines: true)
    }

    /// True for C0 and C1 controls, DEL, separators of lines, and what turns the direction of writing.
    public static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
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
}

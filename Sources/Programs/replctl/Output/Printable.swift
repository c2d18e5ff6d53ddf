// Text of other people, made harmless for a terminal (`ShownText`).

import Bytes

enum Printable {
    /// On one line: line feeds and tabs become escapes too.
    static func line(_ text: some StringProtocol) -> String { ShownText.line(text) }

    /// With its line feeds and tabs.
    static func lines(_ text: some StringProtocol) -> String { ShownText.lines(text) }

    /// JSON text in which those characters, which stand only inside strings, are JSON escapes.
    static func json(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if ShownText.steers(scalar), scalar != "\n" {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

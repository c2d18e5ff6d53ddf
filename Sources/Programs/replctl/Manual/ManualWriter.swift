// Writes mdoc(7), the language of manual pages: escapes what would be a request, and puts each sentence on
// lines of its own, as `mandoc -T lint` wants them.

struct ManualWriter {
    private(set) var text = ""
    static let columnsMax = 78

    /// A macro line. Arguments that are text must have been through `escape`.
    mutating func macro(_ line: String) { text += "." + line + "\n" }

    mutating func section(_ title: String) { macro("Sh " + title) }

    /// Text to be filled: a sentence begins a line.
    mutating func paragraph(_ content: String) {
        var line = ""
        func flushed(_ line: String) -> String { line.isEmpty ? "" : Self.escape(line) + "\n" }
        for word in content.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !line.isEmpty, line.count + 1 + word.count > Self.columnsMax - 8 {
                text += flushed(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
            if Self.endsSentence(word) {
                text += flushed(line)
                line = ""
            }
        }
        text += flushed(line)
    }

    /// Lines as they stand.
    mutating func example(_ lines: [String]) {
        macro("Bd -literal -offset 2n")
        for line in lines { text += (line.isEmpty ? "\\&" : Self.escape(line)) + "\n" }
        macro("Ed")
    }

    /// What help says: a line is a paragraph, lines that are set in are examples.
    mutating func discussion(_ content: String) {
        var examples: [String] = []
        var isFirst = true
        for line in content.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") {
                examples.append(String(line.dropFirst(2)))
                continue
            }
            if !examples.isEmpty { example(examples) }
            examples = []
            guard !line.isEmpty else { continue }
            if !isFirst { macro("Pp") }
            isFirst = false
            paragraph(String(line))
        }
        if !examples.isEmpty { example(examples) }
    }

    private static func endsSentence(_ word: Substring) -> Bool {
        let bare = word.reversed().drop { ")\"'".contains($0) }
        return bare.first == "." || bare.first == "!" || bare.first == "?"
    }

    /// Text that is no request and has no escapes of its own.
    static func escape(_ line: String) -> String {
        var escaped = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "…": escaped += "..."
            case _ where scalar.value > 0x7E: escaped += "\\[u" + hex(scalar) + "]"
            // A dash that is typed, not one that a formatter may make a hyphen of.
            case "-": escaped += "\\-"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// One argument of a macro: what mdoc would read as punctuation or a macro is kept text.
    static func word(_ text: String) -> String {
        let escaped = escape(text)
        return "\""
            + escaped.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}

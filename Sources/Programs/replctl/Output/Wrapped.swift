// Lines of a width. What a terminal shows of a character is one cell or two; a table that counts otherwise
// is not straight.

enum Wrapped {
    /// Cells that a terminal gives the text, near enough: two for the scripts that are drawn so.
    static func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    private static func isWide(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The text, or as much of it as fits with "…" behind.
    static func cut(_ text: String, to limit: Int) -> String {
        guard width(text) > limit else { return text }
        var (kept, used) = ("", 0)
        for character in text {
            used += isWide(character) ? 2 : 1
            if used > limit - 1 { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Broken at blanks; a word that is longer than a line is broken anywhere. At least one line.
    static func lines(_ text: String, to limit: Int) -> [String] {
        var (lines, line): ([String], String) = ([], "")
        for word in text.split(separator: " ") {
            var rest = String(word)
            if !line.isEmpty, width(line) + 1 + width(rest) > limit {
                lines.append(line)
                line = ""
            }
            while line.isEmpty, width(rest) > limit {
                let piece = prefix(of: rest, to: limit)
                lines.append(piece)
                rest = String(rest.dropFirst(piece.count))
            }
            line += line.isEmpty ? rest : " " + rest
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }

    /// With every line after the first set in.
    static func text(_ text: String, to limit: Int, indent: Int) -> String {
        let lines = lines(text, to: limit - indent)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// At least one character.
    private static func prefix(of text: String, to limit: Int) -> String {
        var (kept, used) = ("", 0)
        for character in text {
            used += isWide(character) ? 2 : 1
            if used > limit, !kept.isEmpty { break }
            kept.append(character)
        }
        return kept
    }
}

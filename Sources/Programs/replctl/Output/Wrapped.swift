// Lines of a width, in cells of a terminal: a table that counts otherwise is not straight.

enum Wrapped {
    static func width(_ text: some StringProtocol) -> Int { Cells.width(text) }

    /// The text, or as much of it as fits with "…" behind.
    static func cut(_ text: String, to limit: Int) -> String { Cells.cut(text, to: limit) }

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
            used += Cells.width(character)
            if used > limit, !kept.isEmpty { break }
            kept.append(character)
        }
        return kept
    }
}

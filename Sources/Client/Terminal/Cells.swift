// How many cells of a terminal a character takes. Terminals do not agree about all of them, so whoever draws
// places the cursor anew after a character that is not ASCII (`Screen`); lines that are counted here are
// straight where the terminal follows Unicode.

/// Widths in cells (Unicode Standard Annex 11; emoji by their presentation).
public enum Cells {
    /// 0 for what has no place of its own (marks without a letter, format characters), 1 or 2.
    public static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.isASCII { return scalars.count == 1 ? 1 : width(ofASCII: character) }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
        return isWide(first) ? 2 : 1
    }

    public static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// As much of the text as fits.
    public static func prefix(_ text: some StringProtocol, to limit: Int) -> String {
        var (kept, used) = ("", 0)
        for character in text {
            used += width(character)
            if used > limit { break }
            kept.append(character)
        }
        return kept
    }

    /// The text, or as much of it as fits with "…" behind.
    public static func cut(_ text: String, to limit: Int) -> String {
        width(text) <= limit ? text : limit < 1 ? "" : prefix(text, to: limit - 1) + "…"
    }

    /// A letter with marks is one cell; a digit that became a key cap is an emoji.
    private static func width(ofASCII character: Character) -> Int {
        character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

// A line of bash up to the cursor. Bash hands over the line as it was typed and replaces what stands behind
// the last of its word breaks (`:` and `=` among them), so words are cut, unquoted and quoted again here.

struct BashLine {
    enum Quote: Character {
        case single = "'"
        case double = "\""
    }

    /// Unquoted, without the program's name; the last one, which may be empty, is being typed.
    private(set) var words: [String] = []
    /// How the last word's quotes stand at the cursor.
    private(set) var open: Quote?
    /// How many characters of the last word, unquoted, stand before what bash replaces.
    private(set) var kept = 0

    /// `breaks`: COMP_WORDBREAKS.
    init(_ line: String, breaks: String) {
        var (word, isWord, isEscaped) = ("", false, false)
        for character in line {
            if isEscaped {
                // Between double quotes a backslash is itself, but before what means something there.
                if open == .double, !"\"\\$`".contains(character) { word.append("\\") }
                word.append(character)
                isEscaped = false
            } else if let quote = open, character == quote.rawValue {
                open = nil
            } else if character == "\\", open != .single {
                (isEscaped, isWord) = (true, true)
            } else if open != nil {
                word.append(character)
            } else if let quote = Quote(rawValue: character) {
                (open, isWord) = (quote, true)
                kept = word.count
            } else if character == " " || character == "\t" {
                if isWord { words.append(word) }
                (word, isWord, kept) = ("", false, 0)
            } else {
                word.append(character)
                isWord = true
                if breaks.contains(character) { kept = word.count }
            }
        }
        words.append(word)
        // Assignments, then the program.
        let start = words.firstIndex { !$0.contains("=") } ?? 0
        words = Array(words.dropFirst(start + 1))
        if words.isEmpty { words = [""] }
    }

    /// The candidate as bash is to put it in.
    func quoted(_ word: String) -> String {
        let rest = word.dropFirst(kept)
        var text = ""
        for character in rest {
            switch open {
            case .single: text += character == "'" ? "'\\''" : String(character)
            case .double: text += ("\"\\$`".contains(character) ? "\\" : "") + String(character)
            case nil:
                let isPlain =
                    character.isLetter || character.isNumber || "%+,-./:=@_^".contains(character)
                text += (isPlain ? "" : "\\") + String(character)
            }
        }
        return text
    }
}

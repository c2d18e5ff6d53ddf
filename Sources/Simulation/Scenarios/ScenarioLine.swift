// A line of a scenario as words. Blanks part words, but not within quotes, brackets or braces, so a value is
// JSON as it stands: `a set d tags=["x", "y"] title="two words"`. What stands behind `#` is a remark, what
// stands behind `->` is the code of the refusal that the line expects.

import Bytes
import JSON

/// One command.
struct ScenarioLine: Sendable {
    /// From 1.
    let number: Int
    let text: String
    let words: [String]
    /// The error code of API.md that the command is to be refused with; nil: it is to be done.
    let refusal: String?

    /// Nil for an empty line and a remark.
    init?(_ text: some StringProtocol, number: Int) {
        var words: [String] = []
        var (word, depth, isQuoted, isEscaped) = ("", 0, false, false)
        scan: for character in text {
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if character == "\\" { isEscaped = true } else if character == "\"" { isQuoted = false }
            } else {
                switch character {
                case "\"": isQuoted = true
                case "[", "{": depth += 1
                case "]", "}": depth -= 1
                case "#" where word.isEmpty && depth == 0: break scan
                case " ", "\t":
                    if depth > 0 { break }
                    if !word.isEmpty { words.append(word) }
                    word = ""
                    continue scan
                default: break
                }
            }
            word.append(character)
        }
        if !word.isEmpty { words.append(word) }
        if words.isEmpty { return nil }
        self.number = number
        self.text = words.joined(separator: " ")
        let arrow = words.firstIndex(of: "->")
        self.words = Array(words[..<(arrow ?? words.count)])
        refusal = arrow.map { words[($0 + 1)...].joined(separator: " ") }
    }
}

/// Words that stand for something in the API.
enum ScenarioWord {
    /// JSON, or a string where it is none.
    static func value(_ word: String) -> PlainValue {
        do throws(JSONFault) {
            return try JSONReader.read(Array(word.utf8))
        } catch {
            return .scalar(.string(Key(word)))
        }
    }

    /// "10s", "500ms", "2m", "1h"; milliseconds. Nil when it is no time.
    static func milliseconds(_ word: String) -> UInt64? {
        for (unit, factor) in [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)] as [(String, UInt64)]
        where word.hasSuffix(unit) {
            if let count = UInt64(word.dropLast(unit.count)), count < 1 << 32 { return count * factor }
        }
        return nil
    }

    static func text(_ value: PlainValue) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

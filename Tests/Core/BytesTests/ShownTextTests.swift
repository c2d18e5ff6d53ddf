// Text and faults on their way to people.

import Bytes
import Testing

@Suite struct ShownTextTests {
    @Test(
        "whatever steers a terminal or turns a line round is shown as an escape, all else as it is",
        arguments: [
            ("plain, grüße, 日本語, 👍🏽", "plain, grüße, 日本語, 👍🏽"), ("a\u{1B}[31m", #"a\u{1b}[31m"#),
            ("\u{202E}gnp", #"\u{202e}gnp"#), ("\u{9B}31m", #"\u{9b}31m"#),
            ("a\u{85}b\u{7F}", #"a\u{85}b\u{7f}"#),
            ("a\nb\tc\r", #"a\nb\tc\u{d}"#), ("\u{2066}x\u{2069}\u{200F}", #"\u{2066}x\u{2069}\u{200f}"#),
            ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#), ("\u{61C}1", #"\u{61c}1"#),
        ])
    func line(_ text: String, _ shown: String) { #expect(ShownText.line(text) == shown) }

    @Test("text of several lines keeps its line feeds and tabs")
    func lines() { #expect(ShownText.lines("a\n\tb\u{9B}") == "a\n\tb" + #"\u{9b}"#) }

    private struct Device: Equatable { let key: [UInt8] }
    private enum Role { case admin }
    private enum Inner: Error { case truncated(needed: Int, available: Int), invalidUTF8(at: Int), unknown }
    private enum Fault: Error {
        case sequenceGap(expected: Int)
        case noRight(author: String, need: Role, have: Role?)
        case malformed(Inner, after: Int)
        case inner(Inner)
        case notMember(Device)
        case tooMany
    }

    @Test("faults are told without the names of types and the marks of the language")
    func faults() {
        let said: [(Fault, String)] = [
            (.sequenceGap(expected: 3), "sequence gap, expected 3"), (.tooMany, "too many"),
            (
                .noRight(author: "box", need: .admin, have: nil),
                "no right, author box, need admin, have none"
            ),
            (
                .malformed(.truncated(needed: 1, available: 0), after: 7),
                "malformed, truncated, needed 1, available 0, after 7"
            ),
            (.inner(.invalidUTF8(at: 5)), "inner, invalid UTF8, at 5"),
            (.inner(.unknown), "inner, unknown"), (.notMember(Device(key: [1, 2])), "not member, [1, 2]"),
        ]
        for (fault, words) in said { #expect("\(FaultWords(fault))" == words) }
    }
}

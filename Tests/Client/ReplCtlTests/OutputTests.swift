// What people see: tables, values, and other people's text made harmless.

import JSON
import ReplClient
import Testing

@testable import replctl

@Suite struct OutputTests {
    @Test("columns are aligned, numbers to the right, and no line ends in blanks")
    func table() {
        var table = Table("NAME", "DOCUMENTS", "ID", numbers: [1])
        table.row("household", "7", "x")
        table.row("ö", "12345678901", "")
        #expect(
            table.lines() == """
                NAME         DOCUMENTS  ID
                household            7  x
                ö          12345678901  \n
                """)
        #expect(Table.pairs([("a", "1"), ("long", "2")]) == "a     1\nlong  2\n")
    }

    @Test("text that could steer a terminal is shown, not obeyed")
    func printable() {
        #expect(Printable.line("a\u{1B}[2Jb\nc\u{202E}") == "a\\u{1b}[2Jb\\nc\\u{202e}")
        #expect(Printable.lines("a\n\tb\u{9B}") == "a\n\tb\\u{9b}")
        #expect(Printable.json("\"\u{7F}\u{202E}\"\n") == "\"\\u007f\\u202e\"\n")
        var table = Table("A", "B")
        table.row("\u{1B}]0;x\u{7}", "b")
        #expect(!table.lines().unicodeScalars.contains("\u{1B}"))
    }

    @Test("values are printed a member a line, short arrays on one")
    func pretty() throws {
        let value = try JSONReader.read(Array(#"{"b":[1,2,"x"],"a":{"c":1.5,"d":{}},"e":[{"f":null}]}"#.utf8))
        #expect(
            PrettyJSON.text(value) == """
                {
                  "a": {
                    "c": 1.5,
                    "d": {}
                  },
                  "b": [1,2,"x"],
                  "e": [
                    {
                      "f": null
                    }
                  ]
                }
                """)
        #expect(try JSONReader.read(Array(PrettyJSON.text(value).utf8)) == value)
    }

    @Test("a progress bar shows the share, or the amount where the whole is unknown")
    func progress() {
        #expect(ProgressLine.text("x", 512, 1_024, "") == "x  [############------------] 50 % of 1024 B")
        #expect(
            ProgressLine.text("x", 2_000, 1_000, "n") == "x  [########################] 100 % of 1000 B, n")
        #expect(ProgressLine.text("x", 20_480, nil, "") == "x  20 KiB")
    }

    @Test("lines of the change stream name who, where and what")
    func patches() throws {
        let line = """
            {"cursor":"c","author":{"device":"d","name":"alice"},"documents":[{"key":"n","patches":[
            {"path":["a.b",0],"set":1},{"path":["t"],"splice":{"index":2,"delete":1,"insert":"xy"}},
            {"path":[""],"delete":true},{"path":[],"delete":true}]},{"key":"m","patches":[]}]}
            """
        let lines = PatchText.lines(of: try JSONReader.read(Array(line.utf8)))
        #expect(
            lines == [
                "alice  n  a\\.b.0 = 1", "alice  n  t at 2: -1 +\"xy\"", "alice  n  \"\" deleted",
                "alice  n  deleted", "alice  m  {}",
            ])
    }
}

@Suite struct TextDifferenceTests {
    /// What the splices make of the old text.
    private func applied(_ splices: [TextSplice], to old: String) -> String {
        var scalars = Array(old.unicodeScalars)
        for splice in splices {
            scalars.replaceSubrange(
                splice.index..<(splice.index + splice.delete), with: Array(splice.insert.unicodeScalars))
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    @Test("edits far apart stay apart, and each is as small as it can be")
    func small() {
        let old = "alpha\nbeta\ngamma\ndelta\n"
        let splices = TextDifference.splices(from: old, to: "alpha\nbexta\ngamma\ndela\nmore\n")
        #expect(
            splices == [
                TextSplice(index: 20, delete: 2, insert: "a\nmore"),
                TextSplice(index: 8, delete: 0, insert: "x"),
            ])
        #expect(applied(splices, to: old) == "alpha\nbexta\ngamma\ndela\nmore\n")
        #expect(TextDifference.splices(from: old, to: old).isEmpty)
    }

    @Test("two edits in one line stay two, and a word that is replaced is replaced whole")
    func words() {
        let old = "buy two pots of paint today\n"
        let splices = TextDifference.splices(from: old, to: "Buy zwei pots of white paint today\n")
        #expect(
            splices == [
                TextSplice(index: 15, delete: 0, insert: " white"),
                TextSplice(index: 4, delete: 3, insert: "zwei"),
                TextSplice(index: 0, delete: 1, insert: "B"),
            ])
        #expect(applied(splices, to: old) == "Buy zwei pots of white paint today\n")
    }

    @Test("forms of a letter that look alike are different")
    func forms() {
        #expect(
            TextDifference.splices(from: "caf\u{E9}\n", to: "cafe\u{301}\n") == [
                TextSplice(index: 3, delete: 1, insert: "e\u{301}")
            ])
    }

    @Test("edits of two people in different places are both kept, in one place they are told apart")
    func rebase() throws {
        let old = "alpha\nbeta\ngamma\n"
        let others = TextDifference.splices(from: old, to: "ALPHA!\nbeta\ngamma, too\n")
        let mine = TextDifference.splices(from: old, to: "alpha\nb\ngamma\n")
        let rebased = try #require(TextDifference.rebased(mine, over: others))
        #expect(applied(rebased, to: applied(others, to: old)) == "ALPHA!\nb\ngamma, too\n")
        let inside = [TextSplice(index: 2, delete: 3, insert: "x")]
        #expect(TextDifference.rebased(inside, over: [TextSplice(index: 3, delete: 0, insert: "y")]) == nil)
        #expect(TextDifference.rebased(inside, over: [TextSplice(index: 0, delete: 3, insert: "")]) == nil)
        #expect(TextDifference.rebased(inside, over: [TextSplice(index: 4, delete: 9, insert: "")]) == nil)
        #expect(TextDifference.rebased(inside, over: [TextSplice(index: 5, delete: 9, insert: "")]) == inside)
        let insertion = [TextSplice(index: 3, delete: 0, insert: "x")]
        #expect(TextDifference.rebased(insertion, over: [TextSplice(index: 1, delete: 5, insert: "")]) == nil)
        #expect(
            TextDifference.rebased(insertion, over: [TextSplice(index: 3, delete: 0, insert: "ab")])
                == [TextSplice(index: 5, delete: 0, insert: "x")])
    }

    @Test("the splices make the new text of the old one", arguments: 0..<200)
    func law(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
        }
        func text() -> String {
            String((0..<next(40)).map { _ in ["a", "b", "é", "\n", "\r\n", "e\u{301}"][next(6)] }.joined())
        }
        let (old, new) = (text(), text())
        let result = applied(TextDifference.splices(from: old, to: new), to: old)
        #expect(Array(result.unicodeScalars) == Array(new.unicodeScalars))
    }
}

// PATH and VALUE: what people type, and what the daemon gets.

import Bytes
import JSON
import Testing

@testable import replctl

private let id = String(repeating: "0a", count: 16) + ":12"

@Suite struct PathTests {
    @Test(
        "a path is cut at dots; numbers are indexes, a backslash makes a key",
        arguments: [
            ("", "[]"), ("title", #"["title"]"#), ("items.0.qty", #"["items",0,"qty"]"#),
            ("a\\.b.c", #"["a.b","c"]"#),
            ("years.\\2024", #"["years","2024"]"#), ("a\\\\b", #"["a\\b"]"#), ("007", #"["007"]"#),
            ("0", "[0]"),
            ("a..b", #"["a","","b"]"#), ("a.", #"["a",""]"#), ("-1", #"["-1"]"#),
            ("99999999999999999999", #"["99999999999999999999"]"#), ("ü.日", #"["ü","日"]"#),
            ("items.@\(id).x", #"["items",{"id":"\#(id)"},"x"]"#), ("@type", #"["@type"]"#),
            ("\"\"", #"[""]"#), ("a.\"\".b", #"["a","","b"]"#), ("\\\"\"", #"["\"\""]"#), ("\"", #"["\""]"#),
            ("items.\\@\(id)", #"["items","@\#(id)"]"#),
        ])
    func parse(text: String, json: String) throws {
        var writer = JSONWriter()
        try DottedPath(text).write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == json)
    }

    @Test("a combining character after a dot or a backslash does not hide it")
    func combining() throws {
        #expect(try DottedPath("a.\u{301}b") == DottedPath("a.\\\u{301}b"))
        #expect(try DottedPath("a.\u{301}b").steps == [.key("a"), .key("\u{301}b")])
    }

    @Test("a path that ends with a backslash is refused")
    func trailingBackslash() {
        #expect(throws: CommandFailure.self) { try DottedPath("a\\") }
    }

    @Test(
        "PATH=VALUE is cut at the first = without a backslash",
        arguments: [
            ("title=Groceries", ["title"], "Groceries"), ("a=b=c", ["a"], "b=c"), ("a\\=b=c", ["a=b"], "c"),
            ("=x", [], "x"), ("a=", ["a"], ""), ("a.=x", ["a", ""], "x"),
            ("\"\"=x", [""], "x"),
        ] as [(String, [String], String)])
    func assignment(text: String, keys: [String], value: String) throws {
        let (path, found) = try DottedPath.assignment(text)
        #expect(path.steps == keys.map { .key(Key($0)) })
        #expect(found == value)
    }

    @Test("without = there is no assignment", arguments: ["title", "a\\=b", ""])
    func noAssignment(text: String) {
        #expect(throws: CommandFailure.self) { try DottedPath.assignment(text) }
    }

    @Test(
        "an escaped key reads back as itself",
        arguments: ["a.b", "0", "a\\b", "x=y", "@\(id)", "plain", "12a", "\u{301}", "", "\"\""])
    func escape(key: String) throws {
        #expect(try DottedPath(DottedPath.escaped(key)).steps == [.key(Key(key))])
        #expect(try DottedPath.assignment(DottedPath.escaped(key) + "=1").path.steps == [.key(Key(key))])
    }

    @Test("a path finds its place in the plain and in the typed view")
    func find() throws {
        let plain = try JSONReader.read(Array(#"{"items":[{"qty":2}],"2024":1}"#.utf8))
        #expect(try DottedPath("items.0.qty").find(in: plain, isTyped: false) == .scalar(.integer(2)))
        #expect(try DottedPath("\\2024").find(in: plain, isTyped: false) == .scalar(.integer(1)))
        for path in ["2024", "items.1", "items.0.qty.x", "nothing", "items.@\(id)"] {
            #expect(throws: CommandFailure.self) { try DottedPath(path).find(in: plain, isTyped: false) }
        }
        let text = """
            {"kind":"map","value":{"items":{"kind":"list","elements":[{"id":"\(id)","kind":"map",
            "value":{"qty":{"kind":"register","value":2}}}]}}}
            """
        let typed = try JSONReader.read(Array(text.utf8))
        for path in ["items.0.qty", "items.@\(id).qty"] {
            let slot = try DottedPath(path).find(in: typed, isTyped: true)
            #expect(slot.string("kind") == "register" && slot.integer("value") == 2)
        }
    }
}

@Suite struct ValueTests {
    @Test("a value is JSON, or a string when it is not")
    func read() throws {
        #expect(try ValueText.read("true").value == .scalar(.bool(true)))
        #expect(try ValueText.read("1.0").value == .scalar(.integer(1)))
        #expect(try ValueText.read("-5").value == .scalar(.integer(-5)))
        #expect(try ValueText.read("\"007\"").value == .scalar(.string("007")))
        #expect(try ValueText.read("007").value == .scalar(.string("007")))
        #expect(try ValueText.read("").value == .scalar(.string("")))
        #expect(try ValueText.read("NaN").value == .scalar(.string("NaN")))
        #expect(
            try ValueText.read("[1,\"a\"]").value == .array([.scalar(.integer(1)), .scalar(.string("a"))]))
    }

    @Test(
        "what looks like JSON that went wrong is a string, and is told",
        arguments: ["[milk]", "{\"a\":1", "\"x"])
    func guess(text: String) throws {
        let (value, isGuess) = try ValueText.read(text)
        #expect(value == .scalar(.string(Key(text))) && isGuess)
    }

    @Test(
        "a number that no document can hold is refused",
        arguments: ["99999999999999999999", "1e999", "[1e999]"])
    func outOfRange(text: String) {
        #expect(throws: CommandFailure.self) { try ValueText.read(text) }
    }

    @Test("negative numbers are values, other dashes are unknown options")
    func dashes() throws {
        #expect(try ValueText.positional(["-5", "-0.5", "-", "a-b"]) == ["-5", "-0.5", "-", "a-b"])
        #expect(throws: CommandFailure.self) { try ValueText.positional(["--jsno"]) }
        #expect(throws: CommandFailure.self) { try ValueText.positional(["-x"]) }
    }

    @Test(
        "spans of time",
        arguments: [("90", 90), ("90s", 90), ("30m", 1_800), ("24h", 86_400), ("7d", 604_800)])
    func seconds(text: String, seconds: Int64) { #expect(Moment.seconds(text) == seconds) }

    @Test("other words are no span", arguments: ["", "h", "-1", "1.5h", "1w", "9223372036854775807d", "١h"])
    func noSeconds(text: String) { #expect(Moment.seconds(text) == nil) }
}

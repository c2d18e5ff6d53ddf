// The syntax of the config file: what is TOML is read with its places, what is none is refused with one.

import Testing

@testable import repld

private func values(_ text: String) throws -> [TOMLReader.Value] {
    try TOMLReader.read(text).map {
        guard case .setting(let setting) = $0 else { return .other }
        return setting.value
    }
}

@Suite struct TOMLReaderTests {
    @Test("keys are found where they stand, in sections too, and what is inside a value is no key")
    func places() throws {
        let text = """
            a = 1
              b.c = [
                "x", # d = 1
                'd = 1' ]
            [ s ]
            d = { e = 1, f.g = [2] }
            "q t" = "a # \\" d = 2"
            [s."u"]
            \tv = \'\'\'
            a = 2 \'\'\'
            é = 1
            """
        let fault = #expect(throws: TOMLReader.Fault.self) { _ = try TOMLReader.read(text) }
        #expect(fault?.place == ConfigPlace(line: 11, column: 1))
        let good = text.replacing("é", with: "x")
        var found: [String] = []
        for statement in try TOMLReader.read(good) {
            switch statement {
            case .section(let path, let place):
                found.append("[\(path.joined(separator: "/"))] \(place.line):\(place.column)")
            case .setting(let setting):
                found.append(
                    "\(setting.path.joined(separator: "/")) \(setting.place.line):\(setting.place.column)")
            }
        }
        #expect(
            found == [
                "a 1:1", "b/c 2:3", "[s] 5:1", "d 6:1", "q t 7:1", "[s/u] 8:1", "v 9:2", "x 11:1",
            ])
    }

    @Test("strings, numbers, flags and lists are read as TOML says")
    func reading() throws {
        let cases: [(String, TOMLReader.Value)] = [
            (#""a\tb\u00e9\U0001F600\"\\""#, .string("a\tb\u{e9}\u{1F600}\"\\")), ("'a\\b'", .string("a\\b")),
            ("\"\"", .string("")), ("\"\"\"\na\n  b\\\n   \n c\"\"\"\"", .string("a\n  bc\"")),
            ("'''\r\na'b\n'''", .string("a'b\n")), ("\"\"\"\\\"\"\"\"\"", .string("\"\"")),
            ("0", .integer(0)), ("-17", .integer(-17)), ("+1_000", .integer(1_000)), ("0xFf", .integer(255)),
            ("0o17", .integer(15)), ("0b101", .integer(5)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .other), ("1.5", .other), ("1e3", .other), ("-inf", .other),
            ("01", .other),
            ("1__0", .other), ("1979-05-27T07:32:00Z", .other), ("true", .bool(true)),
            ("false", .bool(false)),
            ("[]", .array([])), ("[ 'a' , # x\n 1 ,\n]", .array([.string("a"), .integer(1)])),
            ("[[1],[]]", .array([.array([.integer(1)]), .array([])])), ("{}", .table([])),
        ]
        for (text, value) in cases {
            for end in ["", "\n", " # x\n", "\r\n", "\t\nb = 1"] {
                #expect(try values("a = " + text + end).first == value, "\(text)")
            }
        }
        #expect(try TOMLReader.read("") == [] && TOMLReader.read("\u{FEFF}# x\n\n") == [])
    }

    @Test("what is no TOML is refused where it goes wrong")
    func refusals() {
        let deep = String(repeating: "[", count: 17)
        for (text, line, column) in [
            ("[=]", 1, 2), ("name = \"a\"\n  [.a]", 2, 4), ("[[a]]", 1, 1), ("[ [a]]", 1, 3), ("[", 1, 2),
            ("[a", 1, 3), ("[a]b", 1, 4), ("a", 1, 2), ("a =", 1, 4), ("a = ]", 1, 5), ("a = [,]", 1, 6),
            ("a = [1 2]", 1, 8), ("a = [", 1, 6), ("a = {b}", 1, 7), ("a = {b = 1,}", 1, 12),
            ("a. = 1", 1, 4),
            (".a = 1", 1, 1), ("= 1", 1, 1), ("a = b", 1, 5), ("a = 1 2", 1, 7), ("a = \"", 1, 5),
            ("a = \"x\nb\"", 1, 5), ("a = \"\"\"x", 1, 5), ("a = \"\\x\"", 1, 7), ("a = \"\\uD800\"", 1, 7),
            ("a = \"\\u12\"", 1, 7), ("a = 'é\u{1}'", 1, 7), ("a = 1\rb = 2", 1, 6),
            ("\"\"\"a\"\"\" = 1", 1, 1),
            ("a = \(deep)", 1, 21), ("a = \"\"\"\n[=]\n\\\"\"\"\n\"\"\"\n[#]", 5, 2),
        ] {
            let fault = #expect(throws: TOMLReader.Fault.self, "\(text)") { _ = try TOMLReader.read(text) }
            #expect(
                fault?.place == ConfigPlace(line: line, column: column),
                "\(text): \(String(describing: fault))")
        }
    }

    @Test("a key or a section that is there twice is refused, tables in one line count")
    func twice() throws {
        for text in [
            "name = \"a\"\nname = \"b\"", "[discovery]\n[discovery]",
            "discovery.ignore = []\n[discovery]\nignore = []",
            "discovery = { ignore = [], ignore = [] }",
        ] {
            #expect { try ConfigFile(text, path: "r") } throws: { "\($0)".contains("is there twice") }
        }
        let file = try ConfigFile("discovery = { enabled = false }", path: "r")
        #expect(file.bool("discovery.enabled") == false)
    }
}

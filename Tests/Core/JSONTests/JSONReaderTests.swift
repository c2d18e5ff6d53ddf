// The strict reader against vectors: what RFC 8259 allows and we take, what it allows and we refuse, what
// nobody may send. The names follow the groups of the JSON parsing test suite (Seriot, "Parsing JSON is a
// minefield").

import Bytes
import JSON
import Testing

@Suite struct JSONReaderTests {
    @Test(
        "a valid text gives its value",
        arguments: [
            ("null", .scalar(.null)), (" true ", .scalar(.bool(true))), ("false\n", .scalar(.bool(false))),
            ("\"\"", .scalar(.string(""))), ("[]", .array([])), ("{}", .emptyObject),
            ("[1, 2 ,3]", .array([.scalar(.integer(1)), .scalar(.integer(2)), .scalar(.integer(3))])),
            ("[[],{}]", .array([.array([]), .emptyObject])),
            (
                "{\"b\":1,\"a\":[null]}",
                .object([.init("a", .array([.scalar(.null)])), .init("b", .scalar(.integer(1)))])
            ),
            ("{\"\":0}", .object([.init("", .scalar(.integer(0)))])),
        ] as [(String, PlainValue)])
    func valid(text: String, value: PlainValue) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == value)
    }

    @Test(
        "a string gives its scalars, whatever way they are written",
        arguments: [
            (#""a\/b\\\"\b\f\n\r\t""#, "a/b\\\"\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\uD83D\ude00""#, "Aé😀"),
            (#""é😀""#, "é😀"), (#""\u0000""#, "\0"), (#""x\u00E9é""#, "xéé"),
            ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        ])
    func strings(text: String, value: String) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == .scalar(.string(Key(value))))
    }

    @Test(
        "a number has one canonical form",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("-0.0", .integer(0)), ("1.0", .integer(1)),
            ("1e2", .integer(100)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9007199254740992.0", .integer(9_007_199_254_740_992)),
            ("9007199254740994.0", .double(9_007_199_254_740_994)),
            ("1e19", .double(1e19)), ("0.1", .double(0.1)), ("-1.5E-3", .double(-0.0015)),
            ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1e-400", .integer(0)), ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        ] as [(String, Scalar)])
    func numbers(text: String, value: Scalar) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == .scalar(value))
        #expect(value.isCanonical)
    }

    @Test(
        "a malformed text is refused at its place",
        arguments: [
            ("", .truncated, 0), ("[", .truncated, 1), ("[1", .truncated, 2), ("[1,", .truncated, 3),
            ("{\"a\"", .truncated, 4), ("\"a", .truncated, 2), ("tru", .truncated, 3),
            ("[1,]", .unexpected(byte: 0x5D, wanted: "a JSON value"), 3),
            ("[1 2]", .unexpected(byte: 0x32, wanted: "',' or ']'"), 3),
            ("{a:1}", .unexpected(byte: 0x61, wanted: "a member's name in quotes"), 1),
            ("{\"a\":1,}", .unexpected(byte: 0x7D, wanted: "a member's name in quotes"), 7),
            ("{\"a\" 1}", .unexpected(byte: 0x31, wanted: "':'"), 5),
            ("'a'", .unexpected(byte: 0x27, wanted: "a JSON value"), 0),
            ("NaN", .unexpected(byte: 0x4E, wanted: "a JSON value"), 0),
            ("Infinity", .unexpected(byte: 0x49, wanted: "a JSON value"), 0),
            ("-Infinity", .malformedNumber, 0),
            ("nul0", .unexpected(byte: 0x30, wanted: "true, false or null"), 3),
            ("1 2", .trailing, 2), ("{}}", .trailing, 2), ("01", .malformedNumber, 0),
            ("-01", .malformedNumber, 0),
            ("1.", .malformedNumber, 0), (".5", .unexpected(byte: 0x2E, wanted: "a JSON value"), 0),
            ("1e", .malformedNumber, 0), ("1e+", .malformedNumber, 0), ("-", .malformedNumber, 0),
            ("+1", .unexpected(byte: 0x2B, wanted: "a JSON value"), 0), ("0x1", .trailing, 1),
            ("\"\\x\"", .invalidEscape, 1), ("\"\\u12G4\"", .invalidEscape, 1), ("\"\\", .truncated, 2),
            ("\"a\nb\"", .controlCharacter, 2), ("\"\\n\nb\"", .controlCharacter, 3),
            ("\"\\uD800\"", .loneSurrogate, 1), ("\"\\uDC00\"", .loneSurrogate, 1),
            ("\"\\uD800\\u0041\"", .loneSurrogate, 1), ("\"\\uD800x\"", .loneSurrogate, 1),
            ("{\"a\":1,\"b\":2,\"a\":3}", .duplicateMember("a"), 0),
            ("[{\"x\":{\"\\u0061\":1,\"a\":3}}]", .duplicateMember("a"), 6),
            ("9223372036854775808", .numberOutOfRange("9223372036854775808"), 0),
            ("-9223372036854775809", .numberOutOfRange("-9223372036854775809"), 0),
            ("1e400", .numberOutOfRange("1e400"), 0),
            ("/*x*/1", .unexpected(byte: 0x2F, wanted: "a JSON value"), 0),
            ("\u{FEFF}1", .unexpected(byte: 0xEF, wanted: "a JSON value"), 0),
        ] as [(String, JSONFault.Reason, Int)])
    func malformed(text: String, reason: JSONFault.Reason, offset: Int) throws {
        let fault = try #require(throws: JSONFault.self) { _ = try JSONReader.read(Array(text.utf8)) }
        #expect(fault.reason == reason)
        #expect(fault.offset == offset)
    }

    @Test(
        "bytes that are no UTF-8 are refused at the byte",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xC3, 0x22], 2), ([0x22, 0xC0, 0xAF, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0x5C, 0x6E, 0xF4, 0x90, 0x80, 0x80, 0x22], 3),
        ] as [([UInt8], Int)])
    func notUTF8(bytes: [UInt8], offset: Int) throws {
        let fault = try #require(throws: JSONFault.self) { _ = try JSONReader.read(bytes) }
        #expect(fault.reason == .invalidUTF8)
        #expect(fault.offset == offset)
    }

    @Test(
        "whoever only shows an answer reads integers beyond 64 bits as the nearest number",
        arguments: [
            ("18446744073709551615", 18_446_744_073_709_551_615.0),
            ("-9223372036854775809", -9_223_372_036_854_775_809.0),
            ("1\(String(repeating: "0", count: 40))", 1e40),
        ])
    func rounded(text: String, number: Double) throws {
        #expect(try JSONReader.read(Array(text.utf8), roundsNumbers: true) == .scalar(.double(number)))
        #expect(
            try JSONReader.read(Array("9223372036854775807".utf8), roundsNumbers: true)
                == .scalar(.integer(.max)))
        let endless = Array(String(repeating: "9", count: 400).utf8)
        #expect(throws: JSONFault.self) { try JSONReader.read(endless, roundsNumbers: true) }
    }

    @Test("NFC and NFD spellings are two members")
    func normalForms() throws {
        let value = try JSONReader.read(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
        guard case .object(let members) = value else { return #expect(Bool(false), "no object") }
        #expect(members.map { Array($0.key.utf8) } == [Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
    }

    @Test("the depth limit is taken and one past it is refused, without a deep stack")
    func depth() throws {
        func nested(_ levels: Int, _ open: String, _ close: String) -> [UInt8] {
            Array(
                (String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)).utf8)
        }
        #expect(throws: Never.self) { _ = try JSONReader.read(nested(64, "[", "]")) }
        #expect(throws: Never.self) { _ = try JSONReader.read(nested(64, "{\"a\":", "}")) }
        let fault = try #require(throws: JSONFault.self) { _ = try JSONReader.read(nested(65, "[", "]")) }
        #expect(fault.reason == .depth(limit: 64))
        #expect(fault.offset == 64)
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 4_000_000)
        let bombFault = try #require(throws: JSONFault.self) { _ = try JSONReader.read(bomb) }
        #expect(bombFault.reason == .depth(limit: 64))
    }

    @Test("the place is told as line and column")
    func place() throws {
        let fault = try #require(throws: JSONFault.self) {
            _ = try JSONReader.read(Array("{\n \"a\": 1,\n  x}".utf8))
        }
        #expect(fault.line == 3)
        #expect(fault.column == 3)
        #expect(
            fault.message == "expected a member's name in quotes, found 'x' at line 3, column 3 (byte 13)")
    }

    @Test("a hundred thousand members in falling order are sorted")
    func manyMembers() throws {
        let text =
            "{" + (0..<100_000).reversed().map { "\"\(1_000_000 + $0)\":\($0)" }.joined(separator: ",") + "}"
        guard case .object(let members) = try JSONReader.read(Array(text.utf8)) else {
            return #expect(Bool(false), "no object")
        }
        #expect(members.count == 100_000)
        #expect(members[77_777].value == .scalar(.integer(77_777)))
    }
}

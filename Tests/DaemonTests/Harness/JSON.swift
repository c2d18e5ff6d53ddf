// JSON as the tests see it: a value, a parser that is independent of the project's own, and a writer for
// bodies. Foundation's reader confuses true with 1 and large integers with doubles, so it is not used.

/// A JSON value. Numbers without fraction and exponent that fit 64 bits are integers.
enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(_ text: String) throws { self = try Self.parse(Array(text.utf8)) }

    static func parse(_ bytes: [UInt8]) throws -> JSON {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.isAtEnd else { throw parser.fault("something follows the value") }
        return value
    }

    /// A member of an object, null when there is none.
    subscript(name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// An element of an array, null when there is none.
    subscript(index: Int) -> JSON {
        if case .array(let items) = self, items.indices.contains(index) { items[index] } else { .null }
    }

    func has(_ name: String) -> Bool {
        if case .object(let members) = self { members[name] != nil } else { false }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var array: [JSON] { if case .array(let items) = self { items } else { [] } }
    var object: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral,
    ExpressibleByStringInterpolation
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    init(nilLiteral: ()) { self = .null }
}

extension JSON: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): Self.quoted(text)
        case .array(let items): "[" + items.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.description }
                .joined(separator: ",") + "}"
        }
    }

    var bytes: [UInt8] { Array(description.utf8) }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// What the parser met.
struct JSONFaultInAnswer: Error, CustomStringConvertible {
    let what: String
    let offset: Int
    let near: String
    var description: String { "no JSON: \(what) at byte \(offset) near \(near)" }
}

/// Recursive descent; answers of the daemon nest a few levels only.
private struct JSONParser {
    let bytes: [UInt8]
    var offset = 0

    var isAtEnd: Bool { offset == bytes.count }

    func fault(_ what: String) -> JSONFaultInAnswer {
        let near = bytes[max(0, offset - 20)..<min(bytes.count, offset + 20)]
        return JSONFaultInAnswer(what: what, offset: offset, near: String(decoding: near, as: UTF8.self))
    }

    mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) throws {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else {
            throw fault("'\(character)' expected")
        }
        offset += 1
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    mutating func value() throws -> JSON {
        skipSpace()
        guard offset < bytes.count else { throw fault("a value expected") }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
        guard bytes[offset...].starts(with: word.utf8) else { throw fault("\(word) expected") }
        offset += word.utf8.count
        return value
    }

    private mutating func object() throws -> JSON {
        try take("{")
        var members: [String: JSON] = [:]
        if takes("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try text()
            try take(":")
            guard members.updateValue(try value(), forKey: name) == nil else {
                throw fault("\(name) stands twice")
            }
        } while takes(",")
        try take("}")
        return .object(members)
    }

    private mutating func array() throws -> JSON {
        try take("[")
        var items: [JSON] = []
        if takes("]") { return .array(items) }
        repeat { items.append(try value()) } while takes(",")
        try take("]")
        return .array(items)
    }

    private mutating func number() throws -> JSON {
        let start = offset
        while offset < bytes.count, "+-.0123456789eE".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text) else { throw fault("a number expected") }
        return .number(number)
    }

    private mutating func text() throws -> String {
        try take("\"")
        var content: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw fault("invalid UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): content.append(contentsOf: try escape())
            case 0..<0x20: throw fault("a control character in a string")
            default: content.append(byte)
            }
        }
        throw fault("a string without an end")
    }

    private mutating func escape() throws -> [UInt8] {
        guard offset < bytes.count else { throw fault("an escape without an end") }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]), bytes[offset...].starts(with: [0x5C, 0x75]) {
                offset += 2
                units.append(try unit())
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw fault("a lone surrogate")
            }
            return Array(text.utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func unit() throws -> UInt16 {
        guard offset + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits expected") }
        offset += 4
        return unit
    }
}

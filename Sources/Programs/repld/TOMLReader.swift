// TOML 1.0 as far as settings need it, with a place for every key and every fault. A reader of our own
// because the one we had (toml++ through TOMLKit) asserts on some slips, `[=]` or `a = [,]`, and an assertion
// ends a daemon that was only told to read its file again (decision 0078). Total: whatever the text, it is
// read or refused.

/// Line and column, from 1; columns count Unicode scalars.
struct ConfigPlace: Equatable {
    var line = 1
    var column = 1
}

/// What a text says, in its order.
struct TOMLReader {
    indirect enum Value: Equatable {
        case string(String)
        case integer(Int)
        case bool(Bool)
        case array([Value])
        case table([Setting])
        /// A number with a fraction, a date or a time: TOML, but nothing that we have a setting for.
        case other
    }

    /// One `key = value`; `path` are the parts of a dotted key, at least one.
    struct Setting: Equatable {
        let path: [String]
        let place: ConfigPlace
        let value: Value
    }

    enum Statement: Equatable {
        case section([String], ConfigPlace)
        case setting(Setting)
    }

    struct Fault: Error, Equatable {
        let place: ConfigPlace
        let reason: String
    }

    /// Arrays and inline tables inside each other.
    static let depthMax = 16

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0

    static func read(_ text: String) throws(Fault) -> [Statement] {
        var reader = TOMLReader(text)
        try reader.checkControls()
        var statements: [Statement] = []
        while let statement = try reader.statement() { statements.append(statement) }
        return statements
    }

    private init(_ text: String) {
        bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (index, lineStart) = (3, 3) }
    }

    // MARK: Lines

    private mutating func statement() throws(Fault) -> Statement? {
        try skipSpace(acrossLines: true)
        guard let next = peek else { return nil }
        let statement: Statement
        if next == UInt8(ascii: "[") {
            let start = place
            index += 1
            if peek == UInt8(ascii: "[") {
                throw fault("there are no lists of tables here: a section is written [name]", at: start)
            }
            skipBlanks()
            let path = try keyPath()
            try take("]", "']' behind the name of the section")
            statement = .section(path, start)
        } else {
            statement = .setting(try setting(depth: 0))
        }
        skipBlanks()
        skipComment()
        guard peek == nil || peek == UInt8(ascii: "\n") else { throw fault("a new line is needed here") }
        return statement
    }

    private mutating func setting(depth: Int) throws(Fault) -> Setting {
        let start = place
        let path = try keyPath()
        try take("=", "'=' behind the key")
        skipBlanks()
        return Setting(path: path, place: start, value: try value(depth: depth))
    }

    /// A dotted key, parts bare or quoted, and the blanks behind it.
    private mutating func keyPath() throws(Fault) -> [String] {
        var path: [String] = []
        while true {
            let start = index
            if let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                guard !startsLong(quote) else { throw fault("a key is on one line, in one pair of quotes") }
                path.append(try string(quote))
            } else {
                while let next = peek, Self.isBare(next) { index += 1 }
                guard index > start else { throw fault("a key is needed here") }
                path.append(String(decoding: bytes[start..<index], as: UTF8.self))
            }
            skipBlanks()
            guard peek == UInt8(ascii: ".") else { return path }
            index += 1
            skipBlanks()
        }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Fault) -> Value {
        guard let next = peek else { throw fault("a value is needed here") }
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return .string(startsLong(next) ? try longString(next) : try string(next))
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "{"): return try table(depth: depth)
        default: return try word()
        }
    }

    private mutating func array(depth: Int) throws(Fault) -> Value {
        guard depth < Self.depthMax else { throw fault("nested more than \(Self.depthMax) deep") }
        index += 1
        var values: [Value] = []
        while true {
            try skipSpace(acrossLines: true)
            if peek == UInt8(ascii: "]") { break }
            values.append(try value(depth: depth + 1))
            try skipSpace(acrossLines: true)
            guard peek == UInt8(ascii: ",") else { break }
            index += 1
        }
        try take("]", "',' or ']' in the list")
        return .array(values)
    }

    private mutating func table(depth: Int) throws(Fault) -> Value {
        guard depth < Self.depthMax else { throw fault("nested more than \(Self.depthMax) deep") }
        index += 1
        var settings: [Setting] = []
        skipBlanks()
        guard peek != UInt8(ascii: "}") else {
            index += 1
            return .table([])
        }
        while true {
            skipBlanks()
            settings.append(try setting(depth: depth + 1))
            skipBlanks()
            guard peek == UInt8(ascii: ",") else { break }
            index += 1
        }
        try take("}", "',' or '}' in the table")
        return .table(settings)
    }

    /// true, false, and everything that begins like a number.
    private mutating func word() throws(Fault) -> Value {
        let (start, begin) = (index, place)
        while let next = peek, Self.isBare(next) || ":.+".utf8.contains(next) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let number = Self.integer(text) { return .integer(number) }
        let digits = text.utf8.drop { "+-".utf8.contains($0) }
        let isOther = ["inf", "nan"].contains(String(decoding: Array(digits), as: UTF8.self))
        guard isOther || digits.first.map(Self.isDigit) == true else {
            throw fault(
                text.isEmpty ? "a value is needed here" : "'\(text)' is no value: text stands in quotes",
                at: begin)
        }
        return .other
    }

    /// Decimal, or 0x, 0o, 0b; an underscore between two digits. Nil for what is none, or does not fit.
    private static func integer(_ text: String) -> Int? {
        var (radix, digits) = (10, text)
        for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] where text.hasPrefix(prefix) {
            (radix, digits) = (base, String(text.dropFirst(2)))
        }
        let sign =
            radix == 10 && (digits.hasPrefix("-") || digits.hasPrefix("+"))
            ? String(digits.removeFirst()) : ""
        guard let first = digits.utf8.first, first != UInt8(ascii: "_"), !digits.hasSuffix("_"),
            !digits.contains("__"), !"+-".utf8.contains(first),
            radix != 10 || first != UInt8(ascii: "0") || digits.utf8.count == 1
        else { return nil }
        return Int(sign + digits.filter { $0 != "_" }, radix: radix)
    }
}

/// Strings.
extension TOMLReader {
    private func startsLong(_ quote: UInt8) -> Bool { bytes[index...].starts(with: [quote, quote, quote]) }

    /// On one line.
    private mutating func string(_ quote: UInt8) throws(Fault) -> String {
        let begin = place
        index += 1
        var text: [UInt8] = []
        while let next = peek, next != UInt8(ascii: "\n") {
            index += 1
            if next == quote { return String(decoding: text, as: UTF8.self) }
            if next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try escape(into: &text)
            } else {
                text.append(next)
            }
        }
        throw fault("a string that does not end on its line", at: begin)
    }

    /// In three quotes, over lines; a line break at its beginning is not part of it.
    private mutating func longString(_ quote: UInt8) throws(Fault) -> String {
        let begin = place
        index += 3
        skipLineBreak()
        var text: [UInt8] = []
        while let next = peek {
            if next == quote, startsLong(quote) {
                index += 3
                // Up to two more quotes belong to the text.
                for _ in 0..<2 where peek == quote {
                    text.append(quote)
                    index += 1
                }
                return String(decoding: text, as: UTF8.self)
            }
            if next == UInt8(ascii: "\n") {
                text.append(next)
                endLine()
                continue
            }
            index += 1
            guard next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
                text.append(next)
                continue
            }
            if try !skipFoldedLine() { try escape(into: &text) }
        }
        throw fault("a string that does not end", at: begin)
    }

    /// Behind a backslash at the end of a line: the break and all space after it.
    private mutating func skipFoldedLine() throws(Fault) -> Bool {
        var end = index
        while end < bytes.count, " \t\r".utf8.contains(bytes[end]) { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return false }
        while let next = peek, " \t\r\n".utf8.contains(next) {
            if next == UInt8(ascii: "\n") { endLine() } else { index += 1 }
        }
        return true
    }

    private mutating func escape(into text: inout [UInt8]) throws(Fault) {
        let short: [UInt8: UInt8] = [
            UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10, UInt8(ascii: "f"): 12,
            UInt8(ascii: "r"): 13, UInt8(ascii: "\""): 34, UInt8(ascii: "\\"): 92,
        ]
        guard let next = peek else { throw fault("an escape that does not end") }
        if let byte = short[next] {
            text.append(byte)
            index += 1
            return
        }
        let count = next == UInt8(ascii: "u") ? 4 : next == UInt8(ascii: "U") ? 8 : 0
        let digits = bytes[(index + 1)...].prefix(count)
        guard count > 0, digits.count == count, digits.allSatisfy(Self.isHexDigit),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(number)
        else { throw fault("no such escape; those are \\b \\t \\n \\f \\r \\\" \\\\ \\u \\U") }
        text += String(scalar).utf8
        index += 1 + count
    }
}

/// Bytes.
extension TOMLReader {
    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Where the reader stands.
    private var place: ConfigPlace {
        let scalars = bytes[lineStart..<index].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return ConfigPlace(line: line, column: scalars + 1)
    }

    private func fault(_ reason: String, at place: ConfigPlace? = nil) -> Fault {
        Fault(place: place ?? self.place, reason: reason)
    }

    private mutating func take(_ character: Unicode.Scalar, _ what: String) throws(Fault) {
        guard peek == UInt8(ascii: character) else { throw fault("\(what) is needed here") }
        index += 1
    }

    private mutating func endLine() {
        index += 1
        line += 1
        lineStart = index
    }

    private mutating func skipLineBreak() {
        if peek == UInt8(ascii: "\r"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") {
            index += 1
        }
        if peek == UInt8(ascii: "\n") { endLine() }
    }

    /// Carriage returns stand before line breaks only (`checkControls`).
    private mutating func skipBlanks() { while let next = peek, " \t\r".utf8.contains(next) { index += 1 } }

    private mutating func skipComment() {
        guard peek == UInt8(ascii: "#") else { return }
        while let next = peek, next != UInt8(ascii: "\n") { index += 1 }
    }

    private mutating func skipSpace(acrossLines: Bool) throws(Fault) {
        while true {
            skipBlanks()
            skipComment()
            guard acrossLines, peek == UInt8(ascii: "\n") else { return }
            endLine()
        }
    }

    /// No control character but tab and line breaks stands anywhere.
    private func checkControls() throws(Fault) {
        var reader = self
        while let byte = reader.peek {
            let isBreak =
                byte == UInt8(ascii: "\r") && reader.index + 1 < bytes.count
                && bytes[reader.index + 1] == UInt8(ascii: "\n")
            guard byte >= 0x20 && byte != 0x7F || byte == 9 || byte == 10 || isBreak else {
                throw reader.fault("a control character")
            }
            if byte == 10 { reader.endLine() } else { reader.index += 1 }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

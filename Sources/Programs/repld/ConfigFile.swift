// The config file: TOML for its syntax, our own walk over it for its meaning, because a decoder would tell a
// wrong type as a missing key and no line. Every key is documented in Config/repld.toml.

import Glibc
import TOMLKit

/// What a config file says; nil where it says nothing.
struct ConfigFile: Equatable {
    static let standardPath = "/etc/repld/repld.toml"
    static let keys = ["state", "socket", "listen", "advertise", "peers", "discovery", "name", "log-level"]
    /// Larger ones are no config file.
    private static let bytesMax = 1 << 20

    let path: String
    var state: String?
    var socket: String?
    var listen: [String]?
    var advertise: [String]?
    var peers: [String]?
    var discovery: Bool?
    var name: String?
    var logLevel: String?
    /// The line of each key, for what is found wrong with a value later.
    private(set) var lines: [String: Int] = [:]

    /// The given file, which must be there, or the standard one if it is.
    static func find(_ path: String?) throws(SettingsError) -> ConfigFile? {
        let wanted = path ?? standardPath
        guard let file = fopen(wanted, "re") else {
            if path == nil, errno == ENOENT { return nil }
            throw .unreadable(file: wanted, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = fread(&bytes, 1, bytesMax, file)
        guard ferror(file) == 0, count < bytesMax else {
            throw .unreadable(
                file: wanted, reason: count < bytesMax ? "it is not a file" : "it is over 1 MiB")
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw .unreadable(file: wanted, reason: "it is not UTF-8")
        }
        return try ConfigFile(text, path: wanted)
    }

    init(_ text: String, path: String) throws(SettingsError) {
        self.path = path
        let table = try Self.parse(text, path)
        lines = Self.lines(of: text)
        for key in table.keys.sorted() {
            guard let value = table[key] else { continue }
            switch key {
            case "state": state = try string(value, key)
            case "socket": socket = try string(value, key)
            case "listen": listen = try strings(value, key)
            case "advertise": advertise = try strings(value, key)
            case "peers": peers = try strings(value, key)
            case "discovery": discovery = try bool(value, key)
            case "name": name = try string(value, key)
            case "log-level": logLevel = try string(value, key)
            default:
                throw .unknownKey(file: path, line: line(of: key), key: key, nearest: Self.nearest(to: key))
            }
        }
    }

    /// Where a value stands, for messages.
    func place(of key: String) -> String { "\(path):\(line(of: key))" }

    private func line(of key: String) -> Int { lines[key] ?? 1 }

    private static func parse(_ text: String, _ path: String) throws(SettingsError) -> TOMLTable {
        do {
            return try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let begin = error.source.begin
            throw .syntax(file: path, line: begin.line, column: begin.column, reason: error.description)
        } catch {
            throw .syntax(file: path, line: 1, column: 1, reason: "\(error)")
        }
    }

    /// The line on which each key or table begins. The parser has accepted the text, so this only has to find
    /// names.
    private static func lines(of text: String) -> [String: Int] {
        var found: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" || $0 == "[" || $0 == "\"" }
            let name = trimmed.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            if !name.isEmpty, found[String(name)] == nil { found[String(name)] = index + 1 }
        }
        return found
    }

    private func string(_ value: any TOMLValueConvertible, _ key: String) throws(SettingsError) -> String {
        guard let string = value.string else {
            throw .wrongType(file: path, line: line(of: key), key: key, need: "a string in quotes")
        }
        return string
    }

    private func bool(_ value: any TOMLValueConvertible, _ key: String) throws(SettingsError) -> Bool {
        guard let bool = value.bool else {
            throw .wrongType(file: path, line: line(of: key), key: key, need: "true or false")
        }
        return bool
    }

    private func strings(_ value: any TOMLValueConvertible, _ key: String) throws(SettingsError) -> [String] {
        let need = "a list of strings, as [\"a\", \"b\"]"
        guard let array = value.array else {
            throw .wrongType(file: path, line: line(of: key), key: key, need: need)
        }
        var found: [String] = []
        for index in 0..<array.count {
            guard let string = array[index].string else {
                throw .wrongType(file: path, line: line(of: key), key: key, need: need)
            }
            found.append(string)
        }
        return found
    }

    /// The right key with the fewest letters to change, if they are few (Levenshtein).
    static func nearest(to wrong: String) -> String? {
        let ranked = keys.map { (key: $0, distance: distance(Array(wrong.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, best.key.utf8.count / 2) ? best.key : nil
    }

    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[b.count]
    }
}

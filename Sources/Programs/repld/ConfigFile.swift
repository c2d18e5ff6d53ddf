// The config file: TOML for its syntax, our own walk over it for its meaning, because a decoder would tell a
// wrong type as a missing key and no line. What it may hold stands in `ConfigKey`; every key is documented in
// Config/repld.toml.

import Glibc
import TOMLKit

/// What a config file says; each value is of the form of its key.
struct ConfigFile: Equatable {
    static let standardPath = "/etc/repld/repld.toml"
    /// Larger ones are no config file.
    private static let bytesMax = 1 << 20

    enum Value: Equatable {
        case string(String)
        case strings([String])
        case bool(Bool)
        case integer(Int)
    }

    let path: String
    private var values: [String: Value] = [:]
    private let places: ConfigPlaces

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
        places = ConfigPlaces(of: text)
        // Sections wait in a list, so that nesting costs no stack.
        var sections = [(name: "", table: table)]
        while let section = sections.popLast() {
            for key in section.table.keys.sorted() {
                guard let value = section.table[key] else { continue }
                let name = section.name + key
                if let known = ConfigKey.named(name) {
                    values[name] = try read(value, known)
                } else if ConfigKey.isSection(name), let inner = value.table {
                    sections.append((name + ".", inner))
                } else {
                    throw .unknownKey(place: place(of: name), key: name, nearest: ConfigKey.nearest(to: name))
                }
            }
        }
    }

    static func == (left: ConfigFile, right: ConfigFile) -> Bool {
        left.path == right.path && left.values == right.values
    }

    // MARK: Values

    // A name that is not in the table is a slip of ours.
    private func value(_ key: String) -> Value? {
        precondition(ConfigKey.named(key) != nil, "no key \(key)")
        return values[key]
    }

    func string(_ key: String) -> String? { if case .string(let text)? = value(key) { text } else { nil } }
    func strings(_ key: String) -> [String]? {
        if case .strings(let list)? = value(key) { list } else { nil }
    }
    func bool(_ key: String) -> Bool? { if case .bool(let flag)? = value(key) { flag } else { nil } }
    func integer(_ key: String) -> Int? { if case .integer(let number)? = value(key) { number } else { nil } }

    /// Where a value stands, for messages.
    func place(of key: String) -> String {
        let place = places[key]
        return "\(path):\(place.line):\(place.column)"
    }

    // MARK: Reading

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

    private func read(_ value: any TOMLValueConvertible, _ key: ConfigKey) throws(SettingsError) -> Value {
        var found: Value?
        switch key.form {
        case .string: found = value.string.map { .string($0) }
        case .bool: found = value.bool.map { .bool($0) }
        case .strings: found = value.array.flatMap(Self.strings).map { .strings($0) }
        case .integer(let range):
            if let number = value.int, range.contains(number) { found = .integer(number) }
        }
        guard let found else {
            throw .wrongType(place: place(of: key.name), key: key.name, need: key.form.need)
        }
        return found
    }

    private static func strings(_ array: TOMLArray) -> [String]? {
        var found: [String] = []
        for index in 0..<array.count {
            guard let string = array[index].string else { return nil }
            found.append(string)
        }
        return found
    }
}

// The config file: TOML for its syntax (`TOMLReader`), and here what it means. What it may hold stands in
// `ConfigKey`; every key is documented in Config/repld.toml.

import Glibc

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
        case entries([Entry])
    }

    /// One of a section whose keys are names.
    struct Entry: Equatable {
        let name: String
        let texts: [String]
        /// For messages.
        let place: String

        static func == (left: Entry, right: Entry) -> Bool {
            left.name == right.name && left.texts == right.texts
        }
    }

    let path: String
    private var values: [String: Value] = [:]
    /// Where each key stands that has a value.
    private var places: [String: ConfigPlace] = [:]

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
        var section: [String] = []
        var sections: Set<String> = []
        for statement in try Self.parse(text, path) {
            switch statement {
            case .setting(let setting): try take(setting, in: section)
            case .section(let names, let place):
                section = names
                let name = names.joined(separator: ".")
                guard sections.insert(name).inserted else { throw twice(name, place) }
                try check(names, place)
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

    func entries(_ key: String) -> [Entry]? {
        if case .entries(let entries)? = value(key) { entries } else { nil }
    }

    /// Where a value stands, for messages.
    func place(of key: String) -> String {
        text(of: places[key] ?? ConfigPlace())
    }

    private func text(of place: ConfigPlace) -> String { "\(path):\(place.line):\(place.column)" }

    // MARK: Reading

    private static func parse(_ text: String, _ path: String) throws(SettingsError) -> [TOMLReader.Statement]
    {
        do throws(TOMLReader.Fault) {
            return try TOMLReader.read(text)
        } catch {
            throw .syntax(
                file: path, line: error.place.line, column: error.place.column, reason: error.reason)
        }
    }

    /// The value of a key, or those of a table's keys. Tables nest at most `TOMLReader.depthMax` deep.
    private mutating func take(_ setting: TOMLReader.Setting, in section: [String]) throws(SettingsError) {
        let names = section + setting.path
        let name = names.joined(separator: ".")
        if names.count > 1, let section = ConfigKey.named(names[0]), ConfigKey.isOfNames(names[0]) {
            return try take(setting, names, of: section)
        }
        if case .table(let inner) = setting.value, ConfigKey.isSection(name) {
            for setting in inner { try take(setting, in: names) }
            return
        }
        guard let key = ConfigKey.named(name) else {
            try check(names, setting.place)
            // A section that is given a value.
            throw .unknownKey(place: text(of: setting.place), key: name, nearest: ConfigKey.nearest(to: name))
        }
        guard values[name] == nil else { throw twice(name, setting.place) }
        places[name] = setting.place
        values[name] = try read(setting.value, key)
    }

    /// The value of one name, in a section of such.
    private mutating func take(_ setting: TOMLReader.Setting, _ names: [String], of section: ConfigKey)
        throws(SettingsError)
    {
        let place = text(of: setting.place)
        // A name with dots is one part when it is in quotes.
        guard names.count == 2 else {
            let name = names.dropFirst().joined(separator: ".")
            throw .wrongValue(place: place, value: name, need: "one name: put it in quotes, as \"\(name)\"")
        }
        let texts: [String]
        switch setting.value {
        case .string(let text): texts = [text]
        case .array(let values):
            texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            guard texts.count == values.count else {
                throw .wrongType(place: place, key: names.joined(separator: "."), need: section.form.need)
            }
        default:
            throw .wrongType(place: place, key: names.joined(separator: "."), need: section.form.need)
        }
        var entries = entries(section.name) ?? []
        guard !entries.contains(where: { $0.name == names[1] }) else {
            throw twice(names.joined(separator: "."), setting.place)
        }
        entries.append(Entry(name: names[1], texts: texts, place: place))
        values[section.name] = .entries(entries)
        if places[section.name] == nil { places[section.name] = setting.place }
    }

    /// Every name on the way is a section.
    private func check(_ names: [String], _ place: ConfigPlace) throws(SettingsError) {
        for count in 1...names.count {
            let name = names[..<count].joined(separator: ".")
            if ConfigKey.isSection(name) { continue }
            if let key = ConfigKey.named(name) {
                throw .wrongType(place: text(of: place), key: name, need: key.form.need)
            }
            throw .unknownKey(place: text(of: place), key: name, nearest: ConfigKey.nearest(to: name))
        }
    }

    private func twice(_ name: String, _ place: ConfigPlace) -> SettingsError {
        .syntax(file: path, line: place.line, column: place.column, reason: "'\(name)' is there twice")
    }

    private func read(_ value: TOMLReader.Value, _ key: ConfigKey) throws(SettingsError) -> Value {
        switch (key.form, value) {
        case (.string, .string(let text)): return .string(text)
        case (.bool, .bool(let flag)): return .bool(flag)
        case (.integer(let range), .integer(let number)) where range.contains(number): return .integer(number)
        case (.amount, .string(let text)): return .string(text)
        case (.amount, .integer(let number)) where number >= 0: return .integer(number)
        case (.strings, .array(let values)):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            if texts.count == values.count { return .strings(texts) }
        default: break
        }
        throw .wrongType(place: place(of: key.name), key: key.name, need: key.form.need)
    }
}

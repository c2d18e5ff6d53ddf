// Every key that the config file may have: its name, its form, and what becomes of a change of it on a
// reload. One table, so that reading, refusing, reloading and the documentation (Config/repld.toml, held to
// this by a test) cannot disagree. A key in a section is written with a dot: "section.key".

import ControlServer
import PeerNetwork

/// One key of the config file.
struct ConfigKey: Sendable {
    enum Form: Sendable {
        case string
        case strings
        case bool
        /// A whole number within bounds; the unit stands last in the key's name.
        case integer(ClosedRange<Int>)
        /// A whole number, or a string with a unit; what it means `Settings` says.
        case amount(need: String)
        /// A section whose keys are names: each a string or a list of strings. What they mean `Settings`
        /// says.
        case entries(need: String)

        /// What a value must be, for whoever wrote another.
        var need: String {
            switch self {
            case .string: "a string in quotes"
            case .strings: "a list of strings, as [\"a\", \"b\"]"
            case .bool: "true or false"
            case .amount(let need), .entries(let need): need
            case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
        }
    }

    /// What a reload does with another value.
    enum Change: Sendable {
        case applies
        case needsRestart
    }

    let name: String
    let form: Form
    let change: Change
    /// Whether two settings are the same in what this key says.
    let isEqual: @Sendable (Settings, Settings) -> Bool
    /// What a setting is, for people; not in the file's form.
    let shown: @Sendable (Settings) -> String

    private init<Value: Equatable & SendableMetatype>(
        _ name: String, _ form: Form, _ change: Change, _ path: any KeyPath<Settings, Value> & Sendable
    ) {
        self.name = name
        self.form = form
        self.change = change
        isEqual = { $0[keyPath: path] == $1[keyPath: path] }
        shown = { "\($0[keyPath: path])" }
    }

    static let all: [ConfigKey] = [
        ConfigKey("state", .string, .needsRestart, \.state),
        ConfigKey("socket", .string, .needsRestart, \.socket),
        ConfigKey("listen", .strings, .needsRestart, \.listen),
        ConfigKey("advertise", .strings, .applies, \.advertise),
        ConfigKey("peers", .strings, .applies, \.peers),
        ConfigKey(
            "link-bytes-per-second", .integer(0...1 << 40), .applies, \.linkBytesPerSecond),
        ConfigKey(
            "total-bytes-per-second", .integer(0...1 << 40), .applies, \.totalBytesPerSecond),
        ConfigKey("active-links", .integer(3...64), .applies, \.activeLinks),
        ConfigKey("disk-floor", .amount(need: SizeText.need), .applies, \.diskFloor),
        ConfigKey("retain-history", .amount(need: HistoryText.retention), .applies, \.retainHistory),
        ConfigKey(
            "checkpoint-log-bytes", .amount(need: HistoryText.logBytes), .applies, \.checkpointLogBytes),
        ConfigKey("checkpoint-seconds", .amount(need: HistoryText.span), .applies, \.checkpointSeconds),
        ConfigKey("absent-after", .amount(need: HistoryText.span), .applies, \.absentAfterSeconds),
        ConfigKey("sync-folder", .string, .applies, \.syncFolder),
        ConfigKey(
            "sync-folder-max", .amount(need: FolderText.fileMax), .applies, \.syncFolderFileBytesMax),
        ConfigKey("access", .entries(need: AccessText.need), .applies, \.access),
        ConfigKey("discovery.enabled", .bool, .needsRestart, \.discovery.isEnabled),
        ConfigKey("discovery.interfaces", .strings, .needsRestart, \.discovery.interfaces),
        ConfigKey("discovery.ignore", .strings, .needsRestart, \.discovery.ignored),
        ConfigKey("discovery.silent", .strings, .needsRestart, \.discovery.silent),
        ConfigKey("discovery.no-multicast", .strings, .needsRestart, \.discovery.withoutMulticast),
        ConfigKey("discovery.no-broadcast", .strings, .needsRestart, \.discovery.withoutBroadcast),
        ConfigKey("name", .string, .applies, \.name),
        ConfigKey("log-level", .string, .applies, \.logLevel),
        ConfigKey("ping-interval-seconds", .integer(1...3_600), .applies, \.pingSeconds),
        ConfigKey("link-timeout-seconds", .integer(2...7_200), .applies, \.linkTimeoutSeconds),
    ]

    static func named(_ name: String) -> ConfigKey? { all.first { $0.name == name } }

    /// True for "a" when there is a key "a.b", or when its own keys are names.
    static func isSection(_ name: String) -> Bool {
        all.contains { $0.name.hasPrefix(name + ".") } || isOfNames(name)
    }

    /// True for a section whose keys are names.
    static func isOfNames(_ name: String) -> Bool {
        if case .entries? = named(name)?.form { true } else { false }
    }

    /// The right key with the fewest letters to change, if they are few (Levenshtein).
    static func nearest(to wrong: String) -> String? {
        let ranked = all.map { ($0.name, distance(Array(wrong.utf8), Array($0.name.utf8))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(2, best.0.utf8.count / 2) ? best.0 : nil
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

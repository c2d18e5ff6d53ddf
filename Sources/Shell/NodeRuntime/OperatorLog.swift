// The handler behind swift-log: one line an event to the error output. Under journald with the priority that
// it understands (`<N>`, sd-daemon(3)) and without a time, which it adds itself; else with the time in front.

import Glibc
public import Logging

/// Writes lines with write(2), whole.
public struct OperatorLog: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let isJournal: Bool
    private let descriptor: Int32

    /// `isJournal`: JOURNAL_STREAM is set.
    public init(level: Logger.Level, isJournal: Bool, descriptor: Int32 = 2) {
        logLevel = level
        self.isJournal = isJournal
        self.descriptor = descriptor
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
        var line = isJournal ? "<\(Self.priority(event.level))>" : "\(Self.time()) \(event.level) "
        if let code = merged["code"] { line += "\(code): " }
        line += "\(event.message)"
        for key in merged.keys.sorted() where key != "code" { line += " \(key)=\(merged[key] ?? "")" }
        // One event is one line, whatever a message holds.
        let bytes = line.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 } + [0x0A]
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads it: there is no other place to say so.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func time() -> String {
        var (now, parts) = (Glibc.time(nil), tm())
        localtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%H:%M:%S", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

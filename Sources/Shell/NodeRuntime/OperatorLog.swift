// The handler behind swift-log: one line an event to the error output. Under journald with the priority that
// it understands (`<N>`, sd-daemon(3)) and without a time, which it adds itself; else with the time in front.
// Every line goes through one throttle, whoever wrote it. The codes are listed in Sources/Docs/LOGS.md.

import Bytes
import Causality
import Glibc
public import Logging
import Synchronization

/// Where all lines of the process go. One for each error output.
public final class LogSink: Sendable {
    private let descriptor: Int32
    private let isJournal: Bool
    private let lowest: Atomic<Int>
    private let throttle = Mutex(LogThrottle())
    private let last = Mutex(LastLines())

    /// `isJournal`: the descriptor is the journal's, see `isJournal(_:descriptor:)`.
    public init(level: Logger.Level, isJournal: Bool, descriptor: Int32 = 2) {
        self.isJournal = isJournal
        self.descriptor = descriptor
        lowest = Atomic(Self.rank(level))
    }

    /// The least level that is written; may change at any time (`replctl reload`).
    public var level: Logger.Level {
        get { Logger.Level.allCases[lowest.load(ordering: .relaxed)] }
        set { lowest.store(Self.rank(newValue), ordering: .relaxed) }
    }

    private static func rank(_ level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }

    /// The last lines that were written, each with its time and level.
    public var lastLines: [UInt8] { last.withLock { $0.text } }

    /// A logger that writes here.
    public func logger(label: String) -> Logger { Logger(label: label) { _ in OperatorLog(sink: self) } }

    /// JOURNAL_STREAM names the device and inode of the stream that systemd connected to the journal: they
    /// are the descriptor's only if nobody redirected it meanwhile.
    public static func isJournal(_ stream: String?, descriptor: Int32 = 2) -> Bool {
        guard let parts = stream?.split(separator: ":"), parts.count == 2, let device = UInt64(parts[0]),
            let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == device
            && UInt64(status.st_ino) == inode
    }

    /// Tells what was held back and is due to be told. To be called every few seconds.
    public func flush() { flush(at: SystemClock.now().monotonic) }

    func flush(at now: UInt64) {
        for (code, count) in throttle.withLock({ $0.expire(at: now) }) {
            write(Self.heldBack(count, code), level: .notice, code: code)
        }
    }

    func log(_ message: String, level: Logger.Level, code: String, now: UInt64) {
        let (heldBack, isTold) = throttle.withLock { $0.admit(code: code, message: message, at: now) }
        if let heldBack { write(Self.heldBack(heldBack, code), level: .notice, code: code) }
        if isTold { write(message, level: level, code: code) }
    }

    private static func heldBack(_ count: Int, _ code: String) -> String {
        count == 1
            ? "1 more line with code \(code) was held back"
            : "\(count) more lines with code \(code) were held back"
    }

    private func write(_ message: String, level: Logger.Level, code: String) {
        // One event is one line, whatever a message holds.
        let told = (code.isEmpty ? "" : "\(code): ") + ShownText.line(message) + "\n"
        let dated = Array("\(Self.time()) \(level) \(told)".utf8)
        last.withLock { $0.append(dated) }
        let bytes = isJournal ? Array("<\(Self.priority(level))>\(told)".utf8) : dated
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
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
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Writes events to a sink. The metadata `code` stands before the message, all else behind it.
public struct OperatorLog: LogHandler {
    public var metadata: Logger.Metadata = [:]
    private let sink: LogSink
    /// Of this logger alone; nil: the sink's.
    private var ownLevel: Logger.Level?

    init(sink: LogSink) { self.sink = sink }

    public var logLevel: Logger.Level {
        get { ownLevel ?? sink.level }
        set { ownLevel = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
        var message = "\(event.message)"
        for key in merged.keys.sorted() where key != "code" { message += " \(key)=\(merged[key] ?? "")" }
        let code = merged["code"].map { "\($0)" } ?? ""
        sink.log(message, level: event.level, code: code, now: SystemClock.now().monotonic)
    }
}

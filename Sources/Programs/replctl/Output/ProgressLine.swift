// Progress of long work: one line on standard error that is rewritten, only where that is a terminal. It is
// redrawn ten times a second at most, whatever the pace of the work.

import Glibc
import Synchronization

/// A bar when the whole is known, a count when it is not. Any task may report.
final class ProgressLine: Sendable {
    private struct State {
        var done: Int64 = 0
        var note = ""
        var drawn: ContinuousClock.Instant?
    }

    private let console: Console
    private let isShown: Bool
    private let verb: String
    /// In bytes; nil when nobody knows.
    private let total: Int64?
    /// What is counted, in the singular; nil: bytes.
    private let noun: String?
    private let state = Mutex(State())

    init(_ verb: String, total: Int64?, of noun: String? = nil, console: Console, isQuiet: Bool) {
        self.verb = verb
        self.noun = noun
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
        self.console = console
        isShown = console.isErrorTerminal && !isQuiet
    }

    func advance(_ bytes: Int, note: String? = nil) {
        guard isShown else { return }
        state.withLock { state in
            state.done += Int64(bytes)
            if let note { state.note = note }
            let now = ContinuousClock.now
            if let drawn = state.drawn, now - drawn < .milliseconds(100) { return }
            state.drawn = now
            _ = Descriptor.write(
                Array(("\r" + Self.text(verb, state.done, total, state.note, of: noun) + "\u{1B}[K").utf8),
                to: console.error)
        }
    }

    /// Takes the line away again.
    func finish() {
        guard isShown else { return }
        state.withLock { state in
            guard state.drawn != nil else { return }
            state.drawn = nil
            _ = Descriptor.write(Array("\r\u{1B}[K".utf8), to: console.error)
        }
    }

    static func text(
        _ verb: String, _ done: Int64, _ total: Int64?, _ note: String, of noun: String? = nil
    ) -> String {
        let note = note.isEmpty ? "" : ", " + note
        guard let total else {
            return "\(verb)  \(noun.map { Counted.text(done, $0) } ?? size(done))\(note)"
        }
        let share = min(1, Double(done) / Double(total))
        let full = Int(share * 24)
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 24 - full)
        return "\(verb)  [\(bar)] \(Int(share * 100)) % of \(size(total))\(note)"
    }

    static func size(_ bytes: Int64) -> String {
        var (number, unit) = (bytes, 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while number >= 10_240, unit < units.count - 1 { (number, unit) = (number / 1_024, unit + 1) }
        return "\(number) \(units[unit])"
    }
}

/// How many bytes a descriptor will give, if it is a file.
func fileSize(of descriptor: CInt) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
}

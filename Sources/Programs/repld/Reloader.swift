// Reading the config again while the daemon runs: for SIGHUP, and for `replctl reload`, which hears what
// became of it. Flags go before the file, as at the start. A file that cannot be used changes nothing.

import Logging
import Node
import NodeRuntime
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Knows what the daemon runs with, and what may change of it.
final class Reloader: Sendable {
    private let read: @Sendable () throws -> Settings
    private let log: LogSink
    private let notifier: ServiceNotifier?
    /// What is in effect. Held while a reload runs, so that two of them come one after the other.
    private let running: Mutex<Settings>

    /// `read` makes the settings anew from flags, file and environment.
    init(
        running: Settings, log: LogSink, notifier: ServiceNotifier?,
        read: @escaping @Sendable () throws -> Settings
    ) {
        self.read = read
        self.log = log
        self.notifier = notifier
        self.running = Mutex(running)
    }

    /// Takes into effect what may change; `take` hands the node's part over. A check only says what would be.
    func reload(isCheck: Bool, _ take: (NodeSettings) -> Void) throws -> ReloadReport {
        try running.withLock { running in
            if !isCheck { notifier?.reloading() }
            defer { if !isCheck { notifier?.ready() } }
            let wanted = try read()
            let differing = ConfigKey.all.filter { !$0.isEqual(running, wanted) }
            if !isCheck {
                running = running.taking(from: wanted)
                log.level = running.logLevel
                take(running.node)
            }
            return ReloadReport(
                applied: differing.filter { $0.change == .applies }.map(\.name),
                needsRestart: differing.filter { $0.change == .needsRestart }.map(\.name))
        }
    }
}

/// SIGHUP is `replctl reload` without an answer: the log says what became of it.
struct ReloadSignals: Service {
    let signals: UnixSignalsSequence
    let runtime: NodeRuntime
    let log: Logger

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() {
            switch await runtime.answer(to: .reload(isCheck: false)) {
            case .reloaded(let report):
                log.notice("\(Self.text(report))", metadata: ["code": "reloaded"])
            case .failed(.configInvalid(let reason)):
                log.error("\(reason); nothing was changed", metadata: ["code": "reload-failed"])
            case .failed(let error):
                log.error("the config was not read again: \(error)", metadata: ["code": "reload-failed"])
            default: preconditionFailure("no answer to a reload")
            }
        }
    }

    static func text(_ report: ReloadReport) -> String {
        if report.applied.isEmpty, report.needsRestart.isEmpty {
            return "the config was read again: nothing changed"
        }
        var parts: [String] = []
        if !report.applied.isEmpty { parts.append("applied: \(report.applied.joined(separator: ", "))") }
        if !report.needsRestart.isEmpty {
            parts.append("needs a restart: \(report.needsRestart.joined(separator: ", "))")
        }
        return "the config was read again; \(parts.joined(separator: "; "))"
    }
}

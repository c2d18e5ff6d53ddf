// Reading the config again while the daemon runs: for SIGHUP, and for `replctl reload`, which hears what
// became of it. Flags go before the file, as at the start. A file that cannot be used changes nothing.

import ControlServer
import Logging
import Node
import NodeRuntime
import SQLiteStore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Knows what the daemon runs with, and what may change of it.
final class Reloader: Sendable {
    private let read: @Sendable () throws -> Settings
    private let sink: LogSink
    private let log: Logger
    private let notifier: ServiceNotifier?
    /// The control server's.
    let access: AccessTable
    /// What is in effect. Held while a reload runs, so that two of them come one after the other.
    private let running: Mutex<Settings>

    /// `read` makes the settings anew from flags, file and environment.
    init(
        running: Settings, log sink: LogSink, notifier: ServiceNotifier?,
        read: @escaping @Sendable () throws -> Settings
    ) {
        self.read = read
        self.sink = sink
        log = sink.logger(label: "repld")
        self.notifier = notifier
        access = AccessTable(running.access.rules)
        self.running = Mutex(running)
    }

    /// What is in effect now.
    var settings: Settings { running.withLock { $0 } }

    /// What is left free of the state directory's file system, as it is now.
    var diskFloor: DiskFloor { running.withLock { $0.diskFloor } }

    /// Takes into effect what may change; `take` hands the node's part over. The log says what became of it,
    /// whoever asked. A check only says what would be.
    func reload(isCheck: Bool, _ take: (NodeSettings) -> Void) throws -> ReloadReport {
        try running.withLock { running in
            if isCheck { return Self.report(from: running, to: try read()) }
            notifier?.reloading()
            defer { notifier?.ready() }
            do {
                let wanted = try read()
                let report = Self.report(from: running, to: wanted)
                running = running.taking(from: wanted)
                sink.level = running.logLevel
                access.replace(by: running.access.rules)
                take(running.node)
                log.notice("\(Self.text(report))", metadata: ["code": "reloaded"])
                return report
            } catch {
                log.error("\(error); nothing was changed", metadata: ["code": "reload-failed"])
                throw error
            }
        }
    }

    /// Tells the node when others can read the device key now, or no longer.
    func lookAtKey(_ take: (NodeSettings) -> Void) {
        running.withLock { running in
            let found = StateDirectory.exposedKey(in: running.state)
            guard found != running.exposedKey else { return }
            running.exposedKey = found
            take(running.node)
        }
    }

    private static func report(from running: Settings, to wanted: Settings) -> ReloadReport {
        let differing = ConfigKey.all.filter { !$0.isEqual(running, wanted) }
        return ReloadReport(
            applied: differing.filter { $0.change == .applies }.map(\.name),
            needsRestart: differing.filter { $0.change == .needsRestart }.map(\.name))
    }

    private static func text(_ report: ReloadReport) -> String {
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

/// Looks at the mode of the device key's file now and then: a person who mends it sees the alarm end.
struct KeyWatch: Service {
    let reloader: Reloader
    let runtime: NodeRuntime
    private static let interval = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                reloader.lookAtKey { runtime.post(.settings($0)) }
                // Ends early when cancelled; the loop's condition sees it.
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }
}

/// SIGHUP is `replctl reload` without an answer.
struct ReloadSignals: Service {
    let signals: UnixSignalsSequence
    let runtime: NodeRuntime
    let log: Logger

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() {
            switch await runtime.answer(to: .reload(isCheck: false)) {
            // The reloader has told them.
            case .reloaded, .failed(.configInvalid): break
            case .failed(let error):
                log.error("the config was not read again: \(error)", metadata: ["code": "reload-failed"])
            default: preconditionFailure("no answer to a reload")
            }
        }
    }
}

// A start that takes long (a schema that migrates, a large state that is checked after a restore) is not a
// failed one: the manager is asked for more time as long as the process gets somewhere. One that hangs uses
// neither processor nor disk; it gets no extension, and the manager ends it.

import Glibc
import NodeRuntime
import Synchronization

/// Asks for more time between `begin` and `finish`.
final class StartExtension: Sendable {
    /// What a process has used so far.
    struct Use: Sendable, Equatable {
        /// Of the processors.
        var microseconds = 0
        /// Read from disks and written to them.
        var blocks = 0
    }

    private static let intervalSeconds: UInt32 = 10
    /// Asked for at each interval: enough for two of them to be missed.
    private static let extensionMicroseconds = 30_000_000
    /// Below this in an interval nothing was done but asking.
    private static let progressMicrosecondsMin = 20_000

    private let notifier: ServiceNotifier?
    private let used: @Sendable () -> Use
    /// What was used when it was last looked at.
    private let last: Mutex<Use>
    private let isFinished = Atomic(false)

    init(_ notifier: ServiceNotifier?, used: @escaping @Sendable () -> Use = ofThisProcess) {
        self.notifier = notifier
        self.used = used
        last = Mutex(used())
    }

    /// Looks again and again, on a thread of its own: the start blocks those that it is given.
    func begin() {
        guard let notifier else { return }
        notifier.status("opening the state directory")
        DedicatedThread.start("repld-start") { [self] in
            var seconds: UInt32 = 0
            while !isFinished.load(ordering: .acquiring) {
                sleep(1)
                seconds += 1
                if seconds % Self.intervalSeconds == 0 { look() }
            }
        }
    }

    /// Asks if something was done since it was last looked at.
    func look() {
        let now = used()
        let isGettingOn = last.withLock { last in
            defer { last = now }
            return now.microseconds - last.microseconds >= Self.progressMicrosecondsMin
                || now.blocks > last.blocks
        }
        guard isGettingOn, !isFinished.load(ordering: .acquiring) else { return }
        notifier?.send("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)")
    }

    /// The state is open.
    func finish() { isFinished.store(true, ordering: .releasing) }

    private static func ofThisProcess() -> Use {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return Use() }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Use(
            microseconds: seconds * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
            blocks: usage.ru_inblock + usage.ru_oublock)
    }
}

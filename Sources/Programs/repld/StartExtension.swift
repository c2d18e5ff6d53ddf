// A start that takes long (a schema that migrates, a large state that is checked after a restore) is not a
// failed one: the manager is asked for more time as long as the process gets somewhere. One that hangs uses
// neither processor nor disk; it gets no extension, and the manager ends it.

import Glibc
import NodeRuntime
import Synchronization

/// Asks for more time from its making until `finish`.
final class StartExtension: Sendable {
    private static let intervalSeconds: UInt32 = 10
    /// Asked for at each interval: enough for two of them to be missed.
    private static let extensionMicroseconds = 30_000_000
    /// Below this in an interval nothing was done but asking.
    private static let progressMicrosecondsMin = 20_000

    private let isFinished = Atomic(false)

    init(_ notifier: ServiceNotifier?, intervalSeconds: UInt32 = intervalSeconds) {
        guard let notifier else { return }
        notifier.status("opening the state directory")
        DedicatedThread.start("repld-start") { [self] in
            var (last, seconds) = (Self.used(), UInt32(0))
            while !isFinished.load(ordering: .acquiring) {
                sleep(1)
                seconds += 1
                guard seconds % intervalSeconds == 0 else { continue }
                let used = Self.used()
                let isGettingOn =
                    used.microseconds - last.microseconds >= Self.progressMicrosecondsMin
                    || used.blocks > last.blocks
                last = used
                if isGettingOn, !isFinished.load(ordering: .acquiring) {
                    notifier.send("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)")
                }
            }
        }
    }

    /// The state is open.
    func finish() { isFinished.store(true, ordering: .releasing) }

    /// Processor time and disk blocks of this process so far.
    private static func used() -> (microseconds: Int, blocks: Int) {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return (0, 0) }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return (
            seconds * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
            usage.ru_inblock + usage.ru_oublock
        )
    }
}

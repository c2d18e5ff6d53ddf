// The service of the sync folder. Its work is on a thread of its own: a stick that is slow, or a network
// drive that does not answer at all, holds up nobody else, and not even the end of the process.

public import Causality
public import Logging
public import NodeRuntime
public import ServiceLifecycle

/// Looks at the folder that the config names, as long as the process runs.
public struct SyncFolder: Service {
    private let gateway: any Gateway
    private let settings: @Sendable () -> FolderSettings?
    private let isService: Bool
    private let limits: FolderLimits
    private let log: Logger
    private let now: @Sendable () -> Instant

    /// `settings` is asked in each turn: nil where there is no folder. `isService`: a service manager runs
    /// the process, in its sandbox.
    public init(
        gateway: any Gateway, isService: Bool, log: Logger, limits: FolderLimits = FolderLimits(),
        now: @escaping @Sendable () -> Instant = SystemClock.now,
        settings: @escaping @Sendable () -> FolderSettings?
    ) {
        (self.gateway, self.settings, self.isService) = (gateway, settings, isService)
        (self.limits, self.log, self.now) = (limits, log, now)
    }

    /// Until the process stops. The thread ends with its turn, which is not waited for: the file that it
    /// writes has no name yet.
    public func run() async throws {
        let bell = Mailbox<Bool>()
        let task = FolderTask(
            gateway: gateway, limits: limits, isService: isService, log: log, bell: bell, now: now)
        let (settings, poll) = (settings, limits.pollMilliseconds)
        DedicatedThread.start("repld-folder") {
            var task = task
            repeat { task.turn(settings()) } while bell.wait(milliseconds: poll) == nil
        }
        defer { bell.put(true) }
        // Ends when cancelled, too.
        do { try await gracefulShutdown() } catch { return }
    }
}

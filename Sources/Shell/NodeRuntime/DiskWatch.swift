// Free space on the state directory's file system, looked at every few seconds: the node stops taking writes
// at a floor (DESIGN 12) instead of finding out in the middle of a commit.

import Glibc
public import Logging
import Node
public import ServiceLifecycle

/// Tells the runtime how much is free, when it has changed enough to matter.
public struct DiskWatch: Service {
    private let path: String
    private let runtime: NodeRuntime
    private let log: Logger
    private static let interval = Duration.seconds(5)
    /// A change below this is not worth a batch of the node.
    private static let stepBytes: UInt64 = 4 << 20

    public init(path: String, runtime: NodeRuntime, log: Logger) {
        self.path = path
        self.runtime = runtime
        self.log = log
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var last: UInt64?
            while !Task.isCancelled {
                if let free = Self.free(at: path) {
                    if last.map({ max($0, free) - min($0, free) >= Self.stepBytes }) ?? true {
                        runtime.post(.diskFree(bytes: free))
                        last = free
                    }
                } else {
                    log.warning("free space of \(path) cannot be read", metadata: ["code": "disk-unknown"])
                }
                // Ends early when cancelled; the loop's condition sees it.
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// Bytes that this user may still write.
    public static func free(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}

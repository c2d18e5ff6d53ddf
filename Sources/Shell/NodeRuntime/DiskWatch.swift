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
    private static let interval = Duration.seconds(1)
    /// A change below this is not worth a batch of the node; less matters where little is left.
    private static func step(_ free: UInt64) -> UInt64 { min(4 << 20, max(64 << 10, free / 64)) }

    public init(path: String, runtime: NodeRuntime, log: Logger) {
        self.path = path
        self.runtime = runtime
        self.log = log
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var last: UInt64?
            while !Task.isCancelled {
                if let space = Self.space(at: path) {
                    let free = space.free
                    if last.map({ max($0, free) - min($0, free) >= Self.step(free) }) ?? true {
                        runtime.post(.diskFree(bytes: free, of: space.total))
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

    /// Tells the node before it serves anybody.
    public static func tell(_ runtime: NodeRuntime, of path: String) {
        guard let space = space(at: path) else { return }
        runtime.post(.diskFree(bytes: space.free, of: space.total))
    }

    /// Bytes that this user may still write, and all that the file system has for users.
    public static func space(at path: String) -> (free: UInt64, total: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        return (UInt64(status.f_bavail) * unit, UInt64(status.f_blocks) * unit)
    }
}

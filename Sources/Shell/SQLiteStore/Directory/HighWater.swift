// STATE/high-water: the number of the last run that was committed, repeated outside the database. Written
// after each commit without a sync, so it costs a microsecond and is never ahead of what is durable. A
// database that holds less than it says is an older copy (or lost acknowledged writes); see `Continuity`.

import Bytes
import Glibc
import Node

/// The file beside the database. The writer's.
final class HighWater {
    private let descriptor: Int32
    private let path: String

    /// Makes the file when it is missing.
    init(_ path: String) throws(StoreFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, doing: "opening", path: path) }
        (self.descriptor, self.path) = (descriptor, path)
    }

    deinit { close(descriptor) }

    /// A hint for the next start: a failure to write it costs a check, not data, so it is let pass.
    func write(_ number: UInt64) {
        var writer = ByteWriter(reserving: 8)
        writer.u64(number)
        _ = pwrite(descriptor, writer.bytes, 8, 0)
    }

    /// Nil when nothing was written yet.
    func read() -> UInt64? {
        var bytes = [UInt8](repeating: 0, count: 8)
        guard pread(descriptor, &bytes, 8, 0) == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Seconds by which the file's ctime is later than its mtime. Writes move both together; tools that put
    /// an old file back set the mtime to the past, and nothing can set the ctime.
    func secondsPutBack() throws(StoreFailure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, doing: "reading", path: path) }
        return status.st_ctim.tv_sec - status.st_mtim.tv_sec
    }
}

// A consistent copy of the database while the node goes on: VACUUM INTO on a read connection of its own, so
// that it holds the state of one commit. The copy says that it is one; a node that starts from it opens new
// incarnations.

import Crypto
import Glibc
public import Node

/// Makes backups, on any thread; takes as long as the database is large.
public struct SQLiteBackup: Sendable {
    let database: String
    let directory: String
    /// Goes into the copy; nil when the key came as a credential.
    let seed: Secret?

    /// Of copies under way: nobody names a file of his own like this.
    private static let (prefix, suffix) = (".repld-copy-", ".tmp")

    /// Writes a copy beside the database and returns its path. Whoever has read it removes it; what a crash
    /// leaves goes at the next start. `full` when the copy would leave less than the floor of free disk, at
    /// which local writes stop.
    public func write(at wall: UInt64, floor: DiskFloor = .standard) throws(StoreFailure) -> String {
        let space = space
        return try write(
            at: wall, freeBytes: space?.free, floorBytes: space.map { floor.bytes(of: $0.total) } ?? 0)
    }

    func write(
        at wall: UInt64, freeBytes: UInt64?, floorBytes: UInt64 = NodeLimits.diskFloorBytes
    ) throws(StoreFailure) -> String {
        let size = bytes(of: database) + bytes(of: database + "-wal")
        if let freeBytes, freeBytes < size + floorBytes {
            throw .full(.backup(bytes: size, freeBytes: freeBytes, floorBytes: floorBytes))
        }
        let path = "\(directory)/\(Self.prefix)\(wall)-\(UInt32.random(in: 0 ... .max))\(Self.suffix)"
        do throws(StoreFailure) {
            // Made by us, empty, so that nobody else can read it at any time.
            _ = try Files.create(path, UnsafeRawBufferPointer(start: nil, count: 0))
            try Connection(database, .copier).run("VACUUM INTO ?", [.text(path)])
            let copy = try Connection(path, .copy)
            try IdentityRow(connection: copy).markBackup(
                origin: "from a backup made at \(Self.date(wall))", seed: seed?.exposedBytes())
        } catch {
            unlink(path)
            throw error
        }
        return path
    }

    /// Bytes where the copy is written; nil when the system does not say.
    private var space: (free: UInt64, total: UInt64)? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        return (UInt64(status.f_bavail) * unit, UInt64(status.f_blocks) * unit)
    }

    /// A file's length; 0 when there is none.
    private func bytes(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
    }

    /// Wall milliseconds as a person reads them, e.g. 2026-01-31 09:05:00 UTC.
    static func date(_ wall: UInt64) -> String {
        var seconds = time_t(min(wall / 1_000, 1 << 40))
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(wall) ms after 1970" }
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
    }

    /// Removes what earlier processes left behind.
    static func removeLeftovers(in directory: String) throws(StoreFailure) {
        guard let listing = opendir(directory) else {
            throw .system(errno, doing: "listing", path: directory)
        }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if isOurs(name) { unlink("\(directory)/\(name)") }
        }
    }

    /// True of the names that `write` gives, which are two numbers between prefix and suffix, and of what
    /// SQLite writes beside such a file.
    static func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        var rest = name.dropFirst(prefix.count)
        for companion in ["-journal", "-wal", "-shm"] where rest.hasSuffix(companion) {
            rest = rest.dropLast(companion.count)
        }
        guard rest.hasSuffix(suffix) else { return false }
        let numbers = rest.dropLast(suffix.count).split(separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && UInt64(numbers[0]) != nil && UInt32(numbers[1]) != nil
    }
}

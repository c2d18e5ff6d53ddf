// The few things that the state directory does with files, each with its sync: what a name is worth after a
// power loss is decided by the order of write, fsync, rename and fsync of the directory.

public import Crypto
import Glibc
import Node

/// Calls on files, each of which throws with the path named.
enum Files {
    /// Opens, or throws with `path` named; nil when it does not exist.
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(StoreFailure) -> Int32? {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
        if descriptor >= 0 { return descriptor }
        if errno == ENOENT { return nil }
        throw .system(errno, doing: "opening", path: path)
    }

    /// The whole file, at most `limit` bytes; nil when it does not exist.
    static func read(_ path: String, limit: Int) throws(StoreFailure) -> [UInt8]? {
        guard let descriptor = try open(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(descriptor, &bytes, limit)
        guard count >= 0 else { throw .system(errno, doing: "reading", path: path) }
        return Array(bytes[..<count])
    }

    /// Makes the file anew, with an inode of its own, and returns its status when it is on disk.
    static func create(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(StoreFailure) -> stat {
        unlink(path)
        guard let descriptor = try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
            throw .system(ENOENT, doing: "making", path: path)
        }
        defer { close(descriptor) }
        guard write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
            throw .system(errno, doing: "writing", path: path)
        }
        try sync(descriptor, path)
        return try status(of: descriptor, path)
    }

    /// The same for bytes in an array.
    static func create(_ path: String, _ bytes: [UInt8]) throws(StoreFailure) -> stat {
        // Through a Result: `withUnsafeBytes` forgets the type of what is thrown.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(StoreFailure) in try create(path, bytes) }
        }
        return try result.get()
    }

    /// Gives a file that is on disk its name, and returns its status when the name is on disk too.
    static func rename(_ old: String, to new: String, in directory: String) throws(StoreFailure) -> stat {
        guard Glibc.rename(old, new) == 0 else {
            throw .system(errno, doing: "renaming \(old) to", path: new)
        }
        try syncDirectory(directory)
        guard let descriptor = try open(new, O_RDONLY) else {
            throw .system(ENOENT, doing: "opening", path: new)
        }
        defer { close(descriptor) }
        // A rename moves the file's ctime; not every file system writes that with the directory.
        try sync(descriptor, new)
        return try status(of: descriptor, new)
    }

    /// A new name in a directory is on disk when this returns.
    static func syncDirectory(_ path: String) throws(StoreFailure) {
        guard let descriptor = try open(path, O_RDONLY | O_DIRECTORY) else {
            throw .system(ENOENT, doing: "opening", path: path)
        }
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    /// Inode, times, length and mode.
    static func status(of descriptor: Int32, _ path: String) throws(StoreFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, doing: "reading", path: path) }
        return status
    }

    /// A failed sync is fatal for the process; see `StoreFailure.syncFailed`.
    private static func sync(_ descriptor: Int32, _ path: String) throws(StoreFailure) {
        guard fsync(descriptor) == 0 else {
            throw .syncFailed(.system(errno, doing: "syncing", path: path))
        }
    }
}

extension stat {
    /// ctime in nanoseconds: set by the kernel, by no tool.
    var changed: Int64 { Int64(st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(st_ctim.tv_nsec) }
    var inode: UInt64 { UInt64(st_ino) }
}

/// The system's randomness, read once at start: everything random in the core follows from such seeds.
public enum SystemRandom {
    /// Blocks only before the kernel's pool is filled, early at boot.
    public static func secret(_ count: Int) -> Secret {
        Secret(count: count) { out in
            precondition(getentropy(out.baseAddress, out.count) == 0, "the kernel gives no randomness")
        }
    }
}

// The file of a Unix socket: its directory, what may stand in its place, its mode and group. A socket file
// outlives the process that made it, so one that nobody answers on is stale and goes; the caller holds the
// state lock by then.

import Glibc

/// The place of the control socket.
struct SocketFile {
    let path: String

    static let group = "repld"

    /// Makes the directory if it is missing and removes a stale socket.
    func prepare() throws(ControlServerFailure) {
        let limit = ControlServer.socketPathBytesMax
        guard path.utf8.count <= limit else {
            throw .pathTooLong(path: path, bytes: path.utf8.count, limit: limit)
        }
        try makeDirectory()
        var info = stat()
        guard lstat(path, &info) == 0 else {
            guard errno == ENOENT else { throw failure("looking at it") }
            return
        }
        guard info.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        if isAnswered() { throw .inUse(path: path) }
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removing a stale one") }
    }

    /// Mode 0660 and the group, after binding. False when the group does not exist or is not ours to give:
    /// only root and the daemon's own user can connect then.
    func open(to group: gid_t?) throws(ControlServerFailure) -> Bool {
        guard chmod(path, 0o660) == 0 else { throw failure("setting its mode") }
        guard let group else { return false }
        // A service of that group needs no right to give it away, and may have none.
        var info = stat()
        if lstat(path, &info) == 0, info.st_gid == group { return true }
        if chown(path, uid_t.max, group) == 0 { return true }
        guard errno == EPERM else { throw failure("giving it to the group \(Self.group)") }
        return false
    }

    func remove() { _ = unlink(path) }

    /// The number of the group `repld`; nil when the machine has none.
    static func groupID() -> gid_t? {
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getgrnam_r(Self.group, &entry, &room, room.count, &found) == 0, found != nil else { return nil }
        return entry.gr_gid
    }

    private func makeDirectory() throws(ControlServerFailure) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return }
        let directory = String(path[..<slash])
        guard mkdir(directory, 0o750) == 0 else {
            if errno == EEXIST { return }
            throw failure("making the directory \(directory)")
        }
        if let group = Self.groupID() { _ = chown(directory, uid_t.max, group) }
    }

    /// True when a process accepts on it.
    private func isAnswered() -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private func failure(_ doing: String) -> ControlServerFailure {
        .failed(path: path, doing: doing, reason: String(cString: strerror(errno)))
    }
}

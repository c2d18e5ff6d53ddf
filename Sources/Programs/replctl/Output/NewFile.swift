// A file that appears whole or not at all, for its owner's eyes only, and never in the place of another: the
// bytes go to a file beside it, are synced, and only then get the name.

import Glibc

/// A file being written.
struct NewFile {
    let path: String
    private let temporary: String
    private let descriptor: CInt
    /// Bytes written.
    private(set) var count: Int64 = 0
    /// The first 16 bytes.
    private(set) var start: [UInt8] = []

    init(_ path: String) throws(CommandFailure) {
        guard access(path, F_OK) != 0 else { throw Self.exists(path) }
        self.path = path
        var template = Array((path + ".part-" + String(repeating: "X", count: 6)).utf8CString)
        // mkstemp makes it 0600 and new.
        descriptor = mkstemp(&template)
        temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else { throw Self.failure("making a file beside \(path)") }
    }

    mutating func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if start.count < 16 { start += bytes.prefix(16 - start.count) }
        guard Descriptor.write(bytes, to: descriptor) else { throw Self.failure("writing \(temporary)") }
        count += Int64(bytes.count)
    }

    /// On disk under its name when this returns. `owner`: whom it belongs to, where root writes for another
    /// user.
    func finish(owner: (user: uid_t, group: gid_t)? = nil) throws(CommandFailure) {
        if let owner, fchown(descriptor, owner.user, owner.group) != 0 {
            throw Self.failure("giving \(temporary) to its owner")
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("syncing \(temporary)") }
        // A second name fails where one is already; renaming would replace it.
        if link(temporary, path) == 0 {
            unlink(temporary)
        } else {
            guard errno == EPERM || errno == EOPNOTSUPP else {
                throw errno == EEXIST ? Self.exists(path) : Self.failure("naming \(path)")
            }
            try takeNameWithoutLinks()
        }
        try Self.syncDirectory(of: path)
        close(descriptor)
    }

    /// On a file system without links (FAT): the name is taken by an empty file, which only we can have made.
    private func takeNameWithoutLinks() throws(CommandFailure) {
        let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard reserved >= 0 else {
            throw errno == EEXIST ? Self.exists(path) : Self.failure("naming \(path)")
        }
        close(reserved)
        guard rename(temporary, path) == 0 else {
            let failure = Self.failure("naming \(path)")
            unlink(path)
            throw failure
        }
    }

    /// Leaves nothing behind.
    func abandon() {
        unlink(temporary)
        close(descriptor)
    }

    static func syncDirectory(of path: String) throws(CommandFailure) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opening \(directory)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("syncing \(directory)") }
    }

    private static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            .badInput, "\(path) is there already; it is not overwritten", hint: "name another file")
    }

    static func failure(_ doing: String) -> CommandFailure {
        CommandFailure(.failed, "\(doing): \(String(cString: strerror(errno)))")
    }
}

// restore: a backup becomes the database of a state directory. The daemon finds it there without the files
// that a running node leaves beside it (`instance`, `high-water`), and the copy says itself that it is one,
// so the node opens new logs; it makes its key file from the backup.

import Glibc

enum StateFile {
    /// The first bytes of an SQLite database.
    static let magic = Array("SQLite format 3\0".utf8)
    private static let database = "repld.db"
    /// What a node keeps; a journal of another database beside ours would destroy it.
    private static let files = [
        database, "repld.db-wal", "repld.db-shm", "repld.db-journal", "instance", "high-water",
    ]

    /// Bytes copied. `progress` is told each piece.
    static func restore(
        _ file: String, to state: String, progress: (Int) -> Void
    ) throws(CommandFailure) -> Int64 {
        let source = try openBackup(file)
        defer { close(source) }
        let (directory, owner) = try lock(state)
        // The lock goes with the descriptor: no daemon starts there while the file grows.
        defer { close(directory) }
        var target = try NewFile("\(state)/\(database)")
        do throws(CommandFailure) {
            try target.write(magic)
            while true {
                let piece = try read(source, 1 << 20, file)
                guard !piece.isEmpty else { break }
                try target.write(piece)
                progress(piece.count)
            }
            try target.finish(owner: geteuid() == 0 ? owner : nil)
        } catch {
            target.abandon()
            throw error
        }
        return target.count
    }

    /// A descriptor behind the first bytes of a backup, to be closed.
    static func openBackup(_ file: String) throws(CommandFailure) -> Int32 {
        let source = open(file, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw NewFile.failure("opening \(file)") }
        do throws(CommandFailure) {
            if try read(source, magic.count, file) == magic { return source }
        } catch {
            close(source)
            throw error
        }
        close(source)
        throw CommandFailure(
            .badInput, "\(file) is no backup of repld", hint: "take a file that replctl backup made")
    }

    /// Makes the directory if it is missing and private in any case; refuses one that is in use or not empty.
    private static func lock(
        _ state: String
    ) throws(CommandFailure) -> (descriptor: CInt, owner: (user: uid_t, group: gid_t)) {
        guard mkdir(state, 0o700) == 0 || errno == EEXIST else { throw NewFile.failure("making \(state)") }
        let descriptor = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw NewFile.failure("opening \(state)") }
        do throws(CommandFailure) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw NewFile.failure("locking \(state)") }
                throw CommandFailure(
                    .refused, "a running repld uses \(state)", hint: "stop it, or name another directory")
            }
            for name in files where access("\(state)/\(name)", F_OK) == 0 {
                throw CommandFailure(
                    .refused, "\(state) holds a node already (\(name)); it is not overwritten",
                    hint: "name an empty directory, or move what is there away")
            }
            if let other = try entries(of: state).first(where: isOther) {
                throw CommandFailure(
                    .refused, "\(state) holds other files ('\(other)'); nothing of it was touched",
                    hint: "name an empty directory")
            }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw NewFile.failure("reading \(state)") }
            guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0 else {
                throw NewFile.failure("making \(state) private")
            }
            return (descriptor, (status.st_uid, status.st_gid))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// What neither a disk is made with nor a restore needs or leaves: the daemon would not start beside it.
    private static func isOther(_ name: String) -> Bool {
        ![".", "..", "lost+found", "device.key"].contains(name) && !name.hasPrefix("\(database).part-")
    }

    private static func entries(of path: String) throws(CommandFailure) -> [String] {
        guard let listing = opendir(path) else { throw NewFile.failure("listing \(path)") }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.sorted()
    }

    private static func read(_ descriptor: CInt, _ count: Int, _ path: String) throws(CommandFailure)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let got = Glibc.read(descriptor, &bytes, count)
            if got >= 0 { return Array(bytes[..<got]) }
            guard errno == EINTR else { throw NewFile.failure("reading \(path)") }
        }
    }
}

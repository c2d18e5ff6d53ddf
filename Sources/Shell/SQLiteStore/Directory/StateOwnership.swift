// Whether a directory may become, or is, a node's state directory. Asked before anything in it is made,
// opened for writing or given another mode: --state ~/Documents must cost its owner nothing.

import Glibc
import Node

/// Looks, and touches nothing.
enum StateOwnership {
    private static let database = "repld.db"
    /// All that this release or an earlier one leaves in a state directory, and what mkfs makes on a disk.
    private static let names: Set<String> = [
        database, "repld.db-wal", "repld.db-shm", "repld.db-journal", "device.key", "device.key.new",
        "instance", "instance.new", "crashed", "high-water", "control.sock", "lost+found",
    ]

    /// What a `replctl restore` that was cut off leaves.
    private static let partOfRestore = "repld.db.part-"

    /// An empty directory will be ours. One with other people's files is ours only if it has a file that no
    /// other program makes.
    static func check(_ path: String) throws(StateFailure) {
        let foreign = try entries(of: path).filter { name in
            !names.contains(name) && !SQLiteBackup.isOurs(name) && !name.hasPrefix(partOfRestore)
        }
        let isMarked = try hasMark(path)
        if let first = foreign.min(), !isMarked {
            throw .notOurs(path: path, found: first, count: foreign.count)
        }
        // Beside a mark it is our own, and SQLite says what is wrong with it.
        if !isMarked, try !isFreshDatabase(in: path) {
            throw .notOurs(path: path, found: "repld.db", count: 1)
        }
    }

    private static func entries(of path: String) throws(StateFailure) -> [String] {
        guard let listing = opendir(path) else { throw .system(errno, path) }
        defer { closedir(listing) }
        var found: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found
    }

    private static func hasMark(_ path: String) throws(StateFailure) -> Bool {
        if let text = try head(of: "instance", in: path, InstanceFile.bytesMax), InstanceFile(text) != nil {
            return true
        }
        let key = try head(of: DeviceKeyFile.name, in: path, DeviceKeyFile.byteCount + 1)
        if key?.count == DeviceKeyFile.byteCount { return true }
        guard let header = try head(of: database, in: path, Header.byteCount) else { return false }
        return Header(header)?.applicationID == UInt32(Schema.applicationID)
    }

    /// True as well when there is none. A first start that was cut off leaves an empty file, or one page
    /// whose application id still stands in the WAL.
    private static func isFreshDatabase(in path: String) throws(StateFailure) -> Bool {
        var status = stat()
        guard lstat("\(path)/\(database)", &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno, database, in: path) }
            return true
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        if status.st_size == 0 { return true }
        guard let header = try head(of: database, in: path, Header.byteCount).flatMap(Header.init)
        else { return false }
        return header.applicationID == 0 && status.st_size <= header.pageBytes
    }

    /// The first bytes of a plain file; nil when there is none of that name.
    private static func head(of name: String, in path: String, _ count: Int) throws(StateFailure) -> [UInt8]?
    {
        let descriptor = Glibc.open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
            throw failure(errno, name, in: path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, name, in: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = read(descriptor, &bytes, count)
        guard got >= 0 else { throw failure(errno, name, in: path) }
        return Array(bytes[..<got])
    }

    private static func failure(_ code: Int32, _ name: String, in path: String) -> StateFailure {
        .notUsable(path: path, reason: "\(name): \(String(cString: strerror(code)))", code: code)
    }

    /// What an SQLite database says at its beginning (sqlite.org/fileformat2.html, "The Database Header").
    private struct Header {
        static let byteCount = 100
        let pageBytes: Int
        let applicationID: UInt32

        /// Nil when the bytes begin no database.
        init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
                return nil
            }
            let pages = Int(bytes[16]) << 8 | Int(bytes[17])
            pageBytes = pages == 1 ? 65_536 : pages
            applicationID = bytes[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

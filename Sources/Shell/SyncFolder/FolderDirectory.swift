// The files of a sync folder. Whoever can write to it may put anything there, at any moment: links, pipes,
// folders, files that are written while they are read. So names are opened below the folder's descriptor,
// never through a link and never waiting, and only regular files are read. What this node writes has another
// name until it is whole and on the disk.

import Glibc
import Node

/// What the system said.
struct FolderFailure: Error, Hashable {
    let doing: String
    let code: Int32

    var words: String { String(cString: strerror(code)) }
}

/// Why a name is not read.
enum FolderFileFault: Error, Hashable {
    /// It is not there (any more).
    case gone
    /// A link, a pipe, a folder …
    case noFile(String)
    case failed(FolderFailure)
}

/// A state of a file: another one is another content, unless the file system is coarse.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let modified: Int64
    let modifiedNanoseconds: Int64
    let changed: Int64
    let changedNanoseconds: Int64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(max(0, status.st_size))
        (modified, modifiedNanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
        (changed, changedNanoseconds) = (Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec))
    }

    /// It changed so lately that it may change again without a difference here. A time to come is no better.
    func isRacy(atWall seconds: Int64) -> Bool {
        max(modified, changed) > seconds - Int64(FolderLimits.racySeconds)
    }
}

/// Tells two bundles apart: the head has a salt of its own, and the end is sealed.
struct BundleMark: Hashable, Sendable {
    let size: UInt64
    let head: [UInt8]
    let tail: [UInt8]

    static let headBytes = 61
    static let tailBytes = 32
}

/// An open file of the folder.
final class FolderFile {
    let identity: FileIdentity
    private let descriptor: Int32

    init(_ descriptor: Int32, _ identity: FileIdentity) {
        (self.descriptor, self.identity) = (descriptor, identity)
    }

    deinit { close(descriptor) }

    /// Empty at the end.
    func read(at offset: UInt64, _ count: Int) throws(FolderFailure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            var got = 0
            while got < count {
                let more = pread(
                    descriptor, room.baseAddress.map { $0 + got }, count - got, off_t(offset) + off_t(got))
                if more < 0, errno == EINTR { continue }
                if more < 0 { failure = errno }
                guard more > 0 else { break }
                got += more
            }
            filled = got
        }
        if failure != 0, bytes.isEmpty { throw FolderFailure(doing: "read", code: failure) }
        return bytes
    }

    func mark() throws(FolderFailure) -> BundleMark {
        let tail = min(identity.size, UInt64(BundleMark.tailBytes))
        return BundleMark(
            size: identity.size, head: try read(at: 0, BundleMark.headBytes),
            tail: try read(at: identity.size - tail, Int(tail)))
    }
}

/// A folder that is open. One thread.
final class FolderDirectory {
    fileprivate let descriptor: Int32

    /// Whoever holds the folder's disk must not be able to lead to another place, least of all to `state`,
    /// the directory of this node.
    init(_ path: String, besides state: String = "") throws(FolderFailure) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            throw FolderFailure(doing: "open", code: ELOOP)
        }
        let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw FolderFailure(doing: "open", code: errno) }
        var own = stat()
        if fstat(opened, &status) == 0, stat(state, &own) == 0, status.st_ino == own.st_ino,
            status.st_dev == own.st_dev
        {
            close(opened)
            throw FolderFailure(doing: "open", code: ELOOP)
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Names in it, at most so many, in any order; whether there are more. Those that no terminal should be
    /// shown are left out.
    func names(limit: Int) throws(FolderFailure) -> (names: [String], isMore: Bool) {
        let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard own >= 0 else { throw FolderFailure(doing: "list", code: errno) }
        guard let stream = fdopendir(own) else {
            let code = errno
            close(own)
            throw FolderFailure(doing: "list", code: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        for _ in 0..<limit {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FolderFailure(doing: "list", code: errno) }
                return (names, false)
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { continue }
            names.append(name)
        }
        return (names, readdir(stream) != nil)
    }

    /// As a name stands, without following a link; nil: nothing stands there.
    func identity(of name: String) -> FileIdentity? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileIdentity(status)
    }

    func file(_ name: String) throws(FolderFileFault) -> FolderFile {
        // What is no file is not even opened: a device may act on it.
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw Self.fault(errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(Self.kind(status.st_mode)) }
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else {
            throw errno == ELOOP ? .noFile("a symbolic link") : Self.fault(errno)
        }
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .noFile(Self.kind(status.st_mode))
        }
        return FolderFile(file, FileIdentity(status))
    }

    private static func fault(_ code: Int32) -> FolderFileFault {
        code == ENOENT ? .gone : .failed(FolderFailure(doing: "open", code: code))
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a pipe"
        case S_IFDIR: "a folder"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "something else"
        }
    }

    /// Removes the file if it still is as it was read.
    func remove(_ name: String, ifStill identity: FileIdentity) throws(FolderFailure) -> Bool {
        guard self.identity(of: name) == identity else { return false }
        guard unlinkat(descriptor, name, 0) == 0 else {
            if errno == ENOENT { return false }
            throw FolderFailure(doing: "remove a file", code: errno)
        }
        return true
    }

    // MARK: Writing

    /// Begins a file that shall have this name.
    func draft(of name: String) throws(FolderFailure) -> FolderDraft {
        let hidden = Self.hiddenName(of: name)
        let file = openat(
            descriptor, hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw FolderFailure(doing: "write", code: errno) }
        // Whatever the umask: it is sealed, and the syncer that carries it may be another user. Some file
        // systems know no modes.
        fchmod(file, 0o644)
        return FolderDraft(file, named: hidden, in: self, becoming: name)
    }

    private static func hiddenName(of name: String) -> String {
        ".\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    }

    /// What a death in the middle of writing left behind.
    func removeDrafts(of name: String, among names: [String]) {
        for other in names where other.hasPrefix(".\(name).") && other.hasSuffix(".part") {
            unlinkat(descriptor, other, 0)
        }
    }
}

/// A file that is written and has not its name yet. Gone unless it was finished.
final class FolderDraft {
    private let descriptor: Int32
    private let hidden: String
    private let name: String
    private let folder: FolderDirectory
    private var isFinished = false
    private var size: UInt64 = 0
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    init(_ descriptor: Int32, named hidden: String, in folder: FolderDirectory, becoming name: String) {
        (self.descriptor, self.hidden, self.folder, self.name) = (descriptor, hidden, folder, name)
    }

    deinit {
        close(descriptor)
        if !isFinished { unlinkat(folder.descriptor, hidden, 0) }
    }

    func append(_ bytes: [UInt8]) throws(FolderFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FolderFailure(doing: "write", code: count < 0 ? errno : ENOSPC) }
            done += count
        }
        size += UInt64(bytes.count)
        if head.count < BundleMark.headBytes { head += bytes.prefix(BundleMark.headBytes - head.count) }
        tail = Array((tail + bytes.suffix(BundleMark.tailBytes)).suffix(BundleMark.tailBytes))
    }

    /// On the disk, under its name, in the place of the one before.
    func finish() throws(FolderFailure) -> BundleMark {
        guard fsync(descriptor) == 0 else { throw FolderFailure(doing: "write", code: errno) }
        guard renameat(folder.descriptor, hidden, folder.descriptor, name) == 0 else {
            throw FolderFailure(doing: "name a file", code: errno)
        }
        isFinished = true
        // Some file systems sync no folder; the file is then as durable as they make it.
        fsync(folder.descriptor)
        return BundleMark(size: size, head: head, tail: tail)
    }
}

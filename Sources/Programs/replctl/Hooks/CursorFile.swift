// Where a `watch --exec` stands, in a file: the cursor of the last change whose command succeeded. It is
// replaced as a whole and on disk before the next change is handed out, so after a crash at most the
// command that was running runs again; no change is left out.
//
// One process works with it at a time. A lock beside it says so; the commands that are run hold it too,
// so that a replctl that was killed leaves it to the command that still runs, and the next replctl waits
// for that one.

import Bytes
import Glibc
import JSON
import ReplClient

/// The file of `--state`. A reference, because it is locked once.
final class CursorFile {
    /// What is watched: another watch has another file.
    struct Subject: Equatable {
        let space: String
        let prefix: String
        let filter: String
    }

    let path: String
    let subject: Subject
    /// Where to go on from; nil until something was kept.
    private(set) var cursor: String?
    /// Locked as long as it is open, in us or in a command that we started.
    let lock: CInt
    private static let bytesMax = 1 << 16

    /// Locked for us when this returns; `waiting` is called once when somebody else has it.
    init(_ path: String, of subject: Subject, waiting: () -> Void) async throws {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw NewFile.failure("opening \(path).lock") }
        (self.path, self.subject, self.lock) = (path, subject, lock)
        cursor = nil
        var isFirst = true
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK else { throw NewFile.failure("locking \(path).lock") }
            if isFirst { waiting() }
            isFirst = false
            try await Task.sleep(for: .milliseconds(100))
        }
        cursor = try Self.read(path, of: subject)
    }

    deinit { close(lock) }

    /// On disk when this returns.
    func keep(_ cursor: String) throws(CommandFailure) {
        var json = JSONWriter()
        json.object {
            $0.member("space", subject.space)
            $0.member("prefix", subject.prefix)
            $0.member("where", subject.filter)
            $0.member("cursor", cursor)
        }
        let part = path + ".part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw NewFile.failure("making \(part)") }
        do throws(CommandFailure) {
            guard Descriptor.write(json.bytes + [0x0A], to: descriptor) else {
                throw NewFile.failure("writing \(part)")
            }
            guard fsync(descriptor) == 0 else { throw NewFile.failure("syncing \(part)") }
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        guard rename(part, path) == 0 else { throw NewFile.failure("naming \(path)") }
        try NewFile.syncDirectory(of: path)
        self.cursor = cursor
    }

    /// Nil when there is no file yet.
    private static func read(_ path: String, of subject: Subject) throws(CommandFailure) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw NewFile.failure("opening \(path)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        var length = 0
        while length < bytesMax {
            let count = bytes[length...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw NewFile.failure("reading \(path)") }
            if count == 0 { break }
            length += count
        }
        guard let state = Self.parse(Array(bytes[..<length])) else {
            throw CommandFailure(
                .badInput, "\(path) is no file of replctl watch; it is not overwritten",
                hint: "name another file", name: "no-state-file")
        }
        guard state.subject == subject else {
            throw CommandFailure(
                .badInput,
                "\(path) belongs to another watch: space \(state.subject.space), "
                    + "prefix \"\(state.subject.prefix)\", where \"\(state.subject.filter)\"",
                hint: "name another file; or remove it, and the watch begins anew", name: "other-state")
        }
        return state.cursor
    }

    private static func parse(_ bytes: [UInt8]) -> (subject: Subject, cursor: String)? {
        guard let json = try? ClientAnswer.json(bytes), let cursor = json.string("cursor"),
            let space = json.string("space"), let prefix = json.string("prefix"),
            let filter = json.string("where")
        else { return nil }
        return (Subject(space: space, prefix: prefix, filter: filter), cursor)
    }
}

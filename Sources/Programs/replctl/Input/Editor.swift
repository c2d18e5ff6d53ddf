// The person's editor on a private file: a directory that only they can enter, a file that only they can
// read. It stays when what they wrote could not be written to the document.

import Glibc

/// $VISUAL or $EDITOR, run by the shell, because it may have arguments of its own.
struct Editor {
    private let command: String

    init(_ console: Console) throws(CommandFailure) {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { console.environment($0) }.first { !$0.isEmpty }
        guard let named else {
            throw CommandFailure(
                .badInput, "no editor is named", hint: "set EDITOR, for example: EDITOR=nano replctl edit …")
        }
        command = named
    }

    /// Waits for its end; gives its exit code, 128 + the number of the signal that ended it otherwise.
    func open(_ path: String) throws(CommandFailure) -> Int32 {
        var process: pid_t = 0
        let words = ["/bin/sh", "-c", command + " \"$1\"", "sh", path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // Ctrl-C is the editor's while it runs. What is ignored stays so in a child, so it is set back there.
        let ignored = [SIGPIPE, SIGINT, SIGQUIT]
        let before = ignored.map { signal($0, SIG_IGN) }
        defer { for (number, action) in zip(ignored, before) { signal(number, action) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in ignored { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let failure = posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, environ)
        guard failure == 0 else {
            throw CommandFailure(.failed, "cannot start the editor: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else {
                throw CommandFailure(.failed, "the editor was lost: \(String(cString: strerror(errno)))")
            }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }
}

/// The file that the editor works on.
struct EditedFile {
    private let directory: String
    let path: String

    init(_ text: String, suffix: String) throws(CommandFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp makes it 0700 and new.
        var template = Array("\(base)/replctl-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("making a directory in \(base)") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(directory)/text.\(suffix)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("making \(path)") }
        defer { close(descriptor) }
        guard Console.write(Array(text.utf8), to: descriptor) else { throw Self.failure("writing \(path)") }
    }

    /// What is in it now. Editors end a file with a line feed; one that was not there before is taken off
    /// again.
    func read(likeBefore before: String) throws(CommandFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("reading \(path)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw Self.failure("reading \(path)") }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        if bytes.last == 0x0A, before.utf8.last != 0x0A { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "\(path) is not UTF-8; nothing was written")
        }
        return text
    }

    /// Takes file and directory away; backups that the editor left there keep the directory.
    func remove() {
        unlink(path)
        rmdir(directory)
    }

    private static func failure(_ doing: String) -> CommandFailure {
        CommandFailure(.failed, "\(doing): \(String(cString: strerror(errno)))")
    }
}

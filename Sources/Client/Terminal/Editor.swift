// The person's editor on a private file: a directory that only they can enter, a file that only they can
// read. It stays when what they wrote could not be written to the document.

import Glibc

/// Why there is no edited text.
public enum EditorFailure: Error, Equatable, Sendable {
    /// Neither VISUAL nor EDITOR says which.
    case noEditor
    case cannotStart(reason: String)
    /// The file could not be made, read or written: the words say which, and why.
    case file(String, reason: String)
    case notUTF8(path: String)

    public var message: String {
        switch self {
        case .noEditor: "no editor is named"
        case .cannotStart(let reason): "cannot start the editor: \(reason)"
        case .file(let doing, let reason): "\(doing): \(reason)"
        case .notUTF8(let path): "\(path) is not UTF-8; nothing was written"
        }
    }
}

/// $VISUAL or $EDITOR, run by the shell, because it may have arguments of its own.
public struct Editor {
    private let command: String

    public init(_ environment: (String) -> String?) throws(EditorFailure) {
        let named = ["VISUAL", "EDITOR"].compactMap { environment($0) }.first { !$0.isEmpty }
        guard let named else { throw .noEditor }
        command = named
    }

    /// Waits for its end; gives its exit code, 128 + the number of the signal that ended it otherwise.
    public func open(_ path: String) throws(EditorFailure) -> Int32 {
        // Ctrl-C is the editor's while it runs. What is ignored stays so in a child, so it is set back there.
        let ignored = [SIGPIPE, SIGINT, SIGQUIT]
        var before = ignored.map { _ in sigaction() }
        for (place, number) in ignored.enumerated() {
            var ignoring = sigaction()
            ignoring.__sigaction_handler.sa_handler = SIG_IGN
            sigaction(number, &ignoring, &before[place])
        }
        defer { for (place, number) in ignored.enumerated() { sigaction(number, &before[place], nil) } }
        var child = ChildStart(["/bin/sh", "-c", command + " \"$1\"", "sh", path])
        child.defaultSignals = ignored
        // An editor must hear that its window changed.
        child.unblocksSignals = true
        let process: pid_t
        do throws(ChildStart.Failure) {
            process = try child.start()
        } catch {
            throw .cannotStart(reason: error.reason)
        }
        let status: Int32
        do throws(ChildStart.Failure) {
            status = try ChildStart.end(of: process)
        } catch {
            throw .file("waiting for the editor", reason: error.reason)
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }
}

/// The file that the editor works on.
public struct EditedFile {
    private let directory: String
    public let path: String

    /// In $TMPDIR, else /tmp; the directory is named for the program.
    public init(_ text: String, program: String, suffix: String) throws(EditorFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp makes it 0700 and new.
        var template = Array("\(base)/\(program)-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("making a directory in \(base)") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(directory)/text.\(suffix)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("making \(path)") }
        defer { close(descriptor) }
        guard Descriptor.write(Array(text.utf8), to: descriptor) else {
            throw Self.failure("writing \(path)")
        }
    }

    /// What is in it now. Editors end a file with a line feed; one that was not there before is taken off
    /// again.
    public func read(likeBefore before: String) throws(EditorFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("reading \(path)") }
        defer { close(descriptor) }
        guard var bytes = Descriptor.readAll(descriptor) else { throw Self.failure("reading \(path)") }
        if bytes.last == 0x0A, before.utf8.last != 0x0A { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8(path: path) }
        return text
    }

    /// Takes file and directory away; backups that the editor left there keep the directory.
    public func remove() {
        unlink(path)
        rmdir(directory)
    }

    private static func failure(_ doing: String) -> EditorFailure {
        .file(doing, reason: String(cString: strerror(errno)))
    }
}

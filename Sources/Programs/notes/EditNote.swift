// A note's text in the person's editor. What they changed becomes splices of the text as it is when they are
// done, so what others typed meanwhile stays. Where both changed one place nothing is written, and the file
// stays.

import ArgumentParser
import Glibc
import ReplModels

struct EditNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Opens a note's text in $VISUAL or $EDITOR.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws {
        let note = try await options.listing().note(id)
        let before = note.body.string
        let file = try EditedFile(before)
        let ending = try file.edit()
        guard ending == 0 else {
            throw NotesFailure(
                .failed, "the editor ended with \(ending); nothing was written",
                hint: "what you wrote is in \(file.path)")
        }
        let after = try file.read(likeBefore: before)
        guard after.utf8.elementsEqual(before.utf8) == false else { return file.remove() }
        do {
            try await options.notebook.notes.update(note.id) {
                $0.body.string = try Self.merged(before, after, now: $0.body.string, file)
            }
        } catch let error as ClientError {
            let failure = NotesFailure(error)
            throw NotesFailure(
                failure.code, failure.message, hint: "\(failure.hint); what you wrote is in \(file.path)")
        }
        file.remove()
    }

    private static func merged(
        _ before: String, _ after: String, now: String, _ file: EditedFile
    ) throws -> String {
        let mine = TextDifference.splices(from: before, to: after)
        let others = TextDifference.splices(from: before, to: now)
        guard let splices = TextDifference.rebased(mine, over: others) else {
            throw NotesFailure(
                .refused, "somebody else changed the same place of the text; nothing was written",
                hint: "what you wrote is in \(file.path): notes edit again, and take it from there")
        }
        var scalars = Array(now.unicodeScalars)
        for splice in splices {
            scalars.replaceSubrange(
                splice.index..<(splice.index + splice.delete), with: splice.insert.unicodeScalars)
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// A file that only this person can read, in a directory that only they can enter.
private struct EditedFile {
    private let directory: String
    let path: String

    init(_ text: String) throws {
        let base = SpaceOptions.environment("TMPDIR") ?? "/tmp"
        var template = Array("\(base)/notes-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("making a directory in \(base)") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/note.md"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("making \(path)") }
        defer { close(descriptor) }
        guard Output.write(text, to: descriptor) else { throw Self.failure("writing \(path)") }
    }

    /// The exit code of the editor, 128 + the number of the signal that ended it otherwise.
    func edit() throws -> Int32 {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap(SpaceOptions.environment).first { !$0.isEmpty }
        guard let editor = named else {
            throw NotesFailure(
                .badInput, "no editor is named", hint: "set EDITOR, for example: EDITOR=nano notes edit …")
        }
        var process: pid_t = 0
        // By the shell: the command may have arguments of its own.
        let words = ["/bin/sh", "-c", editor + " \"$1\"", "sh", path]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // Ctrl-C is the editor's while it runs; what is ignored here is set back there.
        let ignored = [SIGINT, SIGQUIT]
        let before = ignored.map { signal($0, SIG_IGN) }
        defer { for (number, action) in zip(ignored, before) { signal(number, action) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in ignored + [SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let failure = posix_spawn(&process, "/bin/sh", nil, &attributes, arguments, environ)
        guard failure == 0 else {
            throw NotesFailure(
                .failed, "cannot start the editor: \(String(cString: strerror(failure)))", hint: "")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Self.failure("waiting for the editor") }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }

    /// Editors end a file with a line feed; one that was not there before is taken off again.
    func read(likeBefore before: String) throws -> String {
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
            throw NotesFailure(.badInput, "\(path) is not UTF-8; nothing was written", hint: "")
        }
        return text
    }

    /// Backups that the editor left there keep the directory.
    func remove() {
        unlink(path)
        rmdir(directory)
    }

    private static func failure(_ doing: String) -> NotesFailure {
        NotesFailure(.failed, "\(doing): \(String(cString: strerror(errno)))", hint: "")
    }
}

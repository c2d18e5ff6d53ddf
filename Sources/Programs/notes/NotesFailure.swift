// How a verb ends that did not do what it was asked, with replctl's exit codes; and where words go.

import Bytes
import Glibc
import ReplModels
import Terminal

/// ArgumentParser has one of that name too.
typealias ExitCode = Terminal.ExitCode

struct NotesFailure: Error {
    let code: ExitCode
    let message: String
    let hint: String

    init(_ code: ExitCode, _ message: String, hint: String) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    init(_ error: ClientError) {
        var hint = error.hint
        if case .refused(let refusal, _) = error, refusal.code == "no-such-space" {
            hint = "replctl space create notes makes one, replctl join joins one; --space names another"
        }
        self.init(ExitCode(error), error.message, hint: hint)
    }

    init(_ failure: EditorFailure) {
        switch failure {
        case .noEditor:
            self.init(.badInput, failure.message, hint: "set EDITOR, for example: EDITOR=nano notes edit …")
        case .notUTF8: self.init(.badInput, failure.message, hint: "")
        case .cannotStart, .file: self.init(.failed, failure.message, hint: "")
        }
    }

    func tell() -> Never {
        Output.write("notes: \(ShownText.lines(message))\n", to: STDERR_FILENO)
        if !hint.isEmpty { Output.write("  \(hint)\n", to: STDERR_FILENO) }
        Glibc.exit(code.rawValue)
    }
}

enum Output {
    /// False: whoever read it has enough.
    @discardableResult
    static func write(_ text: String, to descriptor: CInt = STDOUT_FILENO) -> Bool {
        Descriptor.write(Array(text.utf8), to: descriptor)
    }

    static func line(_ text: String) throws { guard write(text + "\n") else { throw CancellationError() } }
}

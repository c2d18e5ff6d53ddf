// How a command ends: the exit codes that scripts rely on, and what a person is told. The daemon's refusals
// already carry a message and a hint; here they get their exit code.

import Bytes
import JSON
@_exported public import ReplClient
@_exported public import Terminal

/// ArgumentParser has one of that name too.
typealias ExitCode = Terminal.ExitCode

/// Standard output is gone: whoever read it has enough.
struct OutputClosed: Error {}

/// A command that did not do what it was asked.
struct CommandFailure: Error, Equatable {
    let code: ExitCode
    /// The API's code, or ours in the same style.
    let name: String
    let message: String
    let hint: String
    /// What the daemon's error said beyond that, for programs.
    let details: [PlainValue.Member]
    /// Lines of what the person wrote, with a mark below the place that is wrong.
    private(set) var excerpt: [String] = []
    /// What the command spoke of, for hints that name a command to type.
    private var subject = NamedSubject()

    init(
        _ code: ExitCode, _ message: String, hint: String = "", name: String? = nil,
        details: [PlainValue.Member] = []
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.name = name ?? code.name
        self.details = details
    }

    init(_ error: ClientError) {
        let name =
            switch error {
            case .unreachable: "unreachable"
            case .refused(let refusal, _): refusal.code
            case .timedOut: "no-answer"
            case .cut: "connection-cut"
            case .malformed: "malformed-answer"
            }
        self.init(
            ExitCode(error), error.message, hint: error.hint + Self.sought(error), name: name,
            details: error.details)
    }

    init(_ failure: EditorFailure) {
        switch failure {
        case .noEditor:
            self.init(
                .badInput, failure.message, hint: "set EDITOR, for example: EDITOR=nano replctl edit …")
        case .notUTF8: self.init(.badInput, failure.message)
        case .cannotStart, .file: self.init(.failed, failure.message)
        }
    }

    /// Who wrote one thing asks for no number of it: "operation 0: the path leads nowhere".
    func withoutNumber(ofOnlyOperationIn body: [UInt8]) -> CommandFailure {
        let number = "operation 0: "
        guard message.hasPrefix(number), let request = try? ClientAnswer.json(body),
            request.list("operations").count == 1
        else { return self }
        return CommandFailure(
            code, String(message.dropFirst(number.count)), hint: hint, name: name, details: details)
    }

    /// Where else a daemon was looked for, when the last place was the system's and it has none.
    private static func sought(_ error: ClientError) -> String {
        guard case .unreachable(ReplClient.systemSocket, .noSocket) = error else { return "" }
        let places = ReplClient.soughtSockets(Console.current.environment)
        return places.isEmpty ? "" : "; this user's own was looked for too: \(places)"
    }

    func with(excerpt: [String]) -> CommandFailure {
        var failure = self
        failure.excerpt = excerpt
        return failure
    }

    func naming(_ subject: NamedSubject) -> CommandFailure {
        var failure = self
        failure.subject = subject
        return failure
    }

    /// The daemon speaks of its endpoints; whoever sits before a terminal has verbs for them.
    private static let hints = [
        "no-such-space": "see: replctl spaces",
        "foreign-bundle": "see the ids of this box's spaces with: replctl spaces --wide",
        "no-checkpoint": "leave out --base, or see: replctl space checkpoints SPACE",
        "no-such-document": "see: replctl ls SPACE",
        "no-such-invite": "see: replctl space invites SPACE",
        "no-such-change": "see: replctl log SPACE",
        "not-linked": "see: replctl peers",
        "no-answer": "it may be asleep or cut off; see: replctl peers",
        "own-device": "name another; see: replctl peers",
        "not-member":
            "what is here can be read and exported; to write: replctl space leave SPACE --force, and "
            + "join again with an invite",
        "already-member": "see: replctl spaces",
        "no-such-candidate": "see the numbers with: replctl conflicts SPACE KEY",
        "last-copy": "invite another device and let it catch up (replctl space invite SPACE), or keep a copy "
            + "(replctl export SPACE, replctl backup FILE); --force leaves all the same",
        "last-admin": "invite another one first: replctl space invite SPACE --role admin; --force leaves all "
            + "the same",
        "others-behind":
            "wait until another member is linked and level, see replctl peers; --force leaves all "
            + "the same",
        "timeout": "see replctl explain for what keeps it, or wait longer with --timeout",
    ]

    /// Says it on standard error, with `--json` in the API's form.
    func tell(_ console: Console, asJSON: Bool = false) -> ExitCode {
        if asJSON {
            var json = JSONWriter()
            json.object {
                $0.name("error")
                $0.object {
                    $0.member("code", name)
                    $0.member("message", message)
                    $0.member("hint", hint)
                    for detail in details {
                        $0.name(detail.key.string)
                        $0.plain(detail.value)
                    }
                }
            }
            console.complain(String(decoding: json.bytes, as: UTF8.self))
        } else {
            let hint = Self.hints[name].map(subject.filled) ?? hint
            console.complain(console.paintedError("replctl: ", .red) + console.safe(message))
            for line in excerpt { console.complain("  " + console.safe(line)) }
            if !hint.isEmpty { console.complain("  " + console.safe(hint)) }
        }
        return code
    }
}

// edit: a text or a value in the person's own editor. What they changed becomes splices under the condition
// that the text is still what they saw. When others wrote meanwhile, the splices follow them as long as both
// did not touch one place; else nothing is written. Whatever is not written is kept in a file.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct EditCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit a text, or any value as JSON, in $VISUAL or $EDITOR.",
        discussion: """
            The difference becomes splices of a text, so what others write elsewhere in it at the same time \
            stays. Where nothing stands yet a text is made. Without PATH the whole document is edited as \
            JSON.
            Example: EDITOR=nano replctl edit household note/1 body
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key.") var key: String
    @Argument(help: "A place in it, such as body.") var path: String?
    @OptionGroup var common: DaemonOptions

    /// What stands at the path before.
    enum Subject: Equatable {
        case absent
        case text(String)
        /// A string that is no text: it is replaced whole.
        case string(String)
        /// Anything else, in the typed view.
        case json(typed: PlainValue)
        /// A whole document that is not there yet.
        case absentDocument

        /// What the editor shows.
        var shown: String {
            switch self {
            case .absent: ""
            case .text(let text), .string(let text): text
            case .json(let typed): PrettyJSON.text(TypedText.plain(typed)) + "\n"
            case .absentDocument: "{}\n"
            }
        }

        /// For the editor's colours.
        var suffix: String {
            switch self {
            case .json, .absentDocument: "json"
            case .absent, .text, .string: "txt"
            }
        }
    }

    func run() async throws {
        let path = try DottedPath(path ?? "")
        let subject = try await read(path)
        if case .string = subject {
            console.complain(
                "note: this is a register, which is replaced as a whole: of two edits at once one shows. "
                    + "To have them merge, make it a text first: "
                    + ShellWord.command("convert", space, key, self.path ?? "", "text"))
        }
        let editor = try Editor(console.environment)
        let file = try EditedFile(subject.shown, program: "replctl", suffix: subject.suffix)
        let status = try editor.open(file.path)
        guard status == 0 else {
            file.remove()
            throw CommandFailure(.failed, "the editor ended with \(status); nothing was written")
        }
        let edited = try file.read(likeBefore: subject.shown)
        guard edited != subject.shown else {
            file.remove()
            return console.complain("nothing changed")
        }
        do {
            try await write(subject, edited, path)
            file.remove()
        } catch {
            // The work of an hour is not thrown away because a disk was full.
            console.complain("what you wrote is in \(file.path)")
            throw error
        }
    }

    /// How often an edit follows a text that others write at the same time.
    private static let triesMax = 5

    private func write(_ subject: Subject, _ edited: String, _ path: DottedPath) async throws {
        guard let body = try transaction(subject, edited, path) else {
            return console.complain("nothing changed")
        }
        var next = body
        for attempt in 1... {
            do {
                try await transact(space, body: next)
                return
            } catch let error as CommandFailure {
                guard error.name == "condition-failed", attempt < Self.triesMax,
                    case .text(let before) = subject,
                    case .text(let now) = try await read(path),
                    let splices = TextDifference.rebased(
                        TextDifference.splices(from: before, to: edited),
                        over: TextDifference.splices(from: before, to: now))
                else { throw error }
                let operations = splices.map { OperationText($0, key, path) }
                next = OperationText.transaction(operations, conditions: [condition(.text(now), path)])
            }
        }
    }

    private func read(_ path: DottedPath) async throws -> Subject {
        let request = ClientRequest("GET", ["spaces", space, "documents", key], query: [("view", "typed")])
        let answer: PlainValue
        do throws(ClientError) {
            answer = try await common.client.call(request).json()
        } catch {
            guard case .refused(let refusal, _) = error, refusal.code == "no-such-document" else {
                throw error
            }
            return path.steps.isEmpty ? .absentDocument : .absent
        }
        guard let document = answer["value"] else { throw ClientError.malformed("a document without value") }
        let typed: PlainValue
        do throws(CommandFailure) {
            typed = try path.find(in: document, isTyped: true)
        } catch {
            return .absent
        }
        return Self.subject(typed)
    }

    static func subject(_ typed: PlainValue) -> Subject {
        guard case .scalar(.string(let text)) = TypedText.plain(typed) else { return .json(typed: typed) }
        return typed.string("kind") == "text" ? .text(text.string) : .string(text.string)
    }

    /// Nil when it would change nothing.
    func transaction(_ subject: Subject, _ edited: String, _ path: DottedPath) throws -> [UInt8]? {
        let operations: [OperationText]
        switch subject {
        case .absent: operations = [OperationText(TextSplice(index: 0, delete: 0, insert: edited), key, path)]
        case .text(let text):
            operations = TextDifference.splices(from: text, to: edited).map { OperationText($0, key, path) }
        case .string: operations = [OperationText("set", key, path, value: .scalar(.string(.init(edited))))]
        case .json(let typed):
            operations = JSONDifference.operations(from: typed, to: try Self.json(edited), key, path)
        case .absentDocument: operations = [OperationText("set", key, path, value: try Self.json(edited))]
        }
        guard !operations.isEmpty else { return nil }
        return OperationText.transaction(operations, conditions: [condition(subject, path)])
    }

    /// Fails with 412 when what was edited is no longer there.
    private func condition(_ subject: Subject, _ path: DottedPath) -> [UInt8] {
        var condition = JSONWriter()
        condition.object {
            $0.member("document", key)
            $0.name("path")
            path.write(to: &$0)
            switch subject {
            case .absent, .absentDocument: $0.member("exists", false)
            case .text(let text), .string(let text): $0.member("equals", text)
            case .json(let typed):
                $0.name("equals")
                $0.plain(TypedText.plain(typed))
            }
        }
        return condition.bytes
    }

    private static func json(_ text: String) throws(CommandFailure) -> PlainValue {
        do throws(JSONFault) {
            return try JSONReader.read(Array(text.utf8))
        } catch {
            throw CommandFailure(.badInput, "what you wrote is no JSON: \(error.message)")
        }
    }
}

// convert: another kind for what stands at a place; and the commands that a refusal for the kind is answered
// with.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ConvertCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Give what stands at a place another kind, with its value.",
        discussion: """
            A string becomes a text, an integer a counter; a list or a set of distinct scalars becomes a \
            set, a list or an ordered set. One transaction; what others write meanwhile stays in `conflicts`.
            Example: replctl convert household note/1 body text
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(help: "text, counter, set, list or ordered-set.") var kind: String
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        try await write(
            place.space, place.key, [OperationText("convert", place.key, path) { $0.member("kind", kind) }])
    }
}

extension CommandFailure {
    /// A refusal of a transaction. 409 `wrong-kind` names the command to type; `body` is the transaction.
    init(_ error: ClientError, writing body: [UInt8], to space: String) {
        let failure = CommandFailure(error).withoutNumber(ofOnlyOperationIn: body)
        guard failure.name == "wrong-kind",
            let hint = Self.commandForKind(failure.details, writing: body, to: space)
        else {
            self = failure
            return
        }
        self.init(
            failure.code, failure.message, hint: hint, name: failure.name, details: failure.details)
    }

    private static func commandForKind(
        _ details: [PlainValue.Member], writing body: [UInt8], to space: String
    ) -> String? {
        let error = PlainValue.object(details)
        guard let document = error.string("document"), let wanted = error.string("wanted") else { return nil }
        let steps = error.list("path")
        let path = DottedPath.text(of: steps)
        if error["convert"] != nil {
            return "to keep the value: "
                + ShellWord.command("convert", space, document, path, wanted)
        }
        if error.string("shown") == "counter", wanted == "register" {
            let count = number(set: steps, of: document, by: body).map { "\($0)" } ?? "N"
            return "to bring the counter to a number: "
                + ShellWord.command("set", space, document, "--counter", "\(path)=\(count)")
        }
        return "to give the old value up: " + ShellWord.command("delete", space, document, path)
    }

    /// The integer that the transaction sets at a place; nil when it is part of a larger value.
    private static func number(set path: [PlainValue], of document: String, by body: [UInt8]) -> Int64? {
        do throws(ClientError) {
            return try ClientAnswer.json(body).list("operations").first {
                $0.string("op") == "set" && $0.string("document") == document && $0.list("path") == path
            }?.integer("value")
        } catch {
            preconditionFailure("a transaction that was sent is JSON: \(error)")
        }
    }
}

// Writes of one document, each command one transaction. They print the change, which `wait` takes, or say on
// standard error that nothing changed; with --json {"change","version"}.

import ArgumentParser
import Bytes
import JSON
import ReplClient

/// The place that most writes name.
struct PlaceArguments: ParsableArguments {
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key; a missing document is made.") var key: String
    @Argument(help: "A place in it, such as items.0.qty.") var path: String
}

struct SetCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set values in a document, all in one transaction.",
        discussion: """
            Only the difference is written: an object goes key by key, a list or a text by what differs.
            A string becomes a register, which is replaced as a whole; --text makes a text, in which edits \
            merge, --counter a number to which increments add up, --set a set of scalars, --list a list. \
            See: replctl help kinds
            Examples:
              replctl set household note/1 title=Groceries done=false
              replctl set household note/1 'items=["milk","bread"]' 'code="007"'
              replctl set household note/1 '={"title":"Groceries"}'      the whole document
              replctl set household note/1 --text body=@note.txt --counter visits=0
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key; a missing document is made.") var key: String
    @Argument(
        help: """
            Places and values: PATH=VALUE. A value is JSON, or a string when it is not; @FILE and @- are the \
            text of a file and of standard input.
            """) var assignments: [String] = []
    @Option(help: ArgumentHelp("A string as a text; may be repeated.", valueName: "path=value"))
    var text: [String] = []
    @Option(help: ArgumentHelp("An integer as a counter; may be repeated.", valueName: "path=value"))
    var counter: [String] = []
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("An array of scalars as a set; may be repeated.", valueName: "path=value"))
    var sets: [String] = []
    @Option(help: ArgumentHelp("An array as a list; may be repeated.", valueName: "path=value"))
    var list: [String] = []
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var operations: [OperationText] = []
        for text in assignments {
            let (path, value) = try assignment(text)
            operations.append(OperationText("set", key, path, value: value))
        }
        for text in text {
            let (path, value) = try assignment(text)
            guard case .scalar(.string) = value else { throw Self.wrong(text, "--text takes a string") }
            operations += [made(path, "text"), OperationText("set", key, path, value: value)]
        }
        for text in sets {
            let (path, value) = try assignment(text)
            guard case .array = value else { throw Self.wrong(text, "--set takes an array of scalars") }
            operations += [made(path, "set"), OperationText("set", key, path, value: value)]
        }
        for text in list {
            let (path, value) = try assignment(text)
            guard case .array = value else { throw Self.wrong(text, "--list takes an array") }
            operations += [made(path, "list"), OperationText("set", key, path, value: value)]
        }
        for text in counter { operations += try await counting(text) }
        guard !operations.isEmpty else {
            throw CommandFailure(
                .badInput, "nothing to set", hint: "name places and values: title=Groceries done=false")
        }
        try await write(space, key, operations)
    }

    private func assignment(_ text: String) throws -> (DottedPath, PlainValue) {
        let (path, value) = try DottedPath.assignment(text)
        return (path, try ValueText.read(value, console))
    }

    private func made(_ path: DottedPath, _ kind: String) -> OperationText {
        OperationText("make", key, path) { $0.member("kind", kind) }
    }

    private static func wrong(_ text: String, _ message: String) -> CommandFailure {
        CommandFailure(
            .badInput, "\(message): \(text)", hint: "write strings in quotes where they look like JSON")
    }

    /// A counter has no set: others increment it meanwhile. What lacks from what it shows here is added.
    private func counting(_ text: String) async throws -> [OperationText] {
        let (path, value) = try assignment(text)
        guard case .scalar(.integer(let wanted)) = value else {
            throw Self.wrong(text, "--counter takes an integer")
        }
        let shown = try await shownCount(path)
        let (by, overflows) = wanted.subtractingReportingOverflow(shown)
        guard !overflows else { throw Self.wrong(text, "the counter stands at \(shown)") }
        let made = made(path, "counter")
        return by == 0 ? [made] : [made, OperationText("increment", key, path) { $0.member("by", by) }]
    }

    /// What a counter at the path shows here; 0 where none stands.
    private func shownCount(_ path: DottedPath) async throws -> Int64 {
        let request = ClientRequest("GET", ["spaces", space, "documents", key], query: [("view", "typed")])
        let answer: PlainValue
        do throws(ClientError) {
            answer = try await common.client.call(request).json()
        } catch {
            if case .refused(let refusal, _) = error, refusal.code == "no-such-document" { return 0 }
            throw error
        }
        guard let document = answer["value"] else { throw ClientError.malformed("a document without value") }
        let slot: PlainValue
        do throws(CommandFailure) {
            slot = try path.find(in: document, isTyped: true)
        } catch {
            // Nothing stands there: the counter is made.
            guard error.name == "no-such-place" else { throw error }
            return 0
        }
        guard slot.string("kind") == "counter" else {
            // The daemon refuses to make a counter there, and says what is.
            return 0
        }
        guard let count = slot.integer("value") else {
            throw ClientError.malformed("a counter without an integer")
        }
        return count
    }
}

struct DeleteCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a document, or what stands at a path in it.",
        discussion: "Example: replctl delete household note/1 items.0")
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key.") var key: String
    @Argument(help: "A place in it; the document itself when it is left out.") var path: String?
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try path.map { (text) throws(CommandFailure) in try Self.place(text) } ?? .root
        try await write(space, key, [OperationText("delete", key, path)])
    }

    /// An empty PATH is more likely an empty variable of a script than the wish to delete everything.
    private static func place(_ text: String) throws(CommandFailure) -> DottedPath {
        guard !text.isEmpty else {
            throw CommandFailure(
                .badInput, "PATH is empty", hint: "leave it out to delete the whole document")
        }
        return try DottedPath(text)
    }
}

struct IncrementCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "incr", abstract: "Add to a counter.",
        discussion: """
            Increments on several devices add up. Where nothing stands yet a counter is made.
            Examples:
              replctl incr household stats/2026 visits
              replctl incr household stats/2026 visits -5
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("How much, 1 when left out.", valueName: "by"))
    var by: [String] = []
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let texts = try ValueText.positional(by)
        guard texts.count <= 1, let number = Int64(texts.first ?? "1") else {
            throw CommandFailure(.badInput, "\"\(texts.joined(separator: " "))\" is no integer of 64 bits")
        }
        let path = try DottedPath(place.path)
        try await write(
            place.space, place.key, [OperationText("increment", place.key, path) { $0.member("by", number) }])
    }
}

struct AddCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add values to a set.",
        discussion: "Example: replctl add household note/1 tags work '\"007\"'")
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON scalars, or strings when they are no JSON.") var value:
        [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let values = try ValueText.values(value, console)
        try await write(
            place.space, place.key, values.map { OperationText("add", place.key, path, value: $0) })
    }
}

struct RemoveCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove values from a set.",
        discussion: "Example: replctl remove household note/1 tags work")
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON scalars, or strings when they are no JSON.") var value:
        [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let values = try ValueText.values(value, console)
        try await write(
            place.space, place.key, values.map { OperationText("remove", place.key, path, value: $0) })
    }
}

struct MakeCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make an empty container of a kind, if that kind is not there already.",
        discussion: """
            Kinds: map, list, ordered-set, set, remove-wins-set, text, counter.
            Example: replctl make household note/1 body text
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(help: "map, list, ordered-set, set, remove-wins-set, text or counter.") var kind: String
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        try await write(
            place.space, place.key, [OperationText("make", place.key, path) { $0.member("kind", kind) }])
    }
}

// Writes of one document, each command one transaction. They print the change, which `wait` takes, or say on
// standard error that nothing changed; with --json {"change","version"}.

import ArgumentParser
import JSON
import ReplClient

/// The place that most writes name.
struct PlaceArguments: ParsableArguments {
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key; a missing document is made.") var key: String
    @Argument(help: "A place in it, such as items.0.qty.") var path: String
}

struct SetCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set values in a document, all in one transaction.",
        discussion: """
            Only the difference is written: an object goes key by key, a list or a text by what differs.
            Examples:
              replctl set household note/1 title=Groceries done=false
              replctl set household note/1 'items=["milk","bread"]' 'code="007"'
              replctl set household note/1 '={"title":"Groceries"}'      the whole document
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key; a missing document is made.") var key: String
    @Argument(help: "Places and values; a value is JSON, or a string when it is not.") var assignments:
        [String]
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var operations: [OperationText] = []
        for text in assignments {
            let (path, value) = try DottedPath.assignment(text)
            operations.append(OperationText("set", key, path, value: try ValueText.read(value, console)))
        }
        try await transact(space, operations)
    }
}

struct DeleteCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a document, or what stands at a path in it.",
        discussion: "Example: replctl delete household note/1 items.0")
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key.") var key: String
    @Argument(help: "A place in it; the document itself when it is left out.") var path: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try path.map { (text) throws(CommandFailure) in try Self.place(text) } ?? .root
        try await transact(space, [OperationText("delete", key, path)])
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

struct IncrementCommand: Verb {
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
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let texts = try ValueText.positional(by)
        guard texts.count <= 1, let number = Int64(texts.first ?? "1") else {
            throw CommandFailure(.badInput, "\"\(texts.joined(separator: " "))\" is no integer of 64 bits")
        }
        let path = try DottedPath(place.path)
        try await transact(
            place.space, [OperationText("increment", place.key, path) { $0.member("by", number) }])
    }
}

struct AddCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add values to a set.",
        discussion: "Example: replctl add household note/1 tags work '\"007\"'")
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON scalars, or strings when they are no JSON.") var value:
        [String]
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let values = try ValueText.values(value, console)
        try await transact(place.space, values.map { OperationText("add", place.key, path, value: $0) })
    }
}

struct RemoveCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove values from a set.",
        discussion: "Example: replctl remove household note/1 tags work")
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON scalars, or strings when they are no JSON.") var value:
        [String]
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let values = try ValueText.values(value, console)
        try await transact(place.space, values.map { OperationText("remove", place.key, path, value: $0) })
    }
}

struct MakeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make an empty container of a kind, if that kind is not there already.",
        discussion: """
            Kinds: map, list, ordered-set, set, remove-wins-set, text, counter.
            Example: replctl make household note/1 body text
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(help: "map, list, ordered-set, set, remove-wins-set, text or counter.") var kind: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        try await transact(
            place.space, [OperationText("make", place.key, path) { $0.member("kind", kind) }])
    }
}

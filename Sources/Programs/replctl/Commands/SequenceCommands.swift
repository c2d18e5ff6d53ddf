// Writes of lists, ordered sets and texts.

import ArgumentParser
import JSON
import ReplClient

struct InsertCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "insert", abstract: "Insert values into a list or an ordered set.",
        discussion: """
            Indexes count from 0, or from the end: -1 is behind the last element. Where nothing stands yet a \
            list is made. append and prepend are shorter for the two ends.
            Example: replctl insert household note/1 items 0 milk '{"what":"bread","qty":2}'
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Where the first of them will stand, then the values: JSON, or strings when they are no JSON.",
            valueName: "index value")) var indexAndValues: [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let texts = try ValueText.positional(indexAndValues)
        let index = try ValueText.index(texts.first, "INDEX")
        guard texts.count > 1 else { throw CommandFailure(.badInput, "VALUE is missing") }
        try await insert(Array(texts.dropFirst()), at: index)
    }
}

struct AppendCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "append", abstract: "Insert values behind the last of a list or an ordered set.",
        discussion: """
            The daemon finds the end, so nothing that others insert meanwhile is overtaken.
            Example: replctl append household note/1 items milk bread
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON, or strings when they are no JSON.") var value: [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws { try await insert(try ValueText.positional(value), at: -1) }
}

struct PrependCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "prepend", abstract: "Insert values before the first of a list or an ordered set.",
        discussion: "Example: replctl prepend household note/1 items milk bread")
    @OptionGroup var place: PlaceArguments
    @Argument(parsing: .allUnrecognized, help: "JSON, or strings when they are no JSON.") var value: [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws { try await insert(try ValueText.positional(value), at: 0) }
}

/// A verb that inserts at one place of a list or an ordered set.
private protocol InsertingVerb: WritingVerb {
    var place: PlaceArguments { get }
}

extension InsertCommand: InsertingVerb {}
extension AppendCommand: InsertingVerb {}
extension PrependCommand: InsertingVerb {}

extension InsertingVerb {
    fileprivate func insert(_ texts: [String], at index: Int64) async throws {
        try await write(place.space, place.key, [try insertion(of: texts, at: index)])
    }

    private func insertion(of texts: [String], at index: Int64) throws -> OperationText {
        let path = try DottedPath(place.path)
        var values: [PlainValue] = []
        for text in texts { values.append(try ValueText.read(text, console)) }
        return OperationText("insert", place.key, path) {
            $0.member("index", index)
            $0.name("values")
            $0.array(values) { $0.plain($1) }
        }
    }
}

struct MoveCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move an element of a list or an ordered set.",
        discussion: """
            Indexes count from 0, or from the end: -1 is the last element.
            Examples:
              replctl move household note/1 items 3 0      the fourth becomes the first
              replctl move household note/1 items 0 -1     the first becomes the last
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Where it stands now, and where it will stand afterwards.", valueName: "from to"))
    var fromAndTo: [String]
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let texts = try ValueText.positional(fromAndTo)
        let from = try ValueText.index(texts.first, "FROM")
        let to = try ValueText.index(texts.dropFirst().first, "TO")
        guard texts.count == 2 else {
            throw CommandFailure(.badInput, "FROM and TO are two indexes, not \(texts.count)")
        }
        let path = try DottedPath(place.path)
        let operation = OperationText("move", place.key, path) {
            $0.member("from", from)
            $0.member("to", to)
        }
        try await write(place.space, place.key, [operation])
    }
}

struct SpliceCommand: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "splice", abstract: "Delete and insert characters of a text.",
        discussion: """
            INDEX and DELETE count Unicode scalars, with --utf16 the units of UTF-16; INSERT is taken as it \
            is. Where nothing stands yet a text is made.
            Example: replctl splice household note/1 body 5 2 abc
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(help: "Where, from 0.") var index: UInt32
    @Argument(help: "How many characters go.") var delete: UInt32
    @Argument(help: "What comes in their place; may be empty.") var insert: String
    @Flag(name: .customLong("utf16"), help: "Count UTF-16 units, as JavaScript, Java and C# do.")
    var countsUTF16 = false
    @OptionGroup var options: WriteOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let splice = TextSplice(index: Int(index), delete: Int(delete), insert: insert)
        try await write(
            place.space, place.key, [OperationText(splice, place.key, path)],
            units: countsUTF16 ? "utf16" : nil)
    }
}

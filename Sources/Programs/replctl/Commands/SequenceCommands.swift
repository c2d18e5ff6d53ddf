// Writes of lists, ordered sets and texts.

import ArgumentParser
import JSON
import ReplClient

struct InsertCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "insert", abstract: "Insert values into a list or an ordered set.",
        discussion: """
            Indexes count from 0; the number of elements as INDEX appends. Where nothing stands yet a list \
            is made.
            Example: replctl insert household note/1 items 0 milk '{"what":"bread","qty":2}'
            """)
    @OptionGroup var place: PlaceArguments
    @Argument(help: "Where the first of them will stand.") var index: UInt32
    @Argument(parsing: .allUnrecognized, help: "JSON, or strings when they are no JSON.") var value: [String]
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let values = try ValueText.values(value, console)
        let operation = OperationText("insert", place.key, path) {
            $0.member("index", index)
            $0.name("values")
            $0.array(values) { $0.plain($1) }
        }
        try await transact(place.space, [operation])
    }
}

struct MoveCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move an element of a list or an ordered set.",
        discussion: "Example: replctl move household note/1 items 3 0     (the fourth becomes the first)")
    @OptionGroup var place: PlaceArguments
    @Argument(help: "Where it stands now, from 0.") var from: UInt32
    @Argument(help: "Where it will stand afterwards, from 0.") var to: UInt32
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let operation = OperationText("move", place.key, path) {
            $0.member("from", from)
            $0.member("to", to)
        }
        try await transact(place.space, [operation])
    }
}

struct SpliceCommand: Verb {
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
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(place.path)
        let splice = TextSplice(index: Int(index), delete: Int(delete), insert: insert)
        try await transact(
            place.space, [OperationText(splice, place.key, path)], units: countsUTF16 ? "utf16" : nil)
    }
}

// One document as it is now.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct GetCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print a document, or what stands at a path in it.",
        discussion: """
            A string at PATH is printed as it is, everything else as JSON.
            Examples:
              replctl get household note/groceries
              replctl get household note/groceries items.0
              replctl get household note/groceries --typed          kinds, conflicts and ids of elements too
              replctl get household note/groceries --at-least VERSION    wait until this node holds that
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key.") var key: String
    @Argument(help: "A place in it, such as items.0.qty.") var path: String?
    @Flag(help: "The typed view: kinds, conflicts, ids of elements.") var typed = false
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(path ?? "")
        let request = try wait.request(
            ["spaces", space, "documents", key], query: [("view", typed ? "typed" : nil)])
        let answer = try await common.client.call(request)
        if common.json, path.steps.isEmpty { return try console.writeLine(answer.body) }
        let document = try answer.json()
        guard let whole = document["value"] else { throw ClientError.malformed("a document without value") }
        let value = try path.find(in: whole, isTyped: typed)
        if common.json { return try writeJSON(document, value) }
        if !path.steps.isEmpty, case .scalar(.string(let text)) = value {
            return try console.writeLine(console.isTerminal ? Printable.lines(text.string) : text.string)
        }
        try console.writeValue(value)
    }

    /// The document with the value at the path in place of its own.
    private func writeJSON(_ document: PlainValue, _ value: PlainValue) throws {
        var json = JSONWriter()
        json.object {
            $0.member("key", key)
            $0.name("value")
            $0.plain(value)
            $0.member("version", document.string("version") ?? "")
        }
        try console.writeLine(json.bytes)
    }
}

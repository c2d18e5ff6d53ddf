// Documents as they are now: one, or the keys of many.

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
    @Option(help: "Wait until this node holds this version.") var atLeast: String?
    @Option(help: "How long to wait for that: 90s, 30m.") var timeout = "30s"
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(path ?? "")
        guard let seconds = Moment.seconds(timeout) else {
            throw CommandFailure(.badInput, "\"\(timeout)\" is no time", hint: "write 90s, 30m or 2h")
        }
        var request = ClientRequest(
            "GET", ["spaces", space, "documents", key],
            query: [
                ("view", typed ? "typed" : nil), ("timeoutSeconds", atLeast.map { _ in "\(seconds)" }),
            ],
            timeoutSeconds: ClientRequest.timeoutSeconds(waiting: seconds))
        if let atLeast { request.headers.append(("Repl-At-Least", atLeast)) }
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

struct ListCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the keys of documents.",
        discussion: "Example: replctl ls household note/")
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "What the keys begin with.") var prefix: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var after: String?
        repeat {
            let request = ClientRequest(
                "GET", ["spaces", space, "documents"], query: [("prefix", prefix), ("after", after)])
            let page = try await common.client.call(request).json()
            var text: [UInt8] = []
            for document in page.list("documents") {
                if common.json {
                    var json = JSONWriter()
                    json.plain(document)
                    text += json.bytes
                } else {
                    let key = document.string("key") ?? ""
                    text += Array((console.isTerminal ? console.safe(key) : key).utf8)
                }
                text.append(0x0A)
            }
            try console.write(text)
            let next = page.string("next")
            guard next == nil || next != after else {
                throw ClientError.malformed("a page that does not go on")
            }
            after = next
        } while after != nil
    }
}

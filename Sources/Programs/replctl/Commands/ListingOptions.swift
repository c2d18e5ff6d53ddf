// What `ls` and `find` share: the same listing, asked for and printed alike, page by page.

import ArgumentParser
import Bytes
import JSON
import ReplClient

/// Of verbs that can wait until this node holds a version.
struct AtLeastOptions: ParsableArguments {
    @Option(help: "Wait until this node holds this version.") var atLeast: String?
    @Option(help: "How long to wait for that: 90s, 30m.") var timeout = "30s"

    /// The request with what it has to wait for.
    func request(_ path: [String], query: [(name: String, value: String?)], isLong: Bool = false)
        throws -> ClientRequest
    {
        guard let seconds = Moment.seconds(timeout) else {
            throw CommandFailure(.badInput, "\"\(timeout)\" is no time", hint: "write 90s, 30m or 2h")
        }
        let waits = atLeast.map { _ in "\(seconds)" }
        var request = ClientRequest(
            "GET", path, query: query + [("timeoutSeconds", waits)],
            timeoutSeconds: isLong ? nil : ClientRequest.timeoutSeconds(waiting: seconds))
        if let atLeast { request.headers.append(("Repl-At-Least", atLeast)) }
        return request
    }
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print the documents' values too.") var values = false
    @Flag(help: "Values in the typed view: kinds, conflicts, ids of elements.") var typed = false
    @Flag(help: "Print versions too.") var long = false
    @Flag(help: "Print keys and nothing else.") var keysOnly = false
    @Option(help: "At most so many documents.") var limit: Int?
    @Option(help: "key, or a path in the documents; - before it for descending.") var order: String?
    @Flag(help: "In descending order.") var desc = false
    @Flag(help: "From the other end.") var reverse = false
    @Option(help: "Only what is listed after this key.") var after: String?
    @Flag(help: "Say which index was used and how many documents were looked at.") var explain = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1") }
        if keysOnly, values || typed || long {
            throw ValidationError("--keys-only goes with none of --values, --typed and --long")
        }
    }

    /// Prints all pages.
    func list(
        _ space: String, prefix: String?, filter: String?, _ wait: AtLeastOptions, _ common: DaemonOptions
    ) async throws {
        var query: [(name: String, value: String?)] = [
            ("prefix", prefix), ("after", after), ("where", filter), ("order", orderParameter),
            ("reverse", reverse ? "true" : nil), ("values", typed ? "typed" : values ? "plain" : nil),
            ("explain", explain ? "true" : nil),
        ]
        var left = limit ?? .max
        var (cursor, lookedAt, index): (String?, Int64, String?) = (nil, 0, nil)
        repeat {
            let size = left < 1_000 ? "\(left)" : nil
            let request = try wait.request(
                ["spaces", space, "documents"], query: query + [("cursor", cursor), ("limit", size)],
                isLong: filter != nil || order != nil)
            let page = try await common.client.call(request).json()
            let documents = page.list("documents")
            try print(documents, asJSON: common.json)
            lookedAt += page["explain"]?.integer("lookedAt") ?? 0
            index = page["explain"]?.string("index")
            left -= documents.count
            let next = page.string("next")
            guard next == nil || next != cursor else {
                throw ClientError.malformed("a page that does not go on")
            }
            cursor = next
            // The cursor stands for all of it.
            query = query.filter { $0.name == "values" || $0.name == "explain" }
        } while cursor != nil && left > 0
        if explain { try tell(lookedAt: lookedAt, index, asJSON: common.json) }
    }

    private var orderParameter: String? {
        guard desc else { return order }
        guard let order else { return "-key" }
        return order.hasPrefix("-") ? String(order.dropFirst()) : "-" + order
    }

    private func print(_ documents: [PlainValue], asJSON: Bool) throws {
        let console = Console.current
        var text: [UInt8] = []
        for document in documents {
            let line =
                if asJSON {
                    keysOnly ? Self.json(["key"], of: document) : Self.json(nil, of: document)
                } else {
                    row(of: document)
                }
            text += console.isTerminal && !asJSON ? Array(console.safe(line).utf8) : Array(line.utf8)
            text.append(0x0A)
        }
        try console.write(text)
    }

    /// Key, version and value with two spaces between them, as far as they are wanted. Pages come one after
    /// another, so nothing is aligned.
    private func row(of document: PlainValue) -> String {
        var cells = [document.string("key") ?? ""]
        if long { cells.append(document.string("version") ?? "") }
        if let value = document["value"] {
            var json: [UInt8] = []
            CanonicalJSON.append(value, to: &json)
            cells.append(String(decoding: json, as: UTF8.self))
        }
        return cells.joined(separator: "  ")
    }

    private static func json(_ names: [Key]?, of document: PlainValue) -> String {
        var json = JSONWriter()
        if let names {
            json.object { json in
                for name in names {
                    guard let value = document[name] else { continue }
                    json.name(name.string)
                    json.plain(value)
                }
            }
        } else {
            json.plain(document)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func tell(lookedAt: Int64, _ index: String?, asJSON: Bool) throws {
        let console = Console.current
        guard asJSON else {
            let road = index.map { "by the index \($0)" } ?? "without an index"
            return console.complain("\(road), \(lookedAt) looked at")
        }
        var json = JSONWriter()
        json.object {
            $0.name("explain")
            $0.object {
                $0.member("index", orNull: index)
                $0.member("lookedAt", lookedAt)
            }
        }
        try console.writeLine(json.bytes)
    }
}

// Indexes that are declared on this node: added, listed, dropped.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Add, list and drop the indexes of a space on this node.",
        discussion: """
            With an index of a path, `find` and `ls` that compare it or order by it look at few documents \
            instead of all. Each node has its own; it is kept with every write, and built in the background.
            Examples:
              replctl index add household owners owner --prefix task/
              replctl find household task/ 'owner="anna"'
              replctl index ls household
            """,
        subcommands: [IndexAdd.self, IndexList.self, IndexDrop.self])
}

struct IndexAdd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Declare an index of what a path shows.",
        discussion: """
            It is built in the background and used when that is done: see `replctl index ls`, or let it \
            --wait. The same again changes nothing.
            Example: replctl index add household owners owner --prefix task/ --wait
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "1 to 64 letters, digits, . _ or -.") var name: String
    @Argument(help: "Keys and indexes: owner, items.0.name.") var path: String
    @Option(help: "Only documents whose keys begin with it.") var prefix: String?
    @Flag(help: "End when it is built.") var wait = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let path = try DottedPath(path)
        var body = JSONWriter()
        body.object {
            $0.name("path")
            path.write(to: &$0)
            if let prefix { $0.member("prefix", prefix) }
        }
        let request = ClientRequest("PUT", ["spaces", space, "indexes", name], body: body.bytes)
        var answer = try await common.client.call(request)
        let progress = ProgressLine(
            "indexing", total: nil, of: "document", console: console, isQuiet: common.json)
        defer { progress.finish() }
        var counted = 0
        while wait, try answer.json().string("state") != "ready" {
            let documents = Int(try answer.json().integer("documents") ?? 0)
            progress.advance(documents - counted)
            counted = documents
            try await Task.sleep(for: .milliseconds(300))
            // The same again changes nothing and says how far it is.
            answer = try await common.client.call(request)
        }
        progress.finish()
        if common.json { return try console.writeLine(answer.body) }
        let index = try answer.json()
        if index.string("state") == "ready" {
            let count = Counted.text(index.integer("documents") ?? 0, "document")
            try console.writeLine("\(console.safe(index.cell("name"))) is ready: \(count)")
        } else {
            try console.writeLine("\(console.safe(index.cell("name"))) is being built")
            console.complain("to see how far it is: replctl index ls \(console.safe(space))")
        }
    }
}

struct IndexList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the indexes of a space on this node.",
        discussion: """
            While an index is being built, DOCUMENTS says how many it has so far.
            Example: replctl index ls household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "indexes"])) { answer in
            var table = Table("NAME", "PATH", "PREFIX", "STATE", "DOCUMENTS", numbers: [4])
            for index in answer.list("indexes") {
                let path = index.list("path").map(Self.part).joined(separator: ".")
                table.row(
                    index.cell("name"), path, index.cell("prefix"), index.cell("state"),
                    index.cell("documents"))
            }
            try console.write(table)
        }
    }

    private static func part(_ step: PlainValue) -> String {
        switch step {
        case .scalar(.string(let key)): DottedPath.escaped(key.string)
        case .scalar(.integer(let index)): "\(index)"
        default: "?"
        }
    }
}

struct IndexDrop: Verb {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Drop an index; documents are not touched.",
        discussion: "Example: replctl index drop household owners")
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The index's name, from `index ls`.") var name: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("DELETE", ["spaces", space, "indexes", name])) { _ in
            try console.writeLine("dropped \(console.safe(name))")
        }
    }
}

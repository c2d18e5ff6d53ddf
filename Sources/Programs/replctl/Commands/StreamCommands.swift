// Long answers: the change stream, the log, exports; and the import that takes an export back.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct WatchCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes as they are committed, of this device and of others.",
        discussion: """
            Without --since it starts now. --since begin gives the current state first; --since CURSOR goes \
            on exactly after it (a cursor stands in each line of --json). With --where only \
            documents that match before or after a change: + begins to match, - does not match any more. \
            Comparisons are those of replctl find, joined by and.
            Examples:
              replctl watch household note/
              replctl watch household --where 'done=false and qty>=3'
              replctl watch household --since begin --json
              replctl watch household note/ --state note.cursor --exec ./on-change

            With --exec a command is run for each change, one at a time, with the change's JSON (a line of \
            --json) on its standard input. If it fails, it is run again on the same change, after 1 s, 2 s, \
            4 s, up to a minute, until its exit code is 0. --state keeps in a file up to where it succeeded, \
            and the next start goes on from there; a command that was interrupted then runs again. So a \
            command may get a change twice, and must bear it; none is left out. Without --state a start \
            begins now, or where --since says; with it, --since counts at the first start only.
            A change that is not told any more (the file is older than what the daemon kept, or its state \
            was put back) is announced by {"resync":true}, and all documents follow as with --since begin.
            --exec takes all words behind it. --state FILE and --socket PATH may be the last ones; after \
            --exec -- they too are the command's. The command finds the daemon's socket in REPL_SOCKET.
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "What the keys begin with.") var prefix: String?
    @Option(help: "begin, or a cursor.") var since: String?
    @Option(name: .customLong("where"), help: "Only documents that match.") var filter: String?
    @Flag(inversion: .prefixedNo, help: "Stay for what comes, or end after what is held.") var follow = true
    @Flag(name: .customLong("utf16"), help: "Splices of texts count UTF-16 units.") var countsUTF16 = false
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("Keep there up to where the command of --exec succeeded.", valueName: "file"),
        completion: .file())
    var stateFile: String?
    @Option(
        name: .customLong("exec"), parsing: .remaining,
        help: ArgumentHelp("Run this for each change. Stands last.", valueName: "command"),
        completion: .file())
    var command: [String] = []
    @OptionGroup var common: DaemonOptions

    func validate() throws {
        guard stateFile == nil || !command.isEmpty else {
            throw ValidationError("--state is for --exec; without it, take the cursors of --json")
        }
    }

    func run() async throws {
        try await FilterTerms.pointing(at: filter ?? "") {
            if command.isEmpty { try await print(request(since: since)) } else { try await runCommand() }
        }
    }

    private func request(since: String?) -> ClientRequest {
        ClientRequest(
            "GET", ["spaces", space, "changes"],
            query: [
                ("since", since), ("prefix", prefix), ("where", filter), ("follow", follow ? nil : "false"),
                ("units", countsUTF16 ? "utf16" : nil),
            ])
    }

    private func runCommand() async throws {
        let line = try HookWords(command, state: stateFile, socket: common.socket)
        let client = line.socket.map { ReplClient(socket: $0) } ?? common.client
        let subject = CursorFile.Subject(space: space, prefix: prefix ?? "", filter: filter ?? "")
        var file: CursorFile?
        if let path = line.state {
            file = try await CursorFile(path, of: subject) {
                console.complain(
                    "replctl: \(console.safe(path)) is in use by another replctl watch, or by a command that "
                        + "one left running; waiting for it")
            }
        }
        let hook = try Hook(line.command, socket: client.socket, inheriting: file?.lock, console)
        var watch = HookedWatch(
            hook, file: file, since: since, follow: follow, client: client, console
        ) { request(since: $0) }
        try await watch.run()
    }

    private func print(_ request: ClientRequest) async throws {
        let cursor = try await common.client.stream(request) { stream in
            var cursor: String?
            // An empty line is a sign of life.
            for try await line in stream.lines where !line.isEmpty {
                let value = try ClientAnswer.json(line)
                if let refusal = ClientError.Refusal(value, status: 200) {
                    throw CommandFailure(.failed, refusal.message, hint: refusal.hint, name: refusal.code)
                }
                cursor = value.string("cursor") ?? cursor
                if common.json { try console.writeLine(line) } else { try show(value) }
            }
            return cursor
        }
        guard !follow else {
            throw CommandFailure(
                .failed, "the daemon ended the stream",
                hint: cursor.map { "go on with --since \($0)" } ?? "", name: "stream-ended")
        }
    }

    private func show(_ value: PlainValue) throws {
        for line in PatchText.lines(of: value) { try console.writeLine(line) }
    }
}

struct LogCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the changes that this node holds, in the order in which it committed them.",
        discussion: """
            A change that is void or skipped stays in the log and has no effect on documents. Where old \
            changes were forgotten, the first line says so.
            Example: replctl log household --document note/1
            """)
    @Argument(help: "Name or id.") var space: String
    @Option(help: "Only changes after this one.") var after: String?
    @Option(help: "Only changes of this document.") var document: String?
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = try wait.request(
            ["spaces", space, "log"], query: [("after", after), ("document", document)])
        try await common.client.stream(request) { stream in
            for try await line in stream.lines where !line.isEmpty {
                if common.json { try console.writeLine(line) } else { try show(try ClientAnswer.json(line)) }
            }
        }
    }

    /// Its name; with `--wide` the device too.
    private func author(of change: PlainValue) -> String {
        let name = console.safe(DeviceText.name(change["author"], isWide: common.wide))
        return common.wide ? name : Wrapped.cut(name, to: 20)
    }

    /// Columns have the widths of their contents: times, ids and states are as long as they are.
    private func show(_ change: PlainValue) throws {
        if let line = CheckpointText.collected(change, isWide: common.wide) {
            return try console.writeLine(line)
        }
        let time = change.integer("timestamp").map { Moment.text(milliseconds: $0) } ?? "-"
        var count: Int64 = 0
        if let first = change.integer("first"), let last = change.integer("last"), first > 0, last >= first {
            count = last - first + 1
        }
        let status = change.cell("status")
        let shown = status == "executed" ? status : console.painted(status, .yellow)
        try console.writeLine(
            "\(time)  \(author(of: change))  \(change.cell("change"))  \(Counted.text(count, "op"))  \(shown)"
        )
    }
}

struct ExportCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all documents of a space, one JSON object a line.",
        discussion: """
            The export is canonical: nodes that hold the same changes print the same bytes. With --typed it \
            can be imported with kinds kept.
            Examples:
              replctl export household --typed > household.ndjson
              replctl export household --prefix note/
            """)
    @Argument(help: "Name or id.") var space: String
    @Flag(help: "The typed view, which import takes.") var typed = false
    @Option(help: "Only documents whose keys begin with this.") var prefix: String?
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = try wait.request(
            ["spaces", space, "export"], query: [("view", typed ? "typed" : nil), ("prefix", prefix)],
            isLong: true)
        // Lines that scroll by are progress enough.
        let progress = ProgressLine(
            "exporting", total: nil, console: console, isQuiet: common.json || console.isTerminal)
        defer { progress.finish() }
        try await common.client.stream(request) { stream in
            if console.isTerminal {
                for try await line in stream.lines {
                    try console.writeLine(Printable.json(String(decoding: line, as: UTF8.self)))
                }
            } else {
                for try await piece in stream.pieces {
                    try console.write(piece)
                    progress.advance(piece.count)
                }
            }
        }
    }
}

struct ImportCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take documents from standard input: lines of a typed export.",
        discussion: """
            Each document becomes as its line says; one that is so already does not change, so an import can \
            be repeated. A line is one transaction: when one is refused, the documents of the lines before \
            it stay restored, and the error names the line.
            Example: replctl import household < household.ndjson
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let input = console.input
        let progress = ProgressLine(
            "importing", total: fileSize(of: input), console: console, isQuiet: common.json)
        defer { progress.finish() }
        let request = ClientRequest("POST", ["spaces", space, "import"], timeoutSeconds: nil)
        let answer = try await common.client.call(request) { body in
            for try await piece in DescriptorBytes(input) {
                try await body.send(piece)
                progress.advance(piece.count)
            }
        }
        progress.finish()
        if common.json { return try console.writeLine(answer.body) }
        let count = try answer.json().integer("documents") ?? 0
        try console.writeLine("\(count) document\(count == 1 ? "" : "s") imported")
    }
}

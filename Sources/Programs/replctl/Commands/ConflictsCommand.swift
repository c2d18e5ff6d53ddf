// conflicts and resolve: values that lost to a concurrent one and can still be read, and which of them stays.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ConflictsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List what two wrote at the same time: the value that shows, and those that lost to it.",
        discussion: """
            TAKE is the number that `replctl resolve` takes; 0 is the value that shows. A conflict is gone \
            too when its place is written again.
            Examples:
              replctl conflicts household
              replctl conflicts household note/groceries
              replctl conflicts household --prefix note/
            With --json a line for each place: {"document","path","shown","others":[…]}.
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "Only this document.") var key: String?
    @Option(help: "Only documents whose keys begin with it.") var prefix: String?
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var table = Table("KEY", "PATH", "TAKE", "VALUE", "BY", "WRITTEN")
        var isEmpty = true
        var after: String?
        repeat {
            let request = try wait.request(
                ["spaces", space, "conflicts"],
                query: [("document", key), ("prefix", prefix), ("after", after)], isLong: true)
            let page = try await common.client.call(request).json()
            for conflict in page.list("conflicts") {
                isEmpty = false
                if common.json {
                    try console.writeLine(PrettyJSON.compact(conflict))
                } else {
                    Self.add(conflict, to: &table)
                }
            }
            let next = page.string("next")
            guard next == nil || next != after else {
                throw ClientError.malformed("a page that does not go on")
            }
            after = next
        } while after != nil
        if common.json { return }
        guard !isEmpty else { return console.complain("no conflicts") }
        try console.write(table)
    }

    /// A row for each value; key and path stand in the first.
    static func add(_ conflict: PlainValue, to table: inout Table) {
        let path = PatchText.dotted(conflict.list("path"))
        let shown = conflict["shown"].map { [$0] } ?? []
        for (number, candidate) in (shown + conflict.list("others")).enumerated() {
            table.row(
                number == 0 ? conflict.cell("document") : "", number == 0 ? path : "",
                number == 0 ? "0 (shows)" : "\(number)", short(candidate), author(candidate),
                candidate.integer("timestamp").map { Moment.text(milliseconds: $0) } ?? "-")
        }
    }

    private static func author(_ candidate: PlainValue) -> String {
        guard let author = candidate["author"] else { return "-" }
        let name = author.string("name") ?? ""
        return name.isEmpty ? author.cell("device") : name
    }

    /// A value in a cell; of a container its kind too.
    static func short(_ candidate: PlainValue) -> String {
        let value = PrettyJSON.compact(candidate["value"] ?? .scalar(.null))
        let kind = candidate.string("kind") ?? "register"
        let text = kind == "register" ? value : "\(kind) \(value)"
        return text.unicodeScalars.count <= 40
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(39))) + "…"
    }
}

struct ResolveCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "End a conflict: one of its values stays, or another is written.",
        discussion: """
            Examples:
              replctl resolve household note/1 title --take 1      the one that `replctl conflicts` numbers so
              replctl resolve household note/1 title --take 0      the one that shows
              replctl resolve household note/1 title --value Groceries
            """)
    @OptionGroup var place: PlaceArguments
    @Option(help: "The number of the value that stays, as `replctl conflicts` shows it; 0 shows now.")
    var take: UInt32?
    @Option(help: "Another value: JSON, or a string when it is not; @FILE is the text of a file.")
    var value: String?
    @Option(help: "Only if the document has not changed since it was read.") var ifVersion: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        guard (take == nil) != (value == nil) else {
            throw CommandFailure(
                .badInput, "say which value stays: --take N or --value VALUE",
                hint: "see: replctl conflicts \(ShellWord.quoted(place.space)) \(ShellWord.quoted(place.key))"
            )
        }
        let path = try DottedPath(place.path)
        let written = try value.map { try ValueText.read($0, console) }
        var body = JSONWriter()
        body.object {
            $0.member("document", place.key)
            $0.name("path")
            path.write(to: &$0)
            if let take { $0.member("take", take) }
            if let written {
                $0.name("value")
                $0.plain(written)
            }
            if let ifVersion { $0.member("version", ifVersion) }
        }
        let request = ClientRequest("POST", ["spaces", place.space, "conflicts:resolve"], body: body.bytes)
        let answer = try await common.client.call(request)
        if common.json { return try console.writeLine(answer.body) }
        if let change = try answer.json().string("change") {
            try console.writeLine(change)
        } else {
            console.complain("nothing changed")
        }
    }
}

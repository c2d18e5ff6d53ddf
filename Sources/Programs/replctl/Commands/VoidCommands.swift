// What is held and has no effect: void, which lists it, and adopt, which makes it again.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct VoidCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "void", abstract: "List changes that are held and have no effect, and why.",
        discussion: """
            What a member wrote that was removed, or lost its right, before anybody else had it \
            (removed, demoted, not-admitted); what stands behind the place where a log was written in two \
            ways (forked); what came too late for a checkpoint (late); what is against the rules (invalid). \
            Nothing of it is deleted.
            Examples:
              replctl void household
              replctl void household --cause removed --member TXCWM6Y
            """)
    @Argument(help: "Name or id.") var space: String
    @Option(help: "Only this cause: removed, demoted, not-admitted, forked, late, invalid.")
    var cause: String?
    @Option(
        help: """
            Only of this member: its name, or device id, or the first 7 letters of that or more; who is out \
            of the space is named by its id.
            """)
    var member: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = ClientRequest(
            "GET", ["spaces", space, "void"], query: [("cause", cause), ("member", member)])
        var table = Table("CHANGE", "BY", "CAUSE", "WRITTEN", "ADOPTED", "DOCUMENTS", whole: [0])
        let isWide = common.wide
        let rows = try await common.client.stream(request) { stream in
            var rows: [[String]] = []
            for try await line in stream.lines where !line.isEmpty {
                if common.json {
                    try console.writeLine(line)
                } else {
                    rows.append(Self.row(try ClientAnswer.json(line), isWide: isWide))
                }
            }
            return rows
        }
        if common.json { return }
        guard !rows.isEmpty else { return console.complain("nothing is void") }
        for row in rows { table.row(row) }
        try console.write(table, isWide: isWide)
    }

    private static func row(_ change: PlainValue, isWide: Bool) -> [String] {
        let documents = change.list("documents").map { document -> String in
            if case .scalar(.string(let key)) = document { key.string } else { "?" }
        }
        let isElsewhere = change["adoptedElsewhere"] == .scalar(.bool(true))
        return [
            change.cell("change"), DeviceText.name(change["author"], isWide: isWide), change.cell("cause"),
            change.integer("timestamp").map { Moment.text(milliseconds: $0) } ?? "-",
            change.string("adopted") != nil ? "yes" : isElsewhere ? "elsewhere" : "no",
            documents.joined(separator: " "),
        ]
    }
}

struct AdoptCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "adopt", abstract: "Make changes again that have no effect, in changes of this device.",
        discussion: """
            Each is merged into what is here: what it adds is added where it was, a value is written unless \
            what shows is newer, a deletion is made where it takes nothing that its author had not seen. \
            What was adopted here before is passed over; what another device adopted is made again all the \
            same, so ask the others first: replctl void shows it. The changes stay listed.
            Examples:
              replctl adopt household 5c146500ec6724dc975ce973f6348bcc:7
              replctl adopt household --member TXCWM6Y
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "Changes, as replctl void lists them.") var changes: [String] = []
    @Option(help: "All of this member, removed ones too: device id, or its first 7 letters or more.")
    var member: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        guard changes.isEmpty != (member == nil) else {
            throw CommandFailure(
                .badInput, "say what to adopt: changes, or --member MEMBER",
                hint: "see: replctl void \(ShellWord.quoted(space))")
        }
        var body = JSONWriter()
        body.object {
            if let member { return $0.member("member", member) }
            $0.name("changes")
            $0.array(changes) { $0.string($1) }
        }
        let request = ClientRequest(
            "POST", ["spaces", space, "void:adopt"], body: body.bytes, timeoutSeconds: nil)
        let answer = try await common.client.call(request)
        if common.json { return try console.writeLine(answer.body) }
        let value = try answer.json()
        try console.writeLine("adopted \(Counted.text(value.integer("adopted") ?? 0, "change"))")
        let elsewhere = value.list("elsewhere").count
        if elsewhere > 0 {
            console.complain(
                "\(Counted.text(Int64(elsewhere), "change")) had been adopted by another device too: look "
                    + "for what is there twice")
        }
        for skip in value.list("skipped") {
            console.complain("\(skip.cell("change")): \(Self.words(skip.cell("why")))")
        }
    }

    private static func words(_ why: String) -> String {
        switch why {
        case "adopted": "adopted here before"
        case "not-held": "not held here"
        case "not-void": "it counts"
        case "invalid": "invalid, for ever"
        case "newer-version": "of a newer version of repld"
        case "adoption": "it adopts another change: adopt that one"
        case "issued-again": "its device wrote it again"
        case "incomplete": "a document of it is incomplete here"
        case "too-large": "it would be larger than a change may be"
        case "nothing-left": "nothing of it is left to be made"
        case "newer": "not adopted: what shows is newer"
        case "unseen": "not adopted: it would delete what its author had not seen"
        case "gone": "not adopted: the place that it writes into is gone"
        case "partly-newer": "partly adopted: elsewhere what shows is newer"
        case "partly-unseen": "partly adopted: it would delete what its author had not seen"
        case "partly-gone": "partly adopted: a place that it writes into is gone"
        default: why
        }
    }
}

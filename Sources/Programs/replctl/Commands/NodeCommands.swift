// What a person looks at first: the node, its peers, its spaces.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct StatusCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the node, its spaces and what needs attention.")
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["status"])) { answer in
            let spaces = answer.list("spaces")
            let listening = answer.list("listening").compactMap(\.text).joined(separator: ", ")
            let offset = answer["clock"]?.integer("offsetMs").map { "\($0) ms off the peers' at most" }
            try console.write(
                Table.pairs([
                    ("device", answer.cell("device")), ("name", answer.cell("name")),
                    ("version", answer.cell("version")),
                    ("listening", listening.isEmpty ? "-" : listening), ("links", answer.cell("links")),
                    ("clock", offset ?? "no peer to compare with"), ("discovery", Self.discovery(answer)),
                    ("spaces", "\(spaces.count)"),
                ]))
            if !spaces.isEmpty {
                try console.write("\n")
                try console.write(SpacesCommand.table(spaces))
            }
            for alarm in answer.list("alarms") {
                let since = alarm.integer("since").map { " since \(Moment.text(milliseconds: $0))" } ?? ""
                try console.write(
                    "\n" + console.painted("ALARM \(alarm.cell("code"))", .red) + since + ": "
                        + console.safe(alarm.cell("message")) + "\n  " + console.safe(alarm.cell("hint"))
                        + "\n")
            }
        }
    }
}

extension StatusCommand {
    /// Whether beacons are heard, how many were heard and sent, and what is wrong with them.
    static func discovery(_ status: PlainValue) -> String {
        guard let discovery = status["discovery"] else { return "-" }
        let problems = discovery.list("problems").compactMap(\.text)
        let isListening = discovery.bool("listening") ?? false
        guard isListening || !problems.isEmpty else { return "off" }
        var text = isListening ? "on" : "not listening"
        text += ", \(discovery.cell("heard")) beacons heard, \(discovery.cell("sent")) sent"
        if let unsent = discovery["dropped"]?.integer("unsent"), unsent > 0 { text += ", \(unsent) not sent" }
        return ([text] + problems).joined(separator: "; ")
    }
}

struct ReloadCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the daemon read its config file again.",
        discussion: "Says for each setting that differs whether it was applied or needs a restart.")
    @Flag(help: "Only say what would become of it.") var check = false
    @Flag(help: "Say nothing when it went well; the daemon's log tells it too.") var quiet = false
    @OptionGroup var common: DaemonOptions

    static func request(isCheck: Bool) -> ClientRequest {
        ClientRequest("POST", ["reload"], query: isCheck ? [("check", "true")] : [])
    }

    func run() async throws {
        let request = Self.request(isCheck: check)
        if quiet {
            _ = try await common.client.call(request)
            return
        }
        try await ask(request) { answer in
            let keys = { (name: Key) in answer.list(name).compactMap(\.text) }
            let applied = check ? "would be applied" : "applied"
            for key in keys("applied") { try console.writeLine("\(console.safe(key))  \(applied)") }
            for key in keys("needsRestart") { try console.writeLine("\(console.safe(key))  needs a restart") }
            if keys("applied").isEmpty && keys("needsRestart").isEmpty { console.complain("nothing changed") }
        }
    }
}

struct SpacesCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "spaces", abstract: "List the spaces that this node holds.")
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces"])) { answer in
            let spaces = answer.list("spaces")
            guard !spaces.isEmpty else {
                return console.complain("no spaces: replctl space create NAME, or replctl join TOKEN")
            }
            try console.write(Self.table(spaces))
        }
    }

    static func table(_ spaces: [PlainValue]) -> Table {
        var table = Table("NAME", "ROLE", "MEMBERS", "DOCUMENTS", "ID", numbers: [2, 3])
        for space in spaces {
            table.row(
                space.cell("name"), space.cell("role"), space.cell("members"), space.cell("documents"),
                space.cell("id"))
        }
        return table
    }
}

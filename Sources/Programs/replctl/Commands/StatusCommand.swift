// status: in sync or not, then the node, its spaces, and what needs attention.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct StatusCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the node is in sync, its spaces and what needs attention.")
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let answer = try await common.client.call(ClientRequest("GET", ["status"]))
        if common.json { return try console.writeLine(answer.body) }
        let status = try answer.json()
        let peers = try await common.client.call(ClientRequest("GET", ["peers"])).json()
        try show(status, peers)
    }

    private func show(_ status: PlainValue, _ peers: PlainValue) throws {
        let limit = common.wide ? Int.max : Table.narrowWidth
        if let sync = SyncText(status: status, peers: peers) {
            let state = status["sync"]?.string("state")
            let paint: Console.Paint = state == "up-to-date" ? .green : .yellow
            try console.write(console.painted(sync.line(limit: limit), paint) + "\n\n")
        }
        let spaces = status.list("spaces")
        let listening = status.list("listening").compactMap(\.text).joined(separator: ", ")
        let offset = status["clock"]?.integer("offsetMs").map { "\($0) ms off the peers' at most" }
        let folder = SyncFolderText(status: status).map { [("sync folder", $0.line)] } ?? []
        try console.write(
            Table.pairs(
                [
                    ("device", status.cell("device")), ("name", status.cell("name")),
                    ("version", status.cell("version")),
                    ("listening", listening.isEmpty ? "-" : listening), ("links", status.cell("links")),
                    ("clock", offset ?? "no peer to compare with"), ("discovery", Self.discovery(status)),
                    ("spaces", "\(spaces.count)"),
                ] + folder, limit: limit))
        if !spaces.isEmpty {
            try console.write("\n")
            try console.write(
                SpacesCommand.table(spaces, isWide: common.wide), isWide: common.wide, limit: limit)
        }
        for line in CheckpointText.bootstraps(status) {
            try console.write("\n" + Wrapped.text(line, to: limit, indent: 2) + "\n")
        }
        for alarm in status.list("alarms") { try show(alarm: alarm, limit) }
    }

    private func show(alarm: PlainValue, _ limit: Int) throws {
        let since = alarm.integer("since").map { " since \(Moment.text(milliseconds: $0))" } ?? ""
        let message = Wrapped.text(
            "ALARM \(alarm.cell("code"))\(since): \(console.safe(alarm.cell("message")))", to: limit,
            indent: 2)
        let code = "ALARM \(alarm.cell("code"))"
        try console.write("\n" + console.painted(code, .red) + message.dropFirst(code.count) + "\n")
        let hint = Wrapped.text(console.safe(alarm.cell("hint")), to: limit, indent: 2)
        try console.write("  " + hint + "\n")
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
        text += ", \(Counted.text(discovery.integer("heard") ?? 0, "beacon")) heard, "
        text += "\(discovery.cell("sent")) sent"
        if let unsent = discovery["dropped"]?.integer("unsent"), unsent > 0 { text += ", \(unsent) not sent" }
        return ([text] + problems).joined(separator: "; ")
    }
}

// explain: where something stands and why it is not there yet, here and at each peer.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ExplainCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say where a change or a document stands, and why it is not there yet.",
        discussion: """
            WHAT is a document's key, or a change as a write prints it: <replica>:<sequence>. Shown are this \
            node, the changes that it is about, and each other member: whether it has them on its disk, and \
            if not what keeps them.
            Examples:
              replctl explain household note/groceries
              replctl explain household "$(replctl set household note/1 done=true)" --peer attic
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "A key, or a change.") var what: String
    @Option(help: ArgumentHelp("Only this member: its name or device id.", valueName: "member")) var peer:
        String?
    @Flag(help: "WHAT is a key, although it looks like a change.") var key = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let isChange = !key && Self.isChange(what)
        var device: String?
        if let peer { device = try await self.device(of: peer) }
        let request = ClientRequest(
            "GET", ["spaces", space, "explain"],
            query: [(isChange ? "change" : "key", what), ("peer", device)])
        try await ask(request, show: show)
    }

    /// 32 hexadecimal digits, a colon and a number.
    static func isChange(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 32 && !parts[1].isEmpty
            && parts[0].utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
            && parts[1].utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// The device of the one member that has this name; what is no member's name is taken as a device id.
    private func device(of member: String) async throws -> String {
        let answer = try await common.client.call(ClientRequest("GET", ["spaces", space, "members"])).json()
        let named = answer.list("members").filter { $0.string("name") == member }
        guard named.count < 2 else {
            throw CommandFailure(
                .badInput, "\(named.count) members are named \(member)",
                hint: "name the device; see: replctl space members \(space)")
        }
        return named.first?.string("device") ?? member
    }

    private func show(_ answer: PlainValue) throws {
        let here = answer["here"]
        let reason = here?.cell("reason") ?? "-"
        let paint: Console.Paint = Self.fine.contains(reason) ? .green : .yellow
        try console.writeLine(
            "here: \(console.painted(reason, paint)): \(console.safe(here?.cell("message") ?? "-"))")
        // Of a change the line above has said it all.
        if answer["key"] != nil, !answer.list("changes").isEmpty {
            var changes = Table("CHANGE", "REASON", "WHY")
            for change in answer.list("changes") {
                changes.row(change.cell("change"), change.cell("reason"), change.cell("message"))
            }
            try console.write("\n")
            try console.write(changes)
        }
        if let omitted = answer.integer("omitted"), omitted > 0 {
            try console.writeLine("and \(omitted) more changes")
        }
        guard !answer.list("peers").isEmpty else { return }
        var peers = Table("MEMBER", "HELD", "REASON", "WHY")
        for peer in answer.list("peers") {
            let held = peer.bool("held").map { $0 ? "yes" : "no" } ?? "?"
            peers.row(peer.cell("name"), held, peer.cell("reason"), peer.cell("message"))
        }
        try console.write("\n")
        try console.write(peers)
    }

    private static let fine: Set<String> = ["executed", "shown"]
}

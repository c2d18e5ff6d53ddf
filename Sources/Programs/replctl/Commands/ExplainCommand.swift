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
    @Option(
        help: ArgumentHelp(
            "Only this member: its name, device id, or its first letters.", valueName: "member")) var peer:
        String?
    @Flag(help: "WHAT is a key, although it looks like a change.") var key = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let isChange = !key && Self.isChange(what)
        let request = ClientRequest(
            "GET", ["spaces", space, "explain"],
            query: [(isChange ? "change" : "key", what), ("peer", peer)])
        try await ask(request, show: show)
    }

    /// 32 hexadecimal digits, a colon and a number.
    static func isChange(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 32 && !parts[1].isEmpty
            && parts[0].utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
            && parts[1].utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    private func show(_ answer: PlainValue) throws {
        let here = answer["here"]
        let reason = here?.cell("reason") ?? "-"
        let paint: Console.Paint = Self.fine.contains(reason) ? .green : .yellow
        try console.writeLine(
            "here: \(console.painted(reason, paint)): \(console.safe(here?.cell("message") ?? "-"))")
        // Of a change the line above has said it all.
        if answer["key"] != nil, !answer.list("changes").isEmpty {
            var changes = Table("CHANGE", "REASON", "WHY", whole: [0, 1])
            for change in answer.list("changes") {
                changes.row(change.cell("change"), change.cell("reason"), change.cell("message"))
            }
            try console.write("\n")
            try console.write(changes, isWide: common.wide)
        }
        if let omitted = answer.integer("omitted"), omitted > 0 {
            try console.writeLine("and \(omitted) more \(omitted == 1 ? "change" : "changes")")
        }
        guard !answer.list("peers").isEmpty else { return }
        var peers = Table("MEMBER", "ID", "HELD", "REASON", "WHY", whole: [1, 2, 3])
        for peer in answer.list("peers") {
            let held = peer.bool("held").map { $0 ? "yes" : "no" } ?? "?"
            peers.row(
                peer.cell("name"), DeviceText.id(peer.string("device"), isWide: common.wide), held,
                peer.cell("reason"), peer.cell("message"))
        }
        try console.write("\n")
        try console.write(peers, isWide: common.wide)
    }

    private static let fine: Set<String> = ["executed", "shown"]
}

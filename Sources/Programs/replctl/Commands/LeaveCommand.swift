// leave: the one verb that removes what this device holds. The daemon refuses it while something would be
// lost; here a person is told what goes, and asked.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct SpaceLeave: Verb {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a space: this device stops being a member of it.",
        discussion: """
            Removes the space's documents from this device. Refused (4) while something would be lost: when \
            no other member holds the documents, when this is the only admin, and when changes made here \
            are not known to be at another member; --force leaves all the same. On a terminal it asks \
            first; a script says --yes.
            Example: replctl space leave household --yes
            """)
    @Argument(help: "Name or id.") var space: String
    @Flag(help: "Also when something is lost by it.") var force = false
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await confirmation.ask("leave", console) { try await consequence() }
        let request = ClientRequest("DELETE", ["spaces", space], query: [("force", force ? "true" : nil)])
        try await ask(request) { _ in try console.writeLine("left \(console.safe(space))") }
    }

    /// What a person is told before.
    private func consequence() async throws -> String {
        let report = try await common.client.call(ClientRequest("GET", ["spaces", space])).json()
        let members = (report.integer("members") ?? 1) - 1
        let documents = Counted.text(report.integer("documents") ?? 0, "document")
        return """
            leaving \(report.cell("name")) removes its \(documents) from this \
            device; other members: \(members)\(force ? "; what only this device holds is lost" : "")
            """
    }
}

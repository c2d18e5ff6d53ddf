// What does not count, and why: logs that went on in two ways, changes that are not executed.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ForksCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "forks", abstract: "List the logs of a space that were written in two ways.",
        discussion: """
            A copied or restored box wrote one log twice. From CLOSED AT on nothing of it counts; what is \
            held stays readable with `replctl log`, and the box that wrote it issues it again by itself.
            Example: replctl forks household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "forks"])) { answer in
            let isWide = common.wide
            let log = { (id: String) in isWide || id == "-" ? id : String(id.prefix(8)) }
            var table = Table("LOG", "NAME", "CLOSED AT", "SINCE", "HELD", "ISSUED AGAIN IN", whole: [0])
            for fork in answer.list("forks") {
                let since = fork.integer("since").map { Moment.text(milliseconds: $0) } ?? "-"
                let branch = fork["branch"]
                let held =
                    branch?.integer("first") == nil
                    ? "-" : "\(branch?.cell("first") ?? "")-\(branch?.cell("last") ?? "")"
                let isWhole = branch?["reissued"] == .scalar(.bool(true))
                let again = branch?.cell("reissuedIn") ?? "-"
                table.row(
                    log(fork.cell("replica")), fork.cell("name"), fork.cell("closedAt"), since, held,
                    isWhole || again == "-" ? log(again) : "\(log(again)) (not yet)")
            }
            try console.write(table, isWide: common.wide)
        }
    }
}

struct QuarantineCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "List changes that this node holds and does not execute.",
        discussion: """
            A change is quarantined when the node crashed twice while it executed it; a change of a newer \
            version waits for the upgrade. Their documents take no writes here until then. One that touches \
            a document that cannot be read any more is unreadable: look at the disk.
            Example: replctl quarantine household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "quarantine"])) { answer in
            var table = Table("CHANGE", "REASON", "SINCE", "DOCUMENTS", whole: [0])
            for change in answer.list("changes") {
                let since = change.integer("since").map { Moment.text(milliseconds: $0) } ?? "-"
                let documents = change.list("documents").map { document -> String in
                    if case .scalar(.string(let key)) = document { key.string } else { "?" }
                }
                table.row(
                    change.cell("change"), change.cell("reason"), since, documents.joined(separator: " "))
            }
            try console.write(table, isWide: common.wide)
        }
    }
}

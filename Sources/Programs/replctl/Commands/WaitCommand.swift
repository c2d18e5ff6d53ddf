// wait: until others have a change on their disks.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct WaitCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until devices hold a change on disk; all active members by default.",
        discussion: """
            CHANGE is what a write prints. When the time runs out the exit code is 5, and the table shows \
            who lacks it.
            Example: replctl wait household "$(replctl set household note/1 done=true)" --timeout 5m
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "<replica>:<sequence>.") var change: String
    @Option(help: ArgumentHelp("Only for this member; may be repeated.", valueName: "member")) var on:
        [String] = []
    @Option(help: "How long: 90s, 30m, 2h.") var timeout = "60s"
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        guard let seconds = Moment.seconds(timeout) else {
            throw CommandFailure(.badInput, "\"\(timeout)\" is no time", hint: "write 90s, 30m or 2h")
        }
        let request = ClientRequest(
            "GET", ["spaces", space, "wait"],
            query: [("change", change), ("timeoutSeconds", "\(seconds)")] + on.map { ("on", $0) },
            timeoutSeconds: ClientRequest.timeoutSeconds(waiting: seconds))
        do {
            try await ask(request, show: show)
        } catch let error as ClientError {
            // A wait that ran out says who holds it all the same.
            if case .refused(let refusal, let body) = error, refusal.status == 408 {
                if common.json { try console.writeLine(body) } else { try show(try ClientAnswer.json(body)) }
            }
            throw error
        }
    }

    private func show(_ answer: PlainValue) throws {
        let isWide = common.wide
        var table = Table("NAME", isWide ? "DEVICE" : "ID", "HELD", whole: [1, 2])
        for holder in answer.list("on") {
            table.row(
                holder.cell("name"), DeviceText.id(holder.string("device"), isWide: isWide),
                holder.bool("held") == true ? "yes" : "no")
        }
        if !table.rows.isEmpty { try console.write(table, isWide: isWide) }
    }
}

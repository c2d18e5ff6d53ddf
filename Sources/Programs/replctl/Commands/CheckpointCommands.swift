// Checkpoints of a space: what stands and whom it waits for, one now, and forgetting what may be forgotten.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct SpaceCheckpoints: Verb {
    static let configuration = CommandConfiguration(
        commandName: "checkpoints",
        abstract: "The checkpoints of a space, how much log is kept, and who holds that back.",
        discussion: """
            Admins propose checkpoints. One stands when every member that it requires \
            has acknowledged it; then boxes may forget what the one before it held of the log. SEEN is when \
            a member that it waits for was heard last. With --wide: whole ids and versions.
            Example: replctl space checkpoints household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "checkpoints"])) { answer in
            let text = CheckpointText(answer, isWide: common.wide)
            try console.write(Table.pairs(text.pairs, limit: common.wide ? nil : Table.standardWidth))
            let members = text.members
            if members.rows.isEmpty { return }
            try console.write("\n")
            try console.write(members, isWide: common.wide)
        }
    }
}

struct SpaceCheckpoint: Verb {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint", abstract: "Propose a checkpoint now.",
        discussion: """
            For admins. Every other member that reads must acknowledge it, except those named with --absent \
            (without it those that were not seen for absent-after, of the config), which must be fewer than \
            half. What an absent member wrote in the meantime is adopted by its own box when it comes back. \
            Your own open checkpoint is replaced by one with other absent members.
            Examples:
              replctl space checkpoint household
              replctl space checkpoint household --absent phone tablet
            """)
    @Argument(help: "Name or id.") var space: String
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Members that are not waited for: name, device id, or its first 7 letters or more.",
            valueName: "member"))
    var absent: [String] = []
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var body = JSONWriter()
        body.object {
            if absent.isEmpty { return }
            $0.name("absent")
            $0.array(absent) { $0.string($1) }
        }
        let request = ClientRequest("POST", ["spaces", space, "checkpoints"], body: body.bytes)
        try await ask(request) { answer in
            try console.writeLine(
                "proposed checkpoint \(CheckpointText.id(answer.string("id"), isWide: common.wide))")
            console.complain(
                "it stands when its members have acknowledged it; see: replctl space checkpoints "
                    + console.safe(ShellWord.quoted(space)))
        }
    }
}

struct SpaceCollect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "collect", abstract: "Forget now what may be forgotten of the log, on this box.",
        discussion: """
            A box does so by itself when it has time. What retain-history of the config keeps stays, and \
            documents do not change. The database file is smaller within a minute.
            Example: replctl space collect household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = ClientRequest("POST", ["spaces", space, "collect"], timeoutSeconds: nil)
        try await ask(request) { answer in
            let (bytes, changes) = (answer.integer("bytes") ?? 0, answer.integer("changes") ?? 0)
            guard bytes > 0 || changes > 0 else {
                return console.complain(
                    "nothing may be forgotten now; see: replctl space checkpoints "
                        + console.safe(ShellWord.quoted(space)))
            }
            try console.writeLine(
                "forgot \(ProgressLine.size(bytes)) of log, \(Counted.text(changes, "change"))")
        }
    }
}

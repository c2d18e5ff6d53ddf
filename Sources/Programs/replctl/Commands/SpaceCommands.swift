// One space: made, looked at, shared, left.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct SpaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "space", abstract: "Make, show, share and leave a space.",
        discussion: """
            Examples:
              replctl space create household
              replctl space invite household --role writer --expires 1h
              replctl space members household
            """,
        subcommands: [
            SpaceCreate.self, SpaceShow.self, SpaceMembers.self, SpaceInvite.self, SpaceInvites.self,
            SpaceRevoke.self, SpaceRemove.self, SpaceRole.self, SpaceKeys.self, SpaceCheckpoints.self,
            SpaceCheckpoint.self, SpaceCollect.self, SpaceLeave.self,
        ])
}

struct SpaceCreate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a space; this device becomes its admin.")
    @Argument(help: "Lower-case letters, digits, and . _ - after the first; at most 64.") var name: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var body = JSONWriter()
        body.object { $0.member("name", name) }
        try await ask(ClientRequest("POST", ["spaces"], body: body.bytes)) { answer in
            try console.writeLine("created \(console.safe(answer.cell("name")))  \(answer.cell("id"))")
        }
    }
}

struct SpaceShow: Verb {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one space.")
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space])) { answer in
            try console.write(
                Table.pairs([
                    ("name", answer.cell("name")), ("id", answer.cell("id")), ("role", answer.cell("role")),
                    ("members", answer.cell("members")), ("documents", answer.cell("documents")),
                ]))
        }
    }
}

struct SpaceMembers: Verb {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "List the devices that belong to a space.")
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "members"])) { answer in
            try console.write(members: answer, isWide: common.wide)
        }
    }
}

struct SpaceInvite: Verb {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a token with which one device can join.",
        discussion: """
            The token is a secret: whoever has it can join once, until it expires. This node must be \
            reachable when it is used.
            Example: replctl space invite household --role writer --expires 1h
            """)
    @Argument(help: "Name or id.") var space: String
    @Option(help: "What the device will be: relay, reader, writer or admin.") var role = "writer"
    @Option(help: "How long the token is good for: 90s, 30m, 24h, 7d.") var expires = "24h"
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        guard let seconds = Moment.seconds(expires) else {
            throw CommandFailure(.badInput, "\"\(expires)\" is no time", hint: "write 90s, 30m, 24h or 7d")
        }
        var body = JSONWriter()
        body.object {
            $0.member("role", role)
            $0.member("expiresSeconds", seconds)
        }
        try await ask(ClientRequest("POST", ["spaces", space, "invites"], body: body.bytes)) { answer in
            try console.writeLine(answer.cell("token"))
            console.complain(
                "one device can join as \(role) within \(expires): replctl join TOKEN\n"
                    + "to take it back: replctl space revoke \(console.safe(space)) \(answer.cell("id"))"
            )
        }
    }
}

struct SpaceInvites: Verb {
    static let configuration = CommandConfiguration(
        commandName: "invites", abstract: "List the invites to a space, and who came by each.")
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "invites"])) { answer in
            var table = Table(
                "ID", "ROLE", "STATE", "EXPIRES", "USED BY", whole: [0, 1, 2, 3], wrapsLast: false)
            for invite in answer.list("invites") {
                let expires = invite.integer("expires").map { Moment.text(seconds: $0) }
                table.row(
                    invite.cell("id"), invite.cell("role"), invite.cell("state"), expires ?? "-",
                    DeviceText.name(invite["spentBy"], isWide: common.wide))
            }
            try console.write(table, isWide: common.wide)
        }
    }
}

struct SpaceRevoke: Verb {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take an invite back that nobody has used.",
        discussion: """
            Any admin's box may, also when another made the invite. Who had used it is a member and stays \
            one: the command names it, and the `space remove` that takes it out.
            Example: replctl space revoke household 9a0774c563e443b19dde7485fed86148
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The invite's id, from `space invites`.") var id: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("DELETE", ["spaces", space, "invites", id])) { _ in
            try console.writeLine("revoked \(id)")
        }
        if common.json { return }
        let invites = try await common.client.call(ClientRequest("GET", ["spaces", space, "invites"])).json()
        let used = invites.list("invites").first { $0.string("id") == id }?["spentBy"]
        guard let device = used?.string("device") else { return }
        console.complain(
            console.safe(
                "\(DeviceText.name(used, isWide: common.wide)) came by it before; if it shall not be a "
                    + "member: replctl space remove \(space) \(DeviceText.id(device, isWide: false))"))
    }
}

struct JoinCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a space with the token of an invite.",
        discussion: """
            The space can be used when this returns; its documents keep arriving. The box that made the \
            invite must be there; for a minute it is tried again and again.
            Examples:
              replctl join repl1-mfzg…
              replctl join --name home -  < token-file     (arguments can be seen by other users, this cannot)
            """)
    @Argument(help: "The token, or - to read it from standard input.") var token: String
    @Option(help: "What the space is called on this node; the creator's name for it otherwise.") var name:
        String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let token = token == "-" ? try await Self.readToken(console) : token
        var body = JSONWriter()
        body.object {
            $0.member("token", token)
            if let name { $0.member("name", name) }
        }
        let request = ClientRequest("POST", ["join"], body: body.bytes, timeoutSeconds: nil)
        let hasJoined = try await common.client.stream(request) { stream in
            var hasJoined = false
            for try await line in stream.lines where !line.isEmpty {
                if try show(line) { hasJoined = true }
            }
            return hasJoined
        }
        guard hasJoined else { throw ClientError.cut }
    }

    /// True for the last line.
    private func show(_ line: [UInt8]) throws -> Bool {
        let value = try ClientAnswer.json(line)
        if let refusal = ClientError.Refusal(value, status: 200) {
            throw CommandFailure(
                Self.exitCode(refusal.code), refusal.message, hint: refusal.hint, name: refusal.code)
        }
        if common.json {
            try console.writeLine(line)
        } else if let space = value["space"] {
            try console.writeLine("joined \(console.safe(space.cell("name"))) as \(space.cell("role"))")
        } else if let stage = value.string("stage"), console.isTerminal {
            try console.writeLine(console.painted("· " + console.safe(stage), .dim))
        }
        return value["space"] != nil
    }

    /// A line has no status of its own.
    static func exitCode(_ code: String) -> ExitCode {
        switch code {
        case "no-inviter-reached", "timeout": .timedOut
        case "invalid-token", "invite-foreign", "invalid-name": .badInput
        case "store-failed", "disk-full", "stopping": .failed
        default: .refused
        }
    }

    private static func readToken(_ console: Console) async throws -> String {
        var bytes: [UInt8] = []
        for try await piece in DescriptorBytes(console.input) {
            bytes += piece
            if bytes.contains(0x0A) || bytes.count > 4_096 { break }
        }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        return String(decoding: line, as: UTF8.self)
    }
}

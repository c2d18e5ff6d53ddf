// Who belongs to a space, and the verbs by which an admin changes that: members, space remove, space role.

import ArgumentParser
import Bytes
import JSON
import ReplClient

/// Members as people see them.
enum MemberTable {
    /// `now`: milliseconds since 1970.
    static func table(of answer: PlainValue, isWide: Bool, now: Int64) -> Table {
        var table = Table(
            "NAME", isWide ? "DEVICE" : "ID", "ROLE", "STATE", "SEEN", "BEHIND", "RUNS", "ADDED BY",
            numbers: [5], whole: [1, 2, 3, 4])
        for member in answer.list("members") {
            let software = member.string("software") ?? "-"
            table.row(
                member.cell("name"), DeviceText.id(member.string("device"), isWide: isWide),
                member.cell("role"), member.cell("state"), seen(member, now: now),
                member.integer("behindChanges").map(String.init) ?? "-",
                isWide ? software : Wrapped.cut(software, to: 7),
                comings(member, isWide: isWide, now: now))
        }
        return table
    }

    /// Who added a member, and who removed it: "attic; removed by shed 3 d ago".
    private static func comings(_ member: PlainValue, isWide: Bool, now: Int64) -> String {
        func name(_ device: PlainValue?) -> String {
            let name = DeviceText.name(device, isWide: isWide)
            return isWide ? name : Wrapped.cut(name, to: 24)
        }
        let added = name(member["addedBy"])
        guard let remover = member["removedBy"] else { return added }
        let when = member.integer("removedMs").map {
            isWide ? " " + Moment.text(milliseconds: $0) : " " + ago($0, now)
        }
        return "\(added); removed by \(name(remover))\(when ?? "")"
    }

    /// "12 min ago", "now", "never".
    static func seen(_ member: PlainValue, now: Int64) -> String {
        member.integer("lastSeenMs").map { ago($0, now) } ?? "never"
    }

    private static func ago(_ moment: Int64, _ now: Int64) -> String {
        now - moment < 10_000 ? "now" : Counted.span(milliseconds: now - moment) + " ago"
    }
}

extension Console {
    /// Members within 80 cells, or all that is known.
    func write(members answer: PlainValue, isWide: Bool) throws(OutputClosed) {
        let table = MemberTable.table(of: answer, isWide: isWide, now: Moment.nowMilliseconds())
        try write(table, isWide: isWide, limit: Table.narrowWidth)
    }
}

struct MembersCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "Who belongs to a space, when each was seen, how far it is behind.",
        discussion: """
            BEHIND is the number of changes held here that it lacks, as far as it said. RUNS is the version \
            of repld that it said in the roster; members of earlier releases say none. Who left or was \
            removed stays listed. With --wide: whole device ids and moments.
            Example: replctl members household
            """)
    @Argument(help: "Name or id.") var space: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces", space, "members"])) { answer in
            try console.write(members: answer, isWide: common.wide)
        }
    }
}

struct SpaceRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a member: it gets nothing more, and what it writes has no effect.",
        discussion: """
            For admins. What this device holds of the member's changes stays. It keeps what it has and can \
            read it; its changes that nobody else holds are handed over when it is met, and kept without \
            effect. An admin who was one before whoever removes it may undo this by a removal of its own, \
            also one made earlier that arrives later. It is refused while other boxes of the space are not \
            known to run a version that knows of removals, for they would break off their links: upgrade \
            them first, or say --force if they never come back. On a terminal it asks first; a script says \
            --yes.
            Example: replctl space remove household old-phone
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The member: its name, device id, or its first 7 letters or more.") var member: String
    @Flag(help: "Only tell what would come of it.") var dryRun = false
    @Flag(help: "Also while other members run an earlier version.") var force = false
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        if !dryRun {
            try await confirmation.ask("remove", console) { try await consequence(of: dryRunReport()) }
        }
        try await ask(request(isDryRun: dryRun)) { answer in
            let removed = console.safe(DeviceText.name(answer["removed"], isWide: common.wide))
            let members = Counted.text(answer.integer("members") ?? 0, "member")
            let space = console.safe(space)
            try console.writeLine(
                dryRun
                    ? "\(removed) would be removed from \(space); \(members) left"
                    : "removed \(removed) from \(space); \(members) left")
        }
        if dryRun, !common.json {
            for line in try await consequence(of: dryRunReport()).split(separator: "\n") {
                try console.writeLine(console.safe(String(line)))
            }
        }
    }

    private func dryRunReport() async throws -> PlainValue {
        try await common.client.call(request(isDryRun: true)).json()
    }

    private func request(isDryRun: Bool) -> ClientRequest {
        ClientRequest(
            "DELETE", ["spaces", space, "members", member],
            query: [("dryRun", isDryRun ? "true" : nil), ("force", force ? "true" : nil)])
    }

    /// Three lines: who it is, what does not count any more, what it still has.
    private func consequence(of report: PlainValue) async throws -> String {
        let device = report["removed"]?.string("device")
        let status = try await common.client.call(ClientRequest("GET", ["status"])).json()
        if device == status.string("device") {
            return "that is this box: it leaves \(space), and removes its documents from this device"
        }
        let members = try await common.client.call(ClientRequest("GET", ["spaces", space, "members"])).json()
        let one = members.list("members").first { $0.string("device") == device }
        let name = DeviceText.name(report["removed"], isWide: common.wide)
        return [
            "removing \(name), \(one?.cell("role") ?? "member") of \(space), last seen "
                + (one.map { MemberTable.seen($0, now: Moment.nowMilliseconds()) } ?? "never"),
            "what it wrote and is not here yet will not count" + Self.alsoLost(report),
            "it keeps what it has\(Self.lacks(one)); only " + Self.whoGetsKeys(report),
        ].map { Wrapped.text($0, to: Table.narrowWidth, indent: 2) }.joined(separator: "\n")
    }

    private static func alsoLost(_ report: PlainValue) -> String {
        let changes = report["void"]?.integer("changes") ?? 0
        if changes == 0 { return "; all that is here stays" }
        let documents = Counted.text(report["void"]?.integer("documents") ?? 0, "document")
        return ", nor \(Counted.text(changes, "change")) here, in \(documents)"
    }

    private static func lacks(_ member: PlainValue?) -> String {
        guard let behind = member?.integer("behindChanges"), behind > 0 else { return "" }
        return ", without \(Counted.text(behind, "change"))"
    }

    private static func whoGetsKeys(_ report: PlainValue) -> String {
        let left = report.integer("members") ?? 1
        return left == 1 ? "this box gets new keys" : "the \(left) members left get new keys"
    }
}

struct SpaceRole: Verb {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Give a member another role.",
        discussion: """
            For admins. A lower role counts at once, everywhere; what this device holds of the member's \
            changes stays. Below admin it is refused while other boxes of the space are not known to run a \
            version that knows of it: upgrade them first, or say --force.
            Example: replctl space role household tablet reader
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The member: its name, device id, or its first 7 letters or more.") var member: String
    @Argument(help: "relay, reader, writer or admin.") var role: String
    @Flag(help: "Also while other members run an earlier version.") var force = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var body = JSONWriter()
        body.object { $0.member("role", role) }
        let request = ClientRequest(
            "PATCH", ["spaces", space, "members", member], query: [("force", force ? "true" : nil)],
            body: body.bytes)
        try await ask(request) { answer in
            try console.writeLine(
                "\(console.safe(answer.cell("name"))) is \(answer.cell("role")) of \(console.safe(space)) now"
            )
        }
    }
}

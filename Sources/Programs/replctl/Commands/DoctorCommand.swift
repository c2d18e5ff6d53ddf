// What a person runs first when something is not as it should be: one look at everything that is known to go
// wrong, each with what to do. It changes nothing.

import ArgumentParser
import Bytes
import Glibc
import JSON
import Release
import ReplClient

struct DoctorCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong: the daemon, its config, clock, disk, peers and spaces.",
        discussion: """
            Of each space: members with one name, members that were not seen for 30 days, members of \
            earlier releases, keys that were known to somebody who is out for 10 minutes, and members that \
            collection of the log has waited for since yesterday. Of a sync folder: whether it can be used, \
            with what the service needs for it, and files that are not taken, or not whole.
            Ends with 0 when nothing is wrong, with 1 when something needs attention. When the daemon cannot \
            be reached, what this machine shows of it is looked at: sockets, service, state, port, groups \
            and clock; it ends with 2.
            """)
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let status: PlainValue
        do throws(ClientError) {
            status = try await common.client.call(ClientRequest("GET", ["status"])).json()
        } catch {
            guard case .unreachable = error else { throw error }
            // Whoever cannot be asked is what is wrong: what this machine shows of it may say why.
            try show(LocalDiagnosis(console.environment, asked: common.client.socket).findings)
            throw error
        }
        let peers = try await common.client.call(ClientRequest("GET", ["peers"])).json()
        var findings = Self.daemon(status) + [await config()]
        findings += Self.alarms(status) + Self.disk(status) + [Self.clock(status)]
        let folder = SyncFolderText(status: status)
        findings += Self.discovery(status) + (folder?.findings ?? [])
        findings += Self.peers(
            peers, RemovedSpaces(status: status), haveFolder: folder?.isReady ?? false)
        findings += try await spaces(status)
        // A user's own daemon serves that user alone.
        if common.client.socket == LocalDiagnosis.systemSocket, getgrnam("repld") == nil {
            findings.append(
                Finding(
                    .note, "socket",
                    "this machine has no group repld: only root and the daemon's user may use it",
                    hint: "systemd-sysusers, or groupadd --system repld"))
        }
        try show(findings)
        let wrong = findings.count { $0.level == .wrong }
        if wrong > 0 {
            throw CommandFailure(.failed, wrong == 1 ? "1 thing is wrong" : "\(wrong) things are wrong")
        }
    }

    /// What only the members, keys and checkpoints of each space show. Of one from which this device was
    /// removed there is an alarm.
    private func spaces(_ status: PlainValue) async throws -> [Finding] {
        let now = status["clock"]?.integer("wallMs") ?? Moment.nowMilliseconds()
        var findings: [Finding] = []
        let present = status.list("spaces").filter { $0.string("state") != "removed" }
        for space in present {
            guard let id = space.string("id") else { continue }
            let diagnosis = SpaceDiagnosis(name: space.cell("name"), own: status.string("device"), now: now)
            do throws(ClientError) {
                let members = try await common.client.call(ClientRequest("GET", ["spaces", id, "members"]))
                findings += diagnosis.members(try members.json())
                let keys = try await common.client.call(ClientRequest("GET", ["spaces", id, "keys"]))
                findings += diagnosis.keys(try keys.json())
                let checkpoints = ClientRequest("GET", ["spaces", id, "checkpoints"])
                findings += diagnosis.checkpoints(try await common.client.call(checkpoints).json())
            } catch {
                // An earlier daemon, or a space that was left meanwhile.
                findings.append(
                    Finding(.note, "space", "\(space.cell("name")): \(error.message)", hint: error.hint))
            }
        }
        if findings.isEmpty, !present.isEmpty {
            let spaces = Counted.text(present.count, "space")
            return [Finding(.fine, "spaces", "members and keys of \(spaces) are as they should be")]
        }
        return findings
    }

    private func show(_ findings: [Finding]) throws {
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.name("findings")
                json.array(findings) { json, finding in
                    json.object {
                        $0.member("check", finding.check)
                        $0.member("level", finding.level.rawValue)
                        $0.member("message", finding.message)
                        $0.member("hint", finding.hint)
                    }
                }
            }
            return try console.writeLine(json.bytes)
        }
        for finding in findings {
            let paint: Console.Paint =
                switch finding.level {
                case .fine: .green
                case .note: .yellow
                case .wrong: .red
                }
            let level =
                finding.level.rawValue + String(repeating: " ", count: 5 - finding.level.rawValue.count)
            try console.writeLine(
                console.painted(level, paint) + "  \(finding.check): \(console.safe(finding.message))")
            if !finding.hint.isEmpty { try console.writeLine("       \(console.safe(finding.hint))") }
        }
    }

    // MARK: What is looked at

    struct Finding: Equatable {
        enum Level: String {
            case fine
            case note
            case wrong
        }

        let level: Level
        let check: String
        let message: String
        let hint: String

        init(_ level: Level, _ check: String, _ message: String, hint: String = "") {
            (self.level, self.check, self.message, self.hint) = (level, check, message, hint)
        }
    }

    static func daemon(_ status: PlainValue) -> [Finding] {
        let version = status.cell("version")
        let answers = Finding(.fine, "daemon", "\(status.cell("name")) answers, version \(version)")
        guard version != Release.version else { return [answers] }
        return [
            answers,
            Finding(
                .note, "version", "the daemon is \(version), replctl is \(Release.version)",
                hint: "restart the daemon after an upgrade"),
        ]
    }

    /// The config as it would be read now.
    private func config() async -> Finding {
        do throws(ClientError) {
            let report = try await common.client.call(ReloadCommand.request(isCheck: true)).json()
            return Self.config(report)
        } catch {
            return Finding(.wrong, "config", error.message, hint: error.hint)
        }
    }

    static func config(_ report: PlainValue) -> Finding {
        let names = { (member: Key) in report.list(member).compactMap(\.text).joined(separator: ", ") }
        if !names("needsRestart").isEmpty {
            return Finding(
                .note, "config", "changed since the start: \(names("needsRestart"))",
                hint: "restart the daemon")
        }
        if !names("applied").isEmpty {
            return Finding(
                .note, "config", "changed and not applied: \(names("applied"))", hint: "replctl reload")
        }
        return Finding(.fine, "config", "usable, and what runs")
    }

    static func alarms(_ status: PlainValue) -> [Finding] {
        let found = status.list("alarms").map { alarm in
            Finding(.wrong, alarm.cell("code"), alarm.cell("message"), hint: alarm.string("hint") ?? "")
        }
        return found.isEmpty
            ? [Finding(.fine, "alarms", "none: disk, logs and keys are as they should be")] : found
    }

    /// How much is free, and where writes stop.
    static func disk(_ status: PlainValue) -> [Finding] {
        guard let free = status["disk"]?.integer("freeBytes"),
            let floor = status["disk"]?.integer("floorBytes")
        else { return [] }
        let text = "\(ProgressLine.size(free)) are free, local writes stop below \(ProgressLine.size(floor))"
        // Below the floor there is an alarm, which says the same.
        guard free >= floor else { return [] }
        return [
            free / 2 < floor
                ? Finding(.note, "disk", text, hint: "free space soon, or lower disk-floor")
                : Finding(.fine, "disk", text)
        ]
    }

    /// Ties between concurrent changes go by the clock: seconds matter to people, minutes raise an alarm.
    static func clock(_ status: PlainValue) -> Finding {
        guard let offset = status["clock"]?.integer("offsetMs") else {
            return Finding(.note, "clock", "no peer to compare with")
        }
        guard offset.magnitude > 5_000 else {
            return Finding(.fine, "clock", "\(offset) ms off the peers' at most")
        }
        return Finding(
            .note, "clock", "\(offset / 1_000) s off a peer's",
            hint: "set the clock that is wrong, as with NTP")
    }

    /// What keeps beacons from being sent or heard. Boxes that know each other's addresses do without.
    static func discovery(_ status: PlainValue) -> [Finding] {
        (status["discovery"]?.list("problems") ?? []).compactMap(\.text).map {
            Finding(
                .wrong, "discovery", $0,
                hint: "free UDP port 21420, or choose interfaces in [discovery] of the config")
        }
    }

    /// Of those that share nothing with this device but spaces from which it was removed, none is expected.
    /// Boxes that share a folder need no links.
    static func peers(_ peers: PlainValue, _ removed: RemovedSpaces, haveFolder: Bool = false) -> [Finding] {
        let all = peers.list("peers").filter { !removed.areAllShared(with: $0) }
        let linked = all.count { $0.string("state") == "connected" }
        let summary = Finding(
            all.isEmpty || linked > 0 ? .fine : haveFolder ? .note : .wrong, "peers",
            "\(linked) of \(all.count) are linked")
        return [summary]
            + all.filter { $0.string("state") != "connected" }.map {
                Finding(
                    .note, "peer", "\($0.cell("name")) is \($0.cell("state"))",
                    hint: $0.string("whyNot") ?? "")
            }
    }
}

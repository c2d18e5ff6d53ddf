// support: what somebody who helps wants to know, in one file. The daemon makes it; what systemd and the
// journal know of its unit is added here, because the daemon may not read it and its user's person may.

import ArgumentParser
import Bytes
import Glibc
import JSON
import ReplClient

struct SupportCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "support",
        abstract:
            "Write what somebody who helps wants to know to a file: no documents, keys, tokens, addresses.",
        discussion: """
            A tar: settings, status, peers, members, checkpoints, metrics, the last lines of the log, \
            process and limits, the files and the schema of the state, and, of a service, its unit and its \
            journal if this user may read that. README.txt in it lists the files. Documents and their keys, \
            keys, tokens and, without --with-addresses, addresses are left out; names of boxes, spaces and \
            users are in it. Look through it before you give it away: tar xf FILE. The file must not exist \
            yet.
            Example: replctl support ~/repld-support.tar
            """)
    @Argument(help: "The file to make.", completion: .file()) var file: String
    @Flag(help: "With addresses of this and other boxes.") var withAddresses = false
    @OptionGroup var common: DaemonOptions

    /// What a tar of ours begins with.
    private static let begin = Array("repld-support/RE".utf8)

    func run() async throws {
        var target = try NewFile(file)
        do {
            let request = ClientRequest(
                "GET", ["support"], query: [("addresses", withAddresses ? "true" : nil)])
            let tar = try await common.client.call(request).body
            guard tar.starts(with: Self.begin), tar.suffix(TarWriter.end.count).elementsEqual(TarWriter.end)
            else { throw ClientError.malformed("a report that is no tar") }
            try target.write(tar.dropLast(TarWriter.end.count) + (try await ownFiles()) + TarWriter.end)
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
        if common.json {
            var json = JSONWriter()
            json.object {
                $0.member("file", file)
                $0.member("bytes", target.count)
            }
            return try console.writeLine(json.bytes)
        }
        try console.writeLine(
            "\(console.safe(file))  \(ProgressLine.size(target.count)); look through it before you "
                + "give it away"
        )
    }

    /// The unit and the journal of a daemon that systemd runs, as far as they can be read.
    private func ownFiles() async throws -> [UInt8] {
        guard let manager = Self.manager(of: common.client.socket, console.environment) else { return [] }
        let peers = try await common.client.call(ClientRequest("GET", ["peers"])).json()
        let redaction = Redaction(
            keepsAddresses: withAddresses, addresses: Redaction.addresses(in: peers))
        var tar = TarWriter()
        for (name, words, keepsQuoted) in [
            (
                "unit.txt",
                ["systemctl"] + manager + ["show", "--no-pager", "--property=\(Self.properties)"], true
            ),
            (
                "journal.txt",
                ["journalctl"] + manager + [
                    "--no-pager", "--quiet", "--lines=2000", "--output=short-iso", "--unit",
                ],
                false
            ),
        ] {
            let units = keepsQuoted ? ["repld.service", "repld.socket"] : ["repld.service"]
            guard let output = ProgramOutput.read(words + units), !output.isEmpty else { continue }
            let text = redaction.text(String(decoding: output, as: UTF8.self), keepsQuoted: keepsQuoted)
            tar.append(
                "repld-support/\(name)", Array(text.utf8), seconds: UInt64(Moment.nowMilliseconds() / 1_000))
        }
        return tar.bytes
    }

    /// Not Environment= or SetCredential=, which may hold anything.
    private static let properties = [
        "Id", "LoadState", "ActiveState", "SubState", "UnitFileState", "Result", "NRestarts", "ExecMainCode",
        "ExecMainStatus", "ExecMainStartTimestamp", "ActiveEnterTimestamp", "InactiveEnterTimestamp",
        "MemoryCurrent", "TasksCurrent", "WatchdogUSec", "FragmentPath", "DropInPaths",
    ].joined(separator: ",")

    /// Which service manager has the unit; nil for a daemon that was started otherwise.
    private static func manager(of socket: String, _ environment: (String) -> String?) -> [String]? {
        if socket == ReplClient.systemSocket { return [] }
        guard let folder = environment("XDG_RUNTIME_DIR"), socket == "\(folder)/repld/control.sock" else {
            return nil
        }
        return ["--user"]
    }
}

// A node's whole state as one file, and back. Both ends are careful in the same way: a file has its name only
// when all of it is on disk, and nothing that is there is overwritten.

import ArgumentParser
import Glibc
import JSON
import ReplClient

struct BackupCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a consistent copy of the node's state to a file.",
        discussion: """
            The daemon goes on meanwhile. The file holds the device's key: keep it as you keep a key. It \
            must not exist yet.
            Example: replctl backup ~/repld-2026-11-21.db
            """)
    @Argument(help: "The file to make.", completion: .file()) var file: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = ClientRequest("POST", ["backup"], timeoutSeconds: nil)
        try await download(request, to: file, saying: "backing up") { target in
            guard target.start == StateFile.magic else {
                throw ClientError.malformed("a backup that is no SQLite database")
            }
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup into an empty state directory; no daemon may use it.",
        discussion: """
            The node that starts there is the same device and opens new logs, so it can never use the number \
            of a change twice; what was written after the backup comes back from the other members. Do not \
            run it beside the original. On a terminal it asks first; a script says --yes.
            Example: replctl restore ~/repld-2026-11-21.db --state /var/lib/repld
            """)
    @Argument(help: "A file made by replctl backup.", completion: .file()) var file: String
    @Option(help: "The state directory; made if it is missing.", completion: .directory) var state: String
    @OptionGroup var confirmation: Confirmation
    @Flag(help: "Print what was restored as JSON.") var json = false

    func run() async throws {
        let console = Console.current
        // Nobody is asked about a file that is none.
        close(try StateFile.openBackup(file))
        try await confirmation.ask("restore", console) {
            "whoever starts repld in \(state) is the device that made the backup: where that one still runs, "
                + "it must not be started again beside this one"
        }
        let progress = ProgressLine("restoring", total: nil, console: console, isQuiet: json)
        defer { progress.finish() }
        let size = try StateFile.restore(file, to: state) { progress.advance($0) }
        progress.finish()
        if json {
            var writer = JSONWriter()
            writer.object {
                $0.member("state", state)
                $0.member("bytes", size)
            }
            return try console.writeLine(writer.bytes)
        }
        try console.writeLine(
            "restored \(ProgressLine.size(size)); start it with: repld --state \(console.safe(state))"
        )
    }
}

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script of a shell.",
        discussion: """
            Examples:
              replctl completion bash > ~/.local/share/bash-completion/completions/replctl
              replctl completion zsh > "${fpath[1]}/_replctl"
              replctl completion fish > ~/.config/fish/completions/replctl.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws { try Console.current.writeLine(ShellScripts.text(shell)) }
}

// The program `repld`: flags, settings, and the daemon. What it cannot start with is one line that names the
// thing and what to do, and an exit code that says whether another start can help (`ExitStatus`); a wrong
// flag is exit code 64, as everywhere (sysexits).

import ArgumentParser
import Glibc
import Logging
import NodeRuntime
import Release

@main struct Repld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repld",
        abstract: "Keeps spaces of documents in sync with the other boxes of their members.",
        discussion:
            "No config file is needed; /etc/repld/repld.toml is read if it is there. Flags go before it.",
        version: Release.version)

    @Option(help: ArgumentHelp("The config file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The state directory; made if it is missing.", valueName: "dir"))
    var state: String?

    @Option(help: ArgumentHelp("The control socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Where to listen for peers; port 0: any.", valueName: "addr:port"))
    var listen: String?

    @Option(help: ArgumentHelp("A peer to dial; may be given several times.", valueName: "host:port"))
    var peer: [String] = []

    @Flag(help: "Send no beacons and hear none.")
    var noDiscovery = false

    @Option(help: ArgumentHelp("What other members see as this box's name.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String?

    @Flag(
        help: """
            Take a fresh device key: what a copy needs to be a box of its own. Its spaces stay readable here \
            and must be joined again.
            """)
    var newIdentity = false

    /// In place of the parser's own, for programs that wait while the unit's command line is wrong.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if let daemon = command as? Repld { try await daemon.run() } else { try command.run() }
        } catch {
            if exitCode(for: error) == .validationFailure {
                let manager = Supervisor.take(from: Environment())
                WaitingClients.refuse(at: manager.sockets, because: message(for: error))
            }
            exit(withError: error)
        }
    }

    func run() async throws {
        // A reader that goes away is an error of its connection, not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
        // Nothing that this process makes is for others; for its group only what is made so (the socket).
        umask(0o027)
        // A hangup asks for a reload; before there is anything to reload it must not end the process.
        signal(SIGHUP, SIG_IGN)
        let environment = Environment()
        let manager = Supervisor.take(from: environment)
        do {
            let (config, flags) = (config, flags)
            let read = { @Sendable () throws(SettingsError) -> Settings in
                try Settings(flags: flags, file: try ConfigFile.find(config), environment: environment)
            }
            let settings = try read()
            let sink = LogSink(
                level: settings.logLevel, isJournal: LogSink.isJournal(environment["JOURNAL_STREAM"]))
            try await Daemon(
                settings, environment, manager, log: sink, takesNewIdentity: newIdentity, read: read
            ).run()
        } catch {
            let isJournal = LogSink.isJournal(environment["JOURNAL_STREAM"])
            Terminal.complain((isJournal ? "<3>" : "") + "repld: \(error)")
            let status = ExitStatus.of(error)
            if status == ExitStatus.needsMending {
                WaitingClients.refuse(at: manager.sockets, because: "\(error)")
            }
            throw ExitCode(status)
        }
    }

    private var flags: Settings.Flags {
        Settings.Flags(
            state: state, socket: socket, listen: listen, peers: peer, noDiscovery: noDiscovery, name: name,
            logLevel: logLevel)
    }
}

/// The error output, before there is a log.
enum Terminal {
    static func complain(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

// The program `replctl`: the person's tool for one daemon, over its Unix socket. Each verb is an endpoint of
// the API and no more; what it adds is words, tables and exit codes.

import ArgumentParser
import Glibc
import Release
import ReplClient

@main struct Replctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replctl",
        abstract: "Reads and writes the documents of repld, and looks after its spaces.",
        discussion: """
            A first space, a document in it, and another device that joins:
              replctl space create household
              replctl set household note/groceries title=Groceries 'items=["milk","bread"]'
              replctl get household note/groceries
              replctl space invite household --role writer
              replctl join repl1-…                      (on the other device)

            PATH is dotted: items.0.qty. A part that is a number without leading zero is an index of a list, \
            @ID an element by its id, all else a key of a map. A backslash takes the next character as it \
            is, and makes the part a key: a\\.b is the key "a.b", \\2024 the key "2024". Two quotes ("") \
            are the empty key; the empty path is the document.
            VALUE is JSON, or a string when it is not: done=true, title=Groceries, 'code="007"'. @FILE is \
            the text of a file, @- of standard input, @@ the character @. Behind -- everything is a value.
            Which kind a place should be of (register, text, counter, …): replctl help kinds

            The daemon's socket: --socket, REPL_SOCKET, the user's own if it is there \
            ($XDG_RUNTIME_DIR/repld/control.sock, else control.sock in the state directory), else \
            /run/repld/control.sock.
            Exit codes: 0 done, 1 failed, 2 the daemon was not reached, 3 bad input, 4 refused, 5 timed out.
            """,
        version: "replctl \(Release.version)",
        subcommands: [
            StatusCommand.self, PeersCommand.self, PingCommand.self, SpacesCommand.self, SpaceCommand.self,
            MembersCommand.self, JoinCommand.self,
            GetCommand.self, ListCommand.self, FindCommand.self, SetCommand.self, DeleteCommand.self,
            IncrementCommand.self,
            AddCommand.self, RemoveCommand.self, InsertCommand.self, AppendCommand.self, PrependCommand.self,
            MoveCommand.self, SpliceCommand.self,
            MakeCommand.self, ConvertCommand.self, CopyCommand.self, MoveDocumentCommand.self,
            EditCommand.self, ApplyCommand.self, WatchCommand.self, LogCommand.self,
            IndexCommand.self, ForksCommand.self, QuarantineCommand.self, VoidCommand.self, AdoptCommand.self,
            ExportCommand.self, ImportCommand.self, WaitCommand.self, ExplainCommand.self,
            ConflictsCommand.self, ResolveCommand.self, TopCommand.self, BackupCommand.self,
            RestoreCommand.self, BundleCommand.self, ReloadCommand.self, DoctorCommand.self,
            SupportCommand.self,
            ConsoleCommand.self,
            CompletionCommand.self,
        ])

    static func main() async {
        // First of all: nothing that we open may take the place of a standard descriptor that is closed.
        _ = Console.process
        // A reader that went away shows as a failed write, not as a signal in the middle of one.
        signal(SIGPIPE, SIG_IGN)
        guard let arguments = utf8Arguments() else {
            Console.process.complain("an argument is not UTF-8")
            Glibc.exit(ExitCode.badInput.rawValue)
        }
        Glibc.exit(await run(arguments).rawValue)
    }

    /// Does what the arguments say, and says how it ended. Tests come in here, with a console of their own.
    static func run(_ arguments: [String]) async -> ExitCode {
        let console = Console.current
        if let code = await HiddenVerbs.run(arguments, console) { return code }
        let asJSON = arguments.prefix { $0 != "--" && $0 != "--exec" }.contains("--json")
        if arguments.count >= 2, arguments[0] == "help", arguments[1] == "kinds" {
            return print(KindsPage.text, console)
        }
        if let failure = unknownVerb(in: optionsBehindVerb(arguments)) {
            return failure.tell(console, asJSON: asJSON)
        }
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(optionsBehindVerb(arguments))
        } catch {
            return explain(error, console, asJSON: asJSON)
        }
        do {
            if var verb = command as? any AsyncParsableCommand {
                try await verb.run()
            } else {
                var verb = command
                try verb.run()
            }
            return .ok
        } catch is OutputClosed {
            return .failed
        } catch is NothingChanged {
            return .failed
        } catch let failure as CommandFailure {
            return failure.naming(NamedSubject(of: command)).tell(console, asJSON: asJSON)
        } catch let error as ClientError {
            return CommandFailure(error).naming(NamedSubject(of: command)).tell(console, asJSON: asJSON)
        } catch let failure as EditorFailure {
            return CommandFailure(failure).tell(console, asJSON: asJSON)
        } catch let error as DescriptorFailure {
            return CommandFailure(.failed, "cannot read standard input: \(error.message)")
                .tell(console, asJSON: asJSON)
        } catch {
            return explain(error, console, asJSON: asJSON)
        }
    }

    /// A verb that there is not, with the one that was probably meant.
    private static func unknownVerb(in arguments: [String]) -> CommandFailure? {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        guard let first = words.first else { return nil }
        if let failure = unknown(first, among: configuration, behind: "replctl", ["help", "kinds"]) {
            return failure
        }
        guard let second = words.dropFirst().first else { return nil }
        switch first {
        case "space":
            return unknown(second, among: SpaceCommand.configuration, behind: "replctl space", ["help"])
        case "index":
            return unknown(second, among: IndexCommand.configuration, behind: "replctl index", ["help"])
        case "bundle":
            return unknown(second, among: BundleCommand.configuration, behind: "replctl bundle", ["help"])
        default: return nil
        }
    }

    private static func unknown(
        _ word: String, among configuration: CommandConfiguration, behind command: String, _ others: [String]
    ) -> CommandFailure? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + others
        if names.contains(word) { return nil }
        let suggestion = Suggestion.nearest(to: word, among: names.filter { $0 != "kinds" })
        return CommandFailure(
            .badInput, "there is no verb \"\(word)\" of \(command)",
            hint: suggestion.map { "did you mean: \(command) \($0)" } ?? "see: \(command) --help",
            name: "no-such-verb")
    }

    /// What the parser throws: help and versions are answers, everything else is bad input.
    private static func explain(_ error: any Error, _ console: Console, asJSON: Bool) -> ExitCode {
        let text = fullMessage(for: error) + "\n"
        guard exitCode(for: error).rawValue == 0 else {
            if asJSON {
                return CommandFailure(.badInput, message(for: error), hint: "see: replctl help").tell(
                    console, asJSON: true)
            }
            console.complain(inOurVoice(text, console))
            return .badInput
        }
        return print(text, console)
    }

    /// The parser's "Error: Missing expected argument" as everything else here is said.
    private static func inOurVoice(_ text: String, _ console: Console) -> String {
        let mark = "Error: "
        guard text.hasPrefix(mark) else { return text }
        let words = text.dropFirst(mark.count)
        return console.paintedError("replctl: ", .red) + words.prefix(1).lowercased() + words.dropFirst()
    }

    /// Fails only when nobody reads it any more.
    private static func print(_ text: String, _ console: Console) -> ExitCode {
        do throws(OutputClosed) {
            try console.write(text)
            return .ok
        } catch {
            return .failed
        }
    }

    /// `replctl --socket S status` means `replctl status --socket S`: what every verb takes may stand before
    /// it.
    static func optionsBehindVerb(_ arguments: [String]) -> [String] {
        var start = 0
        while start < arguments.count {
            if ["--json", "--wide"].contains(arguments[start]) || arguments[start].hasPrefix("--socket=") {
                start += 1
            } else if arguments[start] == "--socket", start + 1 < arguments.count {
                start += 2
            } else {
                break
            }
        }
        let (options, rest) = (arguments[..<start], arguments[start...])
        guard let verb = rest.first, !options.isEmpty else { return arguments }
        let words = ["space", "index", "bundle"].contains(verb) ? 2 : 1
        return Array(rest.prefix(words) + options + rest.dropFirst(words))
    }

    /// Nil when one is not UTF-8: a repaired key would be another document's.
    private static func utf8Arguments() -> [String]? {
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let argument = String(validatingCString: bytes) else { return nil }
            arguments.append(argument)
        }
        return arguments
    }
}

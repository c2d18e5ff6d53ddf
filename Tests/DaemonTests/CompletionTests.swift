// Tab in the real shells, with the scripts where `make install-files` puts them and a real daemon behind.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct CompletionTests {
        static let bashCompletion: String? = {
            let path = "/usr/share/bash-completion/bash_completion"
            return access(path, R_OK) == 0 ? path : nil
        }()

        enum Shell: String, CaseIterable, CustomTestStringConvertible {
            case bash, zsh, fish
            var testDescription: String { rawValue }
        }

        /// What is typed before Tab, and the words that stand on the line then. All three shells end with the
        /// same words, however each of them quotes.
        private static let lines: [(typed: String, words: [String])] = [
            ("replctl stat", ["status"]),
            ("replctl space rev", ["space", "revoke"]),
            ("replctl get house", ["get", "household"]),
            ("replctl get household note/gro", ["get", "household", "note/groceries"]),
            ("replctl get household spa", ["get", "household", "spaced key"]),
            ("replctl get household col", ["get", "household", "colon:key"]),
            ("replctl get household colon:k", ["get", "household", "colon:key"]),
            ("replctl get household 'spa", ["get", "household", "spaced key"]),
            ("replctl get household note/groceries ti", ["get", "household", "note/groceries", "title"]),
            ("replctl space invite household --role re", ["space", "invite", "household", "--role", "re"]),
            (
                "replctl space invite household --role wri",
                ["space", "invite", "household", "--role", "writer"]
            ),
            ("replctl space invite household --role=wri", ["space", "invite", "household", "--role=writer"]),
            ("replctl space invite household --ro", ["space", "invite", "household", "--role"]),
            ("replctl make household x y ordered", ["make", "household", "x", "y", "ordered-set"]),
            ("replctl wait household x --on att", ["wait", "household", "x", "--on", "attic"]),
            ("replctl ls nowhere", ["ls", "nowhere"]),
        ]

        @Test(
            "Tab completes verbs, spaces, keys, places, roles, kinds, members and invites",
            arguments: Shell.allCases)
        func completes(_ shell: Shell) throws {
            guard let program = FaultRounds.program(shell.rawValue),
                shell != .bash || Self.bashCompletion != nil
            else { return FaultRounds.say("skipped: completion in \(shell): it is not installed") }
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                try attic.api.createSpace("household")
                try attic.api.createSpace("workshop")
                for key in ["note/groceries", "spaced key", "colon:key"] {
                    try attic.api.write(
                        "household",
                        #"{"op":"set","document":"\#(key)","path":["title"],"value":"Groceries"}"#)
                }
                let invite = try #require(try attic.api.invite("household", role: "reader")["id"].string)
                let terminal = try start(shell, program, world, socket: attic.socket)
                let revoke = (
                    "replctl space revoke household \(invite.prefix(6))",
                    ["space", "revoke", "household", invite]
                )
                for line in Self.lines + [revoke] {
                    let words = "<replctl>" + line.1.map { "<\($0)>" }.joined() + "<done.>"
                    // Tab gives a busy daemon 2 s: on a busy machine it may take another.
                    for attempt in 1...5 {
                        terminal.clear()
                        // At the end a last word, and at the start a command that shows all words.
                        try terminal.type(line.0 + "\t\u{05} done.\u{01}printf '<%s>' \r")
                        try terminal.wait(for: "<done.>")
                        if terminal.screen.contains(words) { break }
                        try #require(attempt < 5, "\(line.0): \(terminal.screen.debugDescription)")
                    }
                }
                // Nobody there: nothing is offered, and nothing is said.
                try attic.stop()
                terminal.clear()
                try terminal.type("replctl get house\t\u{01}printf '<%s>' \r")
                try terminal.wait(for: "<replctl><get><house>")
                let screen = terminal.screen
                #expect(!screen.contains("repld") && !screen.contains("error"), "\(screen.debugDescription)")
            }
        }

        /// The shell at its prompt, which finds the script by itself.
        private func start(
            _ shell: Shell, _ program: String, _ world: DaemonWorld, socket: String
        ) throws -> PseudoTerminal {
            let programs = try #require(Programs.folder)
            let script = try ChildProcess.run(
                try Programs.path("replctl"), ["completion", shell.rawValue], within: 20)
            try #require(script.end == .exit(0))
            var environment = [
                "PATH=\(programs):/usr/bin:/bin", "HOME=\(world.folder)", "TERM=xterm", "LANG=C.UTF-8",
                "REPL_SOCKET=\(socket)", "XDG_CONFIG_HOME=\(world.folder)/config",
                "XDG_DATA_HOME=\(world.folder)/data",
            ]
            let words: [String]
            switch shell {
            case .bash:
                try file(script.output, world.folder + "/data/bash-completion/completions/replctl")
                try file(
                    Array("PS1='ready> '; . \(try #require(Self.bashCompletion))\n".utf8),
                    world.folder + "/rc")
                words = [program, "--noprofile", "--rcfile", world.folder + "/rc", "-i"]
            case .zsh:
                try file(script.output, world.folder + "/site-functions/_replctl")
                let lines = [
                    "fpath=(\(world.folder)/site-functions $fpath)", "autoload -Uz compinit",
                    "compinit -u -D",
                    "bindkey -e", "PS1='ready> '", "",
                ]
                try file(Array(lines.joined(separator: "\n").utf8), world.folder + "/.zshrc")
                environment.append("ZDOTDIR=\(world.folder)")
                words = [program, "-d", "-i"]
            case .fish:
                try file(script.output, world.folder + "/config/fish/completions/replctl.fish")
                // Its title names the folder that the tests run in.
                let prompt =
                    "set -g fish_greeting; function fish_title; end; function fish_prompt; echo -n 'ready> '; end"
                words = [program, "-i", "-C", prompt]
            }
            let terminal = try PseudoTerminal(words, environment: environment)
            try terminal.wait(for: "ready> ")
            return terminal
        }

        private func file(_ content: [UInt8], _ path: String) throws {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(content).write(to: URL(fileURLWithPath: path))
        }
    }
}

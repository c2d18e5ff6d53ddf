// Verbs that nobody types: completion scripts and the making of packages use them. No help names them, and
// they may change with any release.

import JSON
import ReplClient

enum HiddenVerbs {
    /// Nil when the arguments are for people's verbs.
    static func run(_ arguments: [String], _ console: Console) async -> ExitCode? {
        guard let verb = arguments.first, verb == "__complete" || verb == "__manual" else { return nil }
        do {
            let rest = Array(arguments.dropFirst())
            if verb == "__complete" {
                try await complete(rest, console)
            } else {
                try await manual(rest, console)
            }
            return .ok
        } catch {
            return .failed
        }
    }

    /// `--bash LINE BREAKS` or `--words WORD…`.
    private static func complete(_ arguments: [String], _ console: Console) async throws {
        if arguments.first == "--bash", arguments.count == 3 {
            let line = BashLine(arguments[1], breaks: arguments[2])
            let completion = try await Completion.of(line.words, console: console)
            try write(completion, console) { line.quoted($0.word) }
        } else if arguments.first == "--words" {
            let completion = try await Completion.of(Array(arguments.dropFirst()), console: console)
            try write(completion, console) { candidate in
                candidate.note.isEmpty ? candidate.word : "\(candidate.word)\t\(console.safe(candidate.note))"
            }
        }
    }

    private static func write(
        _ completion: Completion, _ console: Console, _ text: (Candidate) -> String
    ) throws {
        var lines = completion.candidates.map(text)
        if completion.hasFiles { lines.append("\tfiles") }
        if completion.hasDirectories { lines.append("\tdirectories") }
        for line in lines { try console.writeLine(line) }
    }

    /// `PAGE`: the page from what standard input says: the description of a program, or Config/repld.toml.
    private static func manual(_ arguments: [String], _ console: Console) async throws {
        var bytes: [UInt8] = []
        for try await piece in DescriptorBytes(console.input) { bytes += piece }
        guard let page = arguments.first.flatMap(ManualPage.init) else {
            return console.complain("pages: \(ManualPage.all.map(\.name).joined(separator: ", "))")
        }
        try console.write(try page.text(from: bytes))
    }
}

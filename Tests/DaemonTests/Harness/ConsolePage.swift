// Pages whose commands are run as they stand there. A fenced block that is marked `console` holds lines of a
// session: `box$ command`, which goes on behind `> `, then what it prints, in which `…` stands for anything,
// over lines too. All commands of a page run in one shell, one after the other, so that a variable lasts.

import Foundation
import Testing

struct ConsolePage {
    struct Step {
        let box: String
        var command: String
        var output: [String] = []
        /// A last line `[exit N]`.
        var exitCode = "0"
        let line: Int
    }

    let name: String
    let text: String
    private(set) var steps: [Step] = []

    /// `name`: a file of Sources/Docs.
    init(_ name: String) throws {
        self.name = name
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        text = try String(
            contentsOfFile: folder.appendingPathComponent("../../../Sources/Docs/\(name)").path,
            encoding: .utf8)
        var isInside = false
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, let match = line.wholeMatch(of: /([a-z]*)\$ (.+)/) {
                steps.append(Step(box: String(match.1), command: String(match.2), line: number + 1))
            } else if isInside {
                try #require(!steps.isEmpty, "\(name):\(number + 1) is output of nothing")
                let last = steps.count - 1
                if steps[last].output.isEmpty, line.hasPrefix("> ") {
                    steps[last].command += "\n" + line.dropFirst(2)
                } else if let match = line.wholeMatch(of: /\[exit ([0-9]+)\]/) {
                    steps[last].exitCode = String(match.1)
                } else {
                    steps[last].output.append(line)
                }
            }
        }
    }

    /// Runs all commands. `sockets`: that of each box. Each command must end with 0, or with what stands
    /// in a last line `[exit N]`, and print what stands below it, on either of its outputs.
    /// `tools`: a folder with further programs.
    func run(home: String, sockets: [String: String], tools: String? = nil) throws {
        let mark = "\u{1E}"
        // What a page starts ends with it, also when it fails half way.
        var script = "cd \(home)\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
        for step in steps {
            let socket = try #require(sockets[step.box], "\(name):\(step.line): no box \(step.box)")
            script += "export REPL_SOCKET=\(socket)\n\(step.command)\nprintf '\(mark)%s\(mark)' $?\n"
        }
        let programs = try #require(Programs.folder)
        let path = home + "/page.sh"
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        let shell = try ChildProcess.run(
            "/usr/bin/env",
            [
                "-i", "PATH=\(programs)\(tools.map { ":" + $0 } ?? ""):/usr/local/bin:/usr/bin:/bin", "HOME=\(home)", "LANG=C.UTF-8",
                "/bin/bash", path,
            ], within: 120)
        let parts = String(decoding: shell.output, as: UTF8.self).components(separatedBy: mark)
        for (number, step) in steps.enumerated() {
            guard parts.count > 2 * number + 1 else {
                Issue.record("\(name):\(step.line): the shell ended before: \(parts.last ?? "")")
                return
            }
            let printed = parts[2 * number].trimmingCharacters(in: .newlines)
            #expect(
                parts[2 * number + 1] == step.exitCode, "\(name):\(step.line): \(step.command): \(printed)")
            let pattern = step.output.joined(separator: "\n").trimmingCharacters(in: .newlines)
            #expect(
                Self.matches(printed, pattern),
                "\(name):\(step.line): \(step.command) printed: \(printed)")
        }
    }

    /// True when the text is the pattern, in which `…` stands for anything.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.components(separatedBy: "…")
        guard parts.count > 1 else { return text == pattern }
        guard text.hasPrefix(parts[0]) else { return false }
        var rest = text.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}

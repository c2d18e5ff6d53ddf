// The examples of Sources/Docs/KINDS.md, typed as they stand there: one box while the other is away, then the
// other, then both.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct KindsPageTests {
        /// A command of the page, and the lines it must print; `…` stands for anything. Nil: not looked at.
        struct Step {
            let box: String
            let command: String
            var output: [String] = []
        }

        /// The console blocks of the page, in order.
        private static func blocks() throws -> [[Step]] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let path = folder.appendingPathComponent("../../Sources/Docs/KINDS.md").path
            var blocks: [[Step]] = []
            var isInside = false
            for line in try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n") {
                if line == "```console" {
                    isInside = true
                    blocks.append([])
                } else if line == "```" {
                    isInside = false
                } else if isInside, let prompt = line.range(of: "$ "), !line.hasPrefix("{") {
                    blocks[blocks.count - 1].append(
                        Step(
                            box: String(line[..<prompt.lowerBound]),
                            command: String(line[prompt.upperBound...])))
                } else if isInside {
                    blocks[blocks.count - 1][blocks[blocks.count - 1].count - 1].output.append(line)
                }
            }
            return blocks
        }

        /// True when the text is the pattern, in which `…` stands for anything.
        static func matches(_ text: String, _ pattern: String) -> Bool {
            let parts = pattern.components(separatedBy: "…")
            guard parts.count == 2 else { return text == pattern }
            return text.count >= parts[0].count + parts[1].count && text.hasPrefix(parts[0])
                && text.hasSuffix(parts[1])
        }

        /// Types a command on a box; gives the lines that it printed.
        private func type(_ command: String, on box: Daemon) throws -> [String] {
            let programs = try #require(Programs.folder)
            let result = try ChildProcess.run(
                "/usr/bin/env",
                [
                    "PATH=\(programs):/usr/bin:/bin", "REPL_SOCKET=\(box.socket)", "/bin/sh", "-c", command,
                ], within: 20)
            let text = String(decoding: result.output, as: UTF8.self)
            #expect(result.end == .exit(0), "\(command): \(text)")
            return text.split(separator: "\n").map(String.init)
        }

        @Test("two boxes that write apart end as the page says, kind by kind")
        func examples() throws {
            let blocks = try Self.blocks()
            try #require(blocks.count == 4 && blocks.allSatisfy { !$0.isEmpty })
            try DaemonWorld.run { world in
                let a = try world.started("a")
                _ = try a.api.createSpace("home")
                let b = try world.started("b", peers: [a])
                _ = try b.api.join(try a.api.token("home"))
                for step in blocks[0] { _ = try type(step.command, on: a) }
                try eventually("b to have the document", within: 20) {
                    try b.api.export("home") == a.api.export("home")
                }
                try b.stop()
                for step in blocks[1] { _ = try type(step.command, on: a) }
                try a.stop()
                try b.start(peers: [a])
                for step in blocks[2] { _ = try type(step.command, on: b) }
                try a.start(peers: [b])
                try eventually("both to be level", within: 20) {
                    let (left, right) = (try a.api.export("home"), try b.api.export("home"))
                    return left == right && String(decoding: left, as: UTF8.self).contains("\"b\":2")
                        && String(decoding: left, as: UTF8.self).contains("\"a\":1")
                }
                for box in [a, b] {
                    for step in blocks[3] {
                        try #require(step.box == "both")
                        let printed = try type(step.command, on: box)
                        #expect(
                            printed.count == step.output.count
                                && zip(printed, step.output).allSatisfy { Self.matches($0, $1) },
                            "\(step.command) on \(box.name): \(printed)")
                    }
                    for (name, values) in [
                        ("items", ["milk", "bread", "eggs"] as Set), ("seen", ["x", "y", "z"]),
                    ] {
                        guard case .array(let shown) = try box.api.value("home", "d")[name] else {
                            Issue.record("\(name) is no array on \(box.name)")
                            continue
                        }
                        #expect(
                            shown.count == 3
                                && shown.allSatisfy { item in values.contains { item == .string($0) } })
                    }
                }
            }
        }

        @Test("a pattern without dots is the text itself")
        func patterns() {
            #expect(Self.matches("a", "a") && !Self.matches("ab", "a"))
            #expect(Self.matches("axb", "a…b") && !Self.matches("ab", "ab…b"))
        }
    }
}

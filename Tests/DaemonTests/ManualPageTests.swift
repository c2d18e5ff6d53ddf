// The manual pages, made as `make install-files` makes them: they name all that the programs take, and mandoc
// finds nothing to complain of.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ManualPageTests {
        /// A page's source, from the program's own description or the config file.
        private func page(_ name: String) throws -> String {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../..").standardized.path
            let source =
                name == "repld.toml"
                ? "cat '\(root)/Config/repld.toml'"
                : "'\(try Programs.path(name))' --experimental-dump-help"
            let made = try ChildProcess.run(
                "/bin/sh", ["-c", "\(source) | '\(try Programs.path("replctl"))' __manual \(name)"],
                within: 20)
            let text = String(decoding: made.output, as: UTF8.self)
            try #require(made.end == .exit(0) && text.hasPrefix(".Dd"), "\(text.prefix(300))")
            return text
        }

        /// What stands on the page when escapes are undone.
        private func plain(_ page: String) -> String {
            page.replacingOccurrences(of: "\\-", with: "-").replacingOccurrences(of: "\\e", with: "\\")
        }

        private func help(_ program: String, _ verbs: [String]) throws -> String {
            let said = try ChildProcess.run(try Programs.path(program), verbs + ["--help"], within: 20)
            try #require(said.end == .exit(0), "\(program) \(verbs)")
            return String(decoding: said.output, as: UTF8.self)
        }

        /// Verbs below, from the part SUBCOMMANDS of a help.
        private func verbs(in help: String) -> [String] {
            guard let part = help.range(of: "SUBCOMMANDS:\n") else { return [] }
            return help[part.upperBound...].matches(of: #/(?m)^ {2}([a-z][a-z-]*)(?:, [a-z-]+)*(?: |$)/#).map
            {
                String($0.1)
            }.filter { $0 != "help" }
        }

        @Test(
            "each verb and each flag of the helps is in the page of its program",
            arguments: ["repld", "replctl", "replsim", "notes"])
        func programs(_ program: String) throws {
            let page = plain(try page(program))
            var ways = [[String]]()
            var left = [[String]()]
            while let way = left.popLast() {
                let help = try self.help(program, way)
                let below = verbs(in: help)
                left += below.map { way + [$0] }
                if below.isEmpty || way.isEmpty { ways.append(way) }
                let isLeaf = !way.isEmpty && below.isEmpty
                let title = ".Ss \(([program] + way).joined(separator: " "))\n"
                let start = isLeaf ? page.range(of: title) : nil
                #expect(!isLeaf || start != nil, "\(way) has no part")
                let part = start.map { page[$0.upperBound...] } ?? page[...]
                let own = part.range(of: "\n.S").map { part[..<$0.lowerBound] } ?? part
                for match in help.matches(of: /(?m)^ {2}(?:-[a-z], )?(--[a-z][a-z0-9-]*)/) {
                    let name = String(match.1).dropFirst()
                    let isGeneral = ["-socket", "-json", "-version", "-help"].contains(name)
                    let place = isGeneral || start == nil ? page[...] : own
                    #expect(place.contains("Fl \(name)"), "\(way) \(match.1)")
                }
            }
            #expect(ways.count > (program == "replctl" ? 30 : 0))
        }

        @Test("each setting of the config file is in repld.toml(5), with its words")
        func settings() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../..").standardized.path
            let file = try String(contentsOfFile: root + "/Config/repld.toml", encoding: .utf8)
            let page = plain(try page("repld.toml"))
            let keys = file.matches(of: #/(?m)^#?([a-z][a-z-]*) = /#).map { String($0.1) }
            #expect(keys.count > 15)
            for key in keys { #expect(page.contains(".It Li \"\(key) = "), "\(key)") }
            #expect(page.contains("Only one repld may use it."))
        }

        @Test(
            "mandoc finds nothing in the pages", .needs("mandoc"),
            arguments: ["repld", "replctl", "replsim", "notes", "repld.toml"])
        func lint(_ name: String) throws {
            let path = NSTemporaryDirectory() + "repld-page-\(UUID().uuidString)"
            defer { unlink(path) }
            try Data(try page(name).utf8).write(to: URL(fileURLWithPath: path))
            let mandoc = try #require(FaultRounds.program("mandoc"))
            let said = try ChildProcess.run(mandoc, ["-T", "lint", path], within: 20)
            let words = String(decoding: said.output, as: UTF8.self)
            #expect(said.end == .exit(0) && words.isEmpty, "\(words)")
            let shown = try ChildProcess.run(mandoc, ["-T", "ascii", path], within: 20)
            #expect(shown.end == .exit(0) && shown.output.count > 500)
        }
    }
}

// Shell scripts, those of the repository and those that replctl prints.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ScriptTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardized.path

        /// Files that begin as shell scripts do.
        private static func scripts() throws -> [String] {
            try ["Config", ".ci", "Tests"].flatMap { folder in
                try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").map {
                    "\(root)/\(folder)/\($0)"
                }
            }.filter { path in
                guard let file = FileHandle(forReadingAtPath: path) else { return false }
                defer { try? file.close() }
                let head = String(decoding: (try? file.read(upToCount: 40)) ?? Data(), as: UTF8.self)
                let first = head.prefix { $0 != "\n" }
                return first.hasPrefix("#!") && (first.hasSuffix("sh") || first.hasSuffix("bash"))
            }.sorted()
        }

        @Test("shellcheck finds nothing in the scripts, nor in the completion of bash", .needs("shellcheck"))
        func scripts() throws {
            let scripts = try Self.scripts()
            try #require(scripts.contains { $0.hasSuffix("/Config/demo") })
            let bash = try ChildProcess.run(try Programs.path("replctl"), ["completion", "bash"], within: 20)
            let completion = NSTemporaryDirectory() + "repld-completion-\(UUID().uuidString)"
            defer { unlink(completion) }
            try Data(bash.output).write(to: URL(fileURLWithPath: completion))
            let said = try ChildProcess.run(
                try #require(FaultRounds.program("shellcheck")),
                ["-s", "bash", "-S", "warning"] + scripts + [completion], within: 60)
            #expect(said.end == .exit(0), "\(String(decoding: said.output, as: UTF8.self))")
        }
    }
}

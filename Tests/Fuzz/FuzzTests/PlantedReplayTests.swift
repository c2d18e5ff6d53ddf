// The fuzzer of histories finds bugs that were planted in the bulk road: `make hunt`. A test that never
// failed would say nothing.

import Foundation
import Testing

@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["REPL_PLANTED_LOOP"] != nil,
        "REPL_PLANTED_LOOP names no build with planted bugs"))
struct PlantedReplayTests {
    /// Each with the executions that must be enough, as Tests/Fuzz/fuzzloop/PlantedReplays.swift has them.
    private static func listed() throws -> [(name: String, executionsMax: String)] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("fuzzloop/PlantedReplays.swift")
        return try String(contentsOf: file, encoding: .utf8)
            .matches(of: /\("([a-z-]+)", ([0-9_]+)\)/).map {
                (String($0.1), String($0.2.replacing("_", with: "")))
            }
    }

    /// Runs `fuzzloop histories COUNT 1` with a bug on: its first line, or the round in which it trapped; nil
    /// when nothing broke.
    private static func broken(_ bug: String?, _ count: String) throws -> String? {
        let program = try #require(ProcessInfo.processInfo.environment["REPL_PLANTED_LOOP"])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["histories", count, "1"]
        process.currentDirectoryURL = folder
        process.environment = ["REPL_PLANTED_BUG": bug, "SWIFT_BACKTRACE": "enable=no"].compactMapValues {
            $0
        }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationReason == .exit {
            return process.terminationStatus == 0 ? nil : String(text.prefix { $0 != "\n" })
        }
        // The number of the round stands after the length of the input.
        let note = Array(try Data(contentsOf: folder.appendingPathComponent("fuzzloop-histories-1")))
        let round = note[8..<16].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return "histories, round \(round) of seed 1: a trap"
    }

    @Test("each planted bug of the bulk road is found, and nothing is without it", .timeLimit(.minutes(10)))
    func hunted() throws {
        let bugs = try Self.listed()
        #expect(bugs.count >= 7)
        var most = "0"
        for (name, executionsMax) in bugs {
            let line = try #require(try Self.broken(name, executionsMax), "\(name) was not found")
            print("\(name): \(line.prefix(100))")
            // Files of the corpus come first: some are kept because they broke by such a bug.
            #expect(
                line.contains(", round ") || line.contains(", a file of the corpus"), "\(name): \(line)")
            if executionsMax.count >= most.count { most = max(most, executionsMax) }
        }
        #expect(try Self.broken(nil, most) == nil)
    }
}

// The decoder of the config file under bent texts. It stands in a program, where the fuzzers of Tests/Fuzz do
// not reach it. More rounds by command: REPL_FUZZ_CONFIG=1000000 (Sources/Docs/TESTING.md).

import Causality
import Foundation
import FuzzDecoders
import Testing

@testable import repld

@Suite struct ConfigFuzzTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["REPL_FUZZ_CONFIG"].flatMap { Int($0) } ?? 3_000

    /// The file that is installed, with its comments and with its keys set, and what TOML has beside.
    private static func seeds() throws -> [[UInt8]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let installed = try String(
            contentsOf: root.appendingPathComponent("Config/repld.toml"), encoding: .utf8)
        let set = installed.split(separator: "\n").map { line in
            line.hasPrefix("#") && line.contains(" = ") ? line.dropFirst().drop { $0 == " " } : line
        }
        let odd = """
            state = '/a' # x
            "name" = \"""
            two "lines\"""
            peers = [ "a:1",
              # inside
              'b:2', ]
            [discovery]
            enabled = true
            ignore = []
            """
        return [
            installed, set.joined(separator: "\n"), odd,
            "discovery.ignore = [\"a\"]\nx = {a = [1, {b = 2}]}\n",
        ]
        .map { Array($0.utf8) }
    }

    @Test("whatever stands in a config file, it is read or refused with a place inside it")
    func bent() throws {
        let seeds = try Self.seeds()
        #expect(throws: Never.self) {
            _ = try ConfigFile(String(decoding: seeds[0], as: UTF8.self), path: "r")
        }
        var random = SeededGenerator(seed: 20_261)
        var (read, refused) = (0, 0)
        let start = ProcessInfo.processInfo.systemUptime
        for round in 0..<Self.rounds {
            let one = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            let other = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            // A piece of a file most of the time: quicker, and the mutations lie closer together.
            let cut = Int.random(in: 0..<one.count, using: &random)
            let piece = round % 8 == 0 ? one : Array(one[cut...].prefix(240))
            let bytes = Mutation.bent(piece, other, countMax: 16_384, using: &random)
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            do {
                let file = try ConfigFile(text, path: "r")
                read += 1
                let again = try ConfigFile(text, path: "r")
                #expect(again == file, "round \(round)")
            } catch {
                refused += 1
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
                #expect(
                    Self.line(of: error).map { (1...lines + 1).contains($0) } ?? true, "\(error): \(text)")
            }
        }
        #expect(read > Self.rounds / 100 && refused > Self.rounds / 100, "\(read) read, \(refused) refused")
        if Self.rounds > 3_000 {
            let took = Int(ProcessInfo.processInfo.systemUptime - start)
            FileHandle.standardError.write(
                Data("figures: config: \(Self.rounds) rounds in \(took) s, \(read) read\n".utf8))
        }
    }

    /// `r:LINE:COLUMN` at the place that the error names.
    private static func line(of error: any Error) -> Int? {
        switch error as? SettingsError {
        case .syntax(_, let line, _, _): line
        case .unknownKey(let place, _, _), .wrongType(let place, _, _):
            place.split(separator: ":").dropFirst().first.flatMap { Int($0) }
        default: nil
        }
    }
}

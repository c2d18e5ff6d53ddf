// The simulator as a program: the seeds that CI runs, and what the command line promises. Needs the release
// program, in $REPL_PROGRAMS.

import Foundation
import Simulator
import Testing

private let programs = ProcessInfo.processInfo.environment["REPL_PROGRAMS"]

@Suite(.enabled(if: programs != nil, "REPL_PROGRAMS names no folder of release programs"), .serialized)
struct ReplSimTests {
    private func replsim(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let run = try FinishedProgram(try #require(programs) + "/replsim", arguments)
        return (run.status, run.output)
    }

    /// `make seeds` runs many more, for longer.
    @Test("seeds of meshes with 3 to 7 nodes break no promise", .timeLimit(.minutes(20)))
    func seeds() throws {
        let (status, output) = try replsim([
            "--start", "1000", "--seeds", "8", "--minutes", "3", "--jobs", "2", "--keep-going",
        ])
        #expect(status == 0, "\(output)")
        #expect(output.contains("8, 0 failed"), "\(output)")
    }

    @Test("each seed that found a bug passes", arguments: KeptSeed.all)
    func kept(seed: KeptSeed) throws {
        let (status, output) = try replsim(["--seed", "\(seed.number)"] + seed.options)
        #expect(status == 0, "\(seed.found)\n\(output)")
    }

    @Test("copies of boxes and old disks put back lose nothing and double nothing", .timeLimit(.minutes(20)))
    func forks() throws {
        let (status, output) = try replsim([
            "--seeds", "6", "--minutes", "5", "--profile", "forks", "--jobs", "2", "--keep-going",
        ])
        #expect(status == 0, "\(output)")
        #expect(output.contains("log-closed") && output.contains("6, 0 failed"), "\(output)")
    }

    /// Among the marks: changes that turned both ways, keys renewed, a removed box that heard of it, and one
    /// that nobody who might had let in.
    @Test("members come and go, and nothing is lost, told or read beyond that", .timeLimit(.minutes(20)))
    func members() throws {
        let run = try ReplSimProgram([
            "--seeds", "90", "--minutes", "3", "--profile", "members", "--jobs", "2", "--keep-going",
            "--json",
        ])
        #expect(run.status == 0, "\(run)")
        let report = try run.report()
        let faults = try #require(report["faults"] as? [String: Int])
        for kind in FaultKind.membership {
            #expect(faults[kind.rawValue] ?? 0 > 0, "\(kind.rawValue) never struck")
        }
        let marks = try #require(report["marks"] as? [String: Int])
        for mark in [
            "member-restricted", "removed", "removed-told", "removed-at-the-end", "turned-void",
            "turned-back", "keys-rotated", "not-admitted", "space-left",
        ] {
            #expect(marks[mark] ?? 0 > 0, "nothing was marked \(mark): \(marks)")
        }
    }

    @Test(
        "the same seeds print the same hash in two processes",
        arguments: [
            ["--start", "7", "--seeds", "3"], ["--start", "1", "--seeds", "2", "--profile", "forks"],
            ["--start", "3", "--seeds", "2", "--profile", "members"],
        ])
    func sameHash(arguments: [String]) throws {
        let runs = try (0..<2).map { _ in try replsim(arguments + ["--minutes", "3"]) }
        let lines = runs.map { run in run.output.split(separator: "\n").filter { $0.hasPrefix("trace hash") }
        }
        #expect(runs[0].status == 0 && lines[0].count == 1 && lines[0] == lines[1], "\(runs)")
    }

    /// Drawn is not struck: each kind has to have done something, and rare roads have to have been taken.
    @Test("every kind of fault strikes in some of 150 short seeds", .timeLimit(.minutes(20)))
    func struck() throws {
        let run = try ReplSimProgram([
            "--seeds", "150", "--minutes", "2", "--jobs", "2", "--keep-going", "--json",
        ])
        #expect(run.status == 0, "\(run)")
        let report = try run.report()
        let faults = try #require(report["faults"] as? [String: Int])
        let ofOthers = FaultKind.membership.union(FaultKind.finiteness)
        for kind in Set(FaultKind.allCases).subtracting(ofOthers) {
            #expect(faults[kind.rawValue] ?? 0 > 0, "\(kind.rawValue) never struck")
        }
        let marks = try #require(report["marks"] as? [String: Int])
        for mark in [
            "store-full", "silence-kept", "lying-digest-told", "buffer-full", "early-changes", "change-void",
            "change-skipped", "watch-resync", "restored", "cloned", "fork-suspicion", "commit-failed",
        ] {
            #expect(marks[mark] ?? 0 > 0, "nothing was marked \(mark): \(marks)")
        }
    }

    @Test(
        "no shipped program has a planted bug, or the name of one",
        arguments: ["repld", "replctl", "replsim", "replbench"])
    func nothingPlanted(program: String) throws {
        let names = try PlantedNames.listed() + PlantedNames.listedForReplay()
        #expect(names.count >= 15)
        let file = URL(fileURLWithPath: try #require(programs)).appendingPathComponent(program)
        let bytes = try Data(contentsOf: file)
        for name in names + ["isPlanted", "PlantedBugs"] {
            #expect(bytes.range(of: Data(name.utf8)) == nil, "\(program) has \(name)")
        }
    }
}

/// `make hunt`.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["REPL_PLANTED"] != nil,
        "REPL_PLANTED names no build with planted bugs"))
struct PlantedBugTests {
    @Test(
        "each planted bug is found by what it breaks, and the seed passes without it",
        .timeLimit(.minutes(60)))
    func hunted() throws {
        let program = try #require(ProcessInfo.processInfo.environment["REPL_PLANTED"])
        let run = try FinishedProgram(program, ["--hunt", "--seeds", "1000", "--jobs", "2"])
        print(run.output)
        let count = try PlantedNames.listed().count
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("\(count) of \(count) planted bugs found"), "\(run.output)")
    }
}

/// The planted bugs, as the sources name them.
@Suite struct PlantedNames {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    static func listed() throws -> [String] {
        let file = sources.appendingPathComponent("Programs/replsim/PlantedNames.swift")
        return try String(contentsOf: file, encoding: .utf8).matches(of: /\("([a-z-]+)", \[/).map {
            String($0.1)
        }
    }

    /// Those of the bulk road, which the fuzzer of histories finds.
    static func listedForReplay() throws -> [String] {
        let file = sources.deletingLastPathComponent()
            .appendingPathComponent("Tests/Fuzz/fuzzloop/PlantedReplays.swift")
        return try String(contentsOf: file, encoding: .utf8).matches(of: /\("([a-z-]+)", [0-9]/).map {
            String($0.1)
        }
    }

    @Test("each planted bug that is listed guards some line, each guard names one, and TESTING.md has it")
    func listedAndUsed() throws {
        let files = try #require(
            FileManager.default.enumerator(
                at: Self.sources.appendingPathComponent("Core"), includingPropertiesForKeys: nil))
        var used: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /isPlanted\("([a-z-]+)"\)/) { used.insert(String(match.1)) }
        }
        let listed = try Self.listed() + Self.listedForReplay()
        #expect(used == Set(listed) && used.count == listed.count)
        let page = try String(
            contentsOf: Self.sources.appendingPathComponent("Docs/TESTING.md"), encoding: .utf8)
        for name in listed { #expect(page.contains("| \(name) |"), "\(name) is not in TESTING.md") }
    }
}

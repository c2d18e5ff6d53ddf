// What the simulator promises as a program: nothing that did not run passes, whatever is wrong is refused
// before anything runs, and a failure comes with its command, its timeline and, when asked, a shorter
// history.

import Foundation
import Testing

/// The release program.
struct ReplSimProgram {
    static let folder = ProcessInfo.processInfo.environment["REPL_PROGRAMS"]

    let status: Int32
    let output: String
    let complaint: String

    /// Runs it to its end; `before` is what the shell does first.
    init(_ arguments: [String], before: String = ":") throws {
        let program = try #require(Self.folder) + "/replsim"
        let run = try FinishedProgram("/bin/sh", ["-c", before + #"; exec "$0" "$@""#, program] + arguments)
        (status, output, complaint) = (run.status, run.output, run.complaint)
    }

    /// The report, when it was asked for as JSON.
    func report() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)")
    }
}

@Suite(
    .enabled(if: ReplSimProgram.folder != nil, "REPL_PROGRAMS names no folder of release programs"),
    .serialized)
struct ReplSimCommandTests {
    private static let step =
        #""operations":[{"op":"increment","document":"a","path":["n"],"by":1}]}"#

    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "workload-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try body(file.path)
    }

    @Test(
        "what cannot be understood is refused before anything runs",
        arguments: [
            ["--nodes", "1"], ["--minutes", "0"], ["--without", "rain"], ["--profile", "sunny"], ["--rain"],
            ["--seed", "7", "--seeds", "5"], ["--seed", "18446744073709551615"], ["--seeds", "0"],
            ["--start", "18446744073709551000", "--seeds", "1000"], ["--limit-seconds", "0"],
            ["--operations=-1"], ["--workload", "/"], ["--workload", "/dev/null"],
        ])
    func refused(arguments: [String]) throws {
        let run = try ReplSimProgram(arguments)
        #expect(run.status == 3 && run.output.isEmpty && run.complaint.hasPrefix("Error: "), "\(run)")
    }

    @Test("the largest seed runs")
    func largest() throws {
        let run = try ReplSimProgram(["--seed", "\(UInt64.max - 1)", "--nodes", "2", "--minutes", "0.2"])
        #expect(run.status == 0 && run.output.contains("1, 0 failed"), "\(run)")
    }

    @Test(
        "a seed gives the same run in every process, where each has its own order of sets and dictionaries",
        arguments: [
            ["--seed", "49"], ["--seed", "7", "--profile", "everything"],
            ["--seed", "8", "--profile", "finite"],
            ["--seed", "9", "--profile", "members", "--with", "extremes,silences,hoarding,lies"],
            ["--seed", "10", "--profile", "forks", "--with", "fork-floods,roster-floods,forgeries,replays"],
        ])
    func everywhere(options: [String]) throws {
        let hashes = try (0..<3).map { _ in
            let run = try ReplSimProgram(options)
            let lines = run.output.split(separator: "\n")
            return try #require(lines.last { $0.hasPrefix("trace hash") }, "\(run)")
        }
        #expect(Set(hashes).count == 1, "\(options)")
    }

    @Test("when no process can be started nothing has passed")
    func nothingRan() throws {
        // Enough descriptors for the program itself, not for a pipe.
        let run = try ReplSimProgram(["--seeds", "3", "--minutes", "1"], before: "ulimit -n 4")
        #expect(run.status == 2 && run.complaint.contains("3 of 3 seeds were not run"), "\(run)")
    }

    @Test("a seed that takes too long is ended and has failed, with its command and timeline")
    func hang() throws {
        let run = try ReplSimProgram([
            "--start", "1", "--seeds", "2", "--minutes", "50000", "--limit-seconds", "1", "--keep-going",
            "--json",
        ])
        #expect(run.status == 1)
        let report = try run.report()
        #expect(report["seeds"] as? Int == 2 && report["failed"] as? Int == 2)
        let failures = try #require(report["failures"] as? [[String: Any]])
        #expect((failures[0]["invariant"] as? String)?.contains("no hang") == true)
        for (seed, failure) in zip(1..., failures) {
            #expect(
                failure["replay"] as? String
                    == "replsim --seed \(seed) --nodes 3-7 --minutes 50000.0 --profile default "
                    + "--limit-seconds 1.0")
        }
        // Its last lines, each with its time; which ones they are depends on how far it came.
        let timeline = try #require(failures[0]["timeline"] as? [String])
        #expect(!timeline.isEmpty && timeline.allSatisfy { $0.contains(" s  ") }, "\(timeline)")
    }

    @Test(
        "a run that ends without a word is made as short as it can be, in JSON too", .timeLimit(.minutes(5)))
    func shrunk() throws {
        let run = try ReplSimProgram([
            "--seed", "5", "--nodes", "2-3", "--minutes", "50000", "--profile", "calm", "--limit-seconds",
            "0.3", "--json", "--shrink",
        ])
        let failures = try #require(try run.report()["failures"] as? [[String: Any]])
        let words = try #require(failures.first?["shrunk"] as? String).split(separator: " ")
        let place = try #require(words.firstIndex(of: "--minutes"))
        #expect(words.contains("--operations") && Double(words[place + 1]) ?? .infinity < 50_000, "\(words)")
    }

    @Test("every step of a workload is made: without faults all are acknowledged, by seed", arguments: 1...3)
    func workload(seed: Int) throws {
        let lines = (0..<20).map { #"{"at":\#($0),"node":\#($0 % 3),\#(Self.step)"# }
        try withFile(lines.joined(separator: "\n\n")) { file in
            let common = [
                "--seed", "\(seed)", "--nodes", "3-5", "--minutes", "5", "--workload", file, "--json",
            ]
            let calm = try ReplSimProgram(common + ["--profile", "calm"])
            #expect(calm.status == 0, "\(calm)")
            let counts = try #require(try calm.report()["workload"] as? [String: Int])
            #expect(counts == ["steps": 20, "acknowledged": 20, "refused": 0, "unanswered": 0])
            #expect(try calm.report()["transactions"] as? Int == 20)

            // A crash may leave one without an answer, a full disk refuse one; none is left out.
            let rough = try ReplSimProgram(common)
            #expect(rough.status == 0, "\(rough)")
            let found = try #require(try rough.report()["workload"] as? [String: Int])
            #expect(found["steps"] == 20 && (found["acknowledged"] ?? 0) >= 10)
            let answered = ["acknowledged", "refused", "unanswered"].compactMap { found[$0] }.reduce(0, +)
            #expect(answered == 20, "\(found)")
        }
    }

    @Test("a refused step is counted, and the timeline says why")
    func refusedStep() throws {
        let splice = #"{"op":"splice","document":"a","path":["t"],"index":5,"delete":9,"insert":"x"}"#
        let text = #"{"at":1,"node":0,"operations":[\#(splice)]}"#
        try withFile(text) { file in
            let run = try ReplSimProgram([
                "--seed", "1", "--nodes", "2", "--minutes", "1", "--profile", "calm", "--trace", "--workload",
                file,
            ])
            #expect(
                run.output.contains("1 steps: 0 acknowledged, 1 refused, 0 unanswered, 0 not made"), "\(run)")
            #expect(run.output.contains("node 0 refused line 1 of the script"), "\(run)")
        }
    }

    @Test("a step that no seed could make is refused, with the number of its line")
    func impossibleSteps() throws {
        let good = #"{"at":1,"node":0,\#(Self.step)"#
        for (bad, arguments) in [
            (#"{"at":1,"node":3,\#(Self.step)"#, []),
            (#"{"at":1,"node":2,\#(Self.step)"#, ["--with", "equivocation"]),
            (#"{"at":600,"node":1,\#(Self.step)"#, []),
            (#"{"at":1}"#, []), ("rain", []),
        ] {
            try withFile("\(good)\n\n \n\(bad)\n") { file in
                let run = try ReplSimProgram(["--workload", file] + arguments)
                #expect(run.status == 3 && run.complaint.contains("line 4: "), "\(run)")
            }
        }
        try withFile("\n\n") { file in
            let run = try ReplSimProgram(["--workload", file])
            #expect(run.status == 3 && run.complaint.contains("has no step"))
        }
    }
}

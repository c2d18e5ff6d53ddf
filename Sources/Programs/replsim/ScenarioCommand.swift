// Plays scenarios from files: what the nodes of a simulated mesh do, and what is expected of them.

import ArgumentParser
import Glibc
import Scenarios

struct ScenarioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Plays scenarios: commands and expectations, a line each.",
        discussion: """
            A line that does not hold is printed with its file and number, with what it expected and \
            what was found. Tests/Scenarios of the sources has examples, and README.md there all commands.

            Exit codes: 0 all hold, 1 one does not, 3 a file cannot be read.
            """)

    @Argument(help: "Files to play, each in a world of its own.")
    var files: [String]

    func run() throws {
        var failed = 0
        for file in files {
            let bytes = try WorkloadLine.bytes(of: file)
            let scenario = Scenario(file: file, text: String(decoding: bytes, as: UTF8.self))
            do throws(ScenarioFault) {
                try scenario.run()
                print("ok      \(file)")
            } catch {
                failed += 1
                print("failed  \(error)")
            }
            fflush(nil)
        }
        if failed > 0 { throw ExitCode(1) }
    }
}

// Runs a command in this process, with files for its input and output.

import Foundation
import ReplClient
import Testing

@testable import replctl

/// How a command ended and what it said.
struct CommandResult {
    let code: ExitCode
    let output: String
    let error: String
}

/// Input is empty unless given.
func replctl(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
) async throws -> CommandResult {
    let folder = Folder()
    let paths = ["in", "out", "err"].map { folder.path + "/" + $0 }
    try input.write(toFile: paths[0], atomically: false, encoding: .utf8)
    let descriptors = [
        open(paths[0], O_RDONLY), open(paths[1], O_WRONLY | O_CREAT, 0o600),
        open(paths[2], O_WRONLY | O_CREAT, 0o600),
    ]
    defer { for descriptor in descriptors { close(descriptor) } }
    try #require(descriptors.allSatisfy { $0 >= 0 })
    let console = Console(input: descriptors[0], output: descriptors[1], error: descriptors[2]) {
        environment[$0]
    }
    // Other tests keep all threads busy for minutes while a daemon's answer waits for one.
    let code = await ClientRequest.$timeoutSecondsDefault.withValue(3_600) {
        await Console.$current.withValue(console) { await Replctl.run(arguments) }
    }
    return CommandResult(
        code: code, output: try String(contentsOfFile: paths[1], encoding: .utf8),
        error: try String(contentsOfFile: paths[2], encoding: .utf8))
}

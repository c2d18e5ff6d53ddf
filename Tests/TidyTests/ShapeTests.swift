// The shape of the code, as the compiler's index tells it: shape.py beside this file measures it and knows
// the bounds. The index comes with a debug build, so it is there whenever `swift test` built these tests.

import Foundation
import Testing

private let script = SourceTree.root.appendingPathComponent("Tests/TidyTests/shape.py").path
private let index = SourceTree.root.appendingPathComponent(".build/debug/index/store").path

/// Exit code and everything printed.
private func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", script] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

@Suite struct ShapeTests {
    @Test(
        "machines, circles of calls, inputs, effects, functions and files keep to the bounds of shape.py",
        .enabled("no index store of a debug build, or no python3") {
            FileManager.default.fileExists(atPath: index) && (try? run(["--help"]).code) == 0
        })
    func bounds() throws {
        let (code, output) = try run([])
        #expect(code == 0, "\(output)")
        print(output)
    }

    @Test("shape.py measures a module whose circles, machines and long functions are known")
    func itself() throws {
        let (code, output) = try run(["--self-test"])
        #expect(code == 0, "\(output)")
    }
}

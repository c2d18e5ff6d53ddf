// Tests/Interop/block_reader.py, a reader that was written from WIRE.md alone and shares no code with ours:
// what it understands of our bytes, the page says.

import Bytes
import Causality
import Foundation
import Testing
import Wire

enum IndependentReader {
    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Interop/block_reader.py").path

    private static func run(_ arguments: [String]) throws -> (code: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.standardError
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    static let isThere = (try? run(["-c", "0"]).code) == 0

    /// What it says of each case: its fault, or what it read.
    static func read(_ cases: [[String: Any]]) throws -> [VectorCase] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cases-\(UUID()).json")
        try JSONSerialization.data(withJSONObject: cases).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (code, output) = try run([script, file.path])
        try #require(code == 0, "block_reader.py ends with \(code)")
        let answers = try #require(JSONSerialization.jsonObject(with: output) as? [[String: Any]])
        try #require(answers.count == cases.count)
        return answers.map { VectorCase(fields: $0) }
    }
}

/// Changes as both readers say them: log and canonical bytes of each.
struct CanonicalChange: Equatable {
    let replica: String
    let hex: String

    /// Of changes in a causal order, whose logs begin where `starts` says.
    static func of(_ changes: [Change], starts: [ReplicaID: BoundaryPosition] = [:]) -> [CanonicalChange] {
        var coders: [ReplicaID: LogCoder] = [:]
        return changes.map { change in
            let start = starts[change.replica] ?? .start
            var writer = ByteWriter()
            coders[change.replica, default: LogCoder(replica: change.replica, at: start)]
                .encode(change, into: &writer)
            return CanonicalChange(replica: "\(change.replica)", hex: Hex.encode(writer.bytes))
        }
    }

    /// Of a vector, or of what the other reader said.
    static func of(_ one: VectorCase) throws -> [CanonicalChange] {
        try one.list("changes").map {
            CanonicalChange(replica: try $0.text("replica"), hex: try $0.text("hex"))
        }
    }

    /// As vectors have it.
    var fields: [String: Any] { ["replica": replica, "hex": hex] }
}

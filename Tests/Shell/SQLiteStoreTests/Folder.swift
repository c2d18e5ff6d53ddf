// A directory for one test, and what a person or a backup program does to files.

import Foundation
import Testing

/// A directory that goes with its last reference.
final class Folder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("repld-\(UUID().uuidString)")
        path = url.path
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a database that is empty.
    func emptyDatabase() throws -> String {
        let database = "\(path)/repld.db"
        try Data().write(to: URL(fileURLWithPath: database))
        return database
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }

    /// Runs a program to its end; it must succeed.
    func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/\(program)")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(program) \(arguments)")
    }
}

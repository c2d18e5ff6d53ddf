// A program run to its end by posix_spawn and waitpid. Foundation's Process waits for a notification that
// does not come when the suite of planted bugs runs alone: the program had ended, and the test waited on.

import Foundation
import Testing

/// How a program ended, and what it wrote. Its output goes to files, so that neither stream can fill a pipe.
struct FinishedProgram {
    /// The exit code, or 128 and the number of the signal that ended it.
    let status: Int32
    let output: String
    let complaint: String

    init(_ program: String, _ arguments: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "repld-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "complaint"].map { folder.appendingPathComponent($0) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, file) in zip([1, 2] as [Int32], files) {
            posix_spawn_file_actions_addopen(&actions, descriptor, file.path, O_WRONLY | O_CREAT, 0o600)
        }
        // Descriptors of other tests are not the program's; closing one that is gone is no error.
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            if let descriptor = Int32(name), descriptor > 2 {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }
        let words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &actions, nil, words + [nil], environ)
        try #require(failure == 0, "\(program): \(String(cString: strerror(failure)))")
        var end: Int32 = 0
        while waitpid(process, &end, 0) < 0 {
            try #require(errno == EINTR, "\(program) was lost: \(String(cString: strerror(errno)))")
        }
        status = end & 0x7F == 0 ? (end >> 8) & 0xFF : 128 + (end & 0x7F)
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        (output, complaint) = (texts[0], texts[1])
    }
}

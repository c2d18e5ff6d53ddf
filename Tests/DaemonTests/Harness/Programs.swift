// The release programs under test, and children that are always ended: `make test` names their folder in
// REPL_PROGRAMS.

import Foundation
import Testing

enum Programs {
    static let folder = ProcessInfo.processInfo.environment["REPL_PROGRAMS"].flatMap { $0.isEmpty ? nil : $0 }
    static let traces = ProcessInfo.processInfo.environment["REPL_TRACES"].flatMap { $0.isEmpty ? nil : $0 }

    /// The repld of an earlier release, for tests of two releases.
    static let old = ProcessInfo.processInfo.environment["REPL_OLD_PROGRAM"].flatMap { $0.isEmpty ? nil : $0 }
    /// The version whose state directory is to be kept, by its own programs.
    static let keptVersion = ProcessInfo.processInfo.environment["REPL_KEEP_STATE"]

    static func path(_ name: String) throws -> String {
        let folder = try #require(folder, "REPL_PROGRAMS names no folder")
        return folder + "/" + name
    }

    /// Editing traces, those of one kind by name; empty without REPL_TRACES.
    static func traceFiles() -> [String] {
        guard let traces, let names = try? FileManager.default.contentsOfDirectory(atPath: traces) else {
            return []
        }
        return names.filter { $0.hasSuffix(".json.gz") || $0.hasSuffix(".json") }.sorted().map {
            traces + "/" + $0
        }
    }
}

/// Descriptors of other tests are not the child's, or what they wait for would not end before it does.
/// Closing one that is gone is no error.
func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        if let descriptor = Int32(name), descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
}

/// `posix_spawn` of a program that signals reach: threads of tests block them, and a child inherits that.
func spawn(
    _ pid: inout pid_t, _ program: String, _ actions: inout posix_spawn_file_actions_t,
    _ words: [UnsafeMutablePointer<CChar>?], _ variables: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    return posix_spawn(&pid, program, &actions, &attributes, words + [nil], variables)
}

/// A child process whose output goes to a file.
final class ChildProcess {
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    let pid: pid_t
    private(set) var end: End?

    /// `output` is appended to.
    init(_ program: String, _ arguments: [String], output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        closeOthers(&actions)
        let words = ([program] + arguments).map { strdup($0) }
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        let result = spawn(&pid, program, &actions, words, environ)
        guard result == 0 else { throw ConnectionFailure.failed("posix_spawn \(program)", result) }
        self.pid = pid
    }

    deinit { if poll() == nil { finish(with: SIGKILL) } }

    /// How it ended, nil while it runs.
    @discardableResult
    func poll() -> End? {
        if end == nil {
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid { end = Self.read(status) }
        }
        return end
    }

    func signal(_ number: Int32) { if poll() == nil { kill(pid, number) } }

    /// Waits for the end.
    func waitForEnd(within seconds: Double, _ what: String) throws -> End {
        try eventually("\(what) to end", within: seconds) { poll() != nil }
        return try #require(end)
    }

    /// Sends the signal, which must be one that nobody survives, and reaps the child.
    func finish(with number: Int32) {
        guard poll() == nil else { return }
        kill(pid, number)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        end = Self.read(status)
    }

    private static func read(_ status: Int32) -> End {
        status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
    }

    /// Runs a program to its end; its output.
    static func run(_ program: String, _ arguments: [String], within seconds: Double) throws -> (
        end: End, output: [UInt8]
    ) {
        let output = NSTemporaryDirectory() + "repld-output-\(UUID().uuidString)"
        defer { unlink(output) }
        let child = try ChildProcess(program, arguments, output: output)
        let end = try child.waitForEnd(within: seconds, "\(program) \(arguments.joined(separator: " "))")
        return (end, Array(try Data(contentsOf: URL(fileURLWithPath: output))))
    }
}

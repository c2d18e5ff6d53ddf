// A repld of the test's own, for what only a real one shows: commits, cursors that outlive it, kill -9.
// Without REPL_PROGRAMS (`make test` sets it) the suites that need one are skipped.

import Foundation
import ReplModeling
import Synchronization
import Testing

enum RealPrograms {
    static let folder = ProcessInfo.processInfo.environment["REPL_PROGRAMS"].flatMap { $0.isEmpty ? nil : $0 }
}

/// A daemon in a folder of its own; both go with it.
final class RealDaemon: Sendable {
    let folder: String
    var socket: String { folder + "/s" }
    private enum Process {
        case none
        case running(pid_t)
        /// The test is over: nothing is started any more.
        case ended
    }
    private let process = Mutex(Process.none)

    /// With a space "home".
    static func run(_ body: (RealDaemon, Space<Household>) async throws -> Void) async throws {
        let daemon = try RealDaemon()
        try daemon.start()
        defer { daemon.end() }
        let client = ReplClient(socket: daemon.socket)
        let waiting = ContinuousClock.now
        while true {
            do {
                _ = try await client.call(
                    ClientRequest("POST", ["spaces"], body: Array(#"{"name":"home"}"#.utf8)))
                break
            } catch {
                // In a run of all tests its process may wait for minutes for its turn.
                try #require(
                    ContinuousClock.now - waiting < .seconds(3_000), "the daemon does not answer: \(error)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await body(daemon, Space("home", client: client, patience: .seconds(60)))
    }

    private init() throws {
        var template = Array("/tmp/rm-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func start() throws {
        try process.withLock { process in
            guard case .none = process else { return }
            process = .running(try spawn())
        }
    }

    private func spawn() throws -> pid_t {
        let program = try #require(RealPrograms.folder, "REPL_PROGRAMS names no folder") + "/repld"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, folder + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // What other tests have open would stay open as long as the daemon lives.
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            if let descriptor = Int32(name), descriptor > 2 {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }
        let arguments = ["--state", folder + "/state", "--socket", socket, "--listen", "127.0.0.1:0"]
        let words = ([program] + arguments + ["--no-discovery", "--name", "box"]).map { strdup($0) }
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, program, &actions, nil, words + [nil], environ)
        try #require(failure == 0, "posix_spawn \(program): \(failure)")
        return pid
    }

    /// kill -9, and its end.
    func kill() { process.withLock { if Self.reap($0) { $0 = .none } } }

    private func end() {
        process.withLock {
            _ = Self.reap($0)
            $0 = .ended
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func reap(_ process: Process) -> Bool {
        guard case .running(let pid) = process else { return false }
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return true
    }
}

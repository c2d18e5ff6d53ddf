// Programs of the tests that are told what to do by lines on stdin and answer each by a line: chaosrelay and
// hostilepeer. They lie beside the program that runs the tests.

import Foundation
import Testing

/// A running tool; ended with its owner.
final class Tool {
    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private var held: [UInt8] = []

    /// The path of a tool; nil when it was not built.
    static func path(_ name: String) -> String? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = URL(fileURLWithPath: own).deletingLastPathComponent().path + "/" + name
        return access(path, X_OK) == 0 ? path : nil
    }

    /// `wrapper`: words before the program.
    init(_ name: String, _ arguments: [String], wrapper: [String] = []) throws {
        let program = try #require(Tool.path(name), "\(name) does not lie beside the tests")
        let words = wrapper + [program] + arguments
        var (down, up): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&down) == 0, pipe(&up) == 0 else { throw ConnectionFailure.failed("pipe", errno) }
        for descriptor in down + up { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, down[0], 0)
        posix_spawn_file_actions_adddup2(&actions, up[1], 1)
        closeOthers(&actions)
        let pointers = words.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        var pid: pid_t = 0
        let result = spawn(&pid, words[0], &actions, pointers, environ)
        close(down[0])
        close(up[1])
        (process, input, output) = (pid, down[1], up[0])
        guard result == 0 else { throw ConnectionFailure.failed("posix_spawn \(name)", result) }
    }

    deinit {
        close(input)
        close(output)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Says a line and gives the answer to it.
    @discardableResult
    func ask(_ line: String, within seconds: Double = 30) throws -> String {
        try begin(line)
        return try answer(within: seconds)
    }

    /// Says a line; the answer is asked for later.
    func begin(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(input, bytes, bytes.count) == bytes.count else {
            throw ConnectionFailure.failed("write to a tool", errno)
        }
    }

    /// The next line that it says.
    func answer(within seconds: Double = 30) throws -> String {
        let deadline = secondsNow() + seconds
        while true {
            if let end = held.firstIndex(of: 0x0A) {
                defer { held.removeSubrange(...end) }
                return String(decoding: held[..<end], as: UTF8.self)
            }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = deadline - secondsNow()
            guard left > 0, poll(&entry, 1, Int32(left * 1_000) + 1) >= 0 else {
                throw ConnectionFailure.timedOut("the answer of a tool, \(seconds) s")
            }
            guard entry.revents != 0 else { continue }
            var piece = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &piece, piece.count)
            guard count > 0 else { throw ConnectionFailure.ended("the tool ended") }
            held += piece[..<count]
        }
    }
}

/// The bad network.
extension Tool {
    /// A relay with these routes, ready; `box`: it runs there.
    static func relay(_ routes: [String], seed: Int = 7, in box: NamespaceBox? = nil) throws -> Tool {
        let wrapper = try box.map {
            [try #require(NamespaceCommands.ip), "netns", "exec", $0.namespace]
        }
        let tool = try Tool("chaosrelay", ["\(seed)"] + routes, wrapper: wrapper ?? [])
        let ready = try tool.answer()
        try #require(ready == "ready", "\(ready)")
        return tool
    }

    /// Changes of its weather.
    func set(_ lines: String...) throws {
        for line in lines {
            let answer = try ask(line)
            try #require(answer == "ok", "\(line): \(answer)")
        }
    }

    /// A number of its own count: connections, bytes, datagrams, dropped.
    func count(_ name: String) throws -> Int {
        let words = try ask("stats").split(separator: " ")
        let index = try #require(words.firstIndex { $0 == name })
        return try #require(Int(words[index + 1]))
    }
}

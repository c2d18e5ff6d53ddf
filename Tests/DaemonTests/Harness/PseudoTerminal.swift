// A program on a terminal of its own, and the keys that a person presses there.

import Foundation
import Testing

/// Ended with its owner.
final class PseudoTerminal {
    private let process: pid_t
    private let master: Int32
    /// All that it wrote, control sequences and the echo of the keys too.
    private(set) var screen = ""

    /// `environment`: all of it, NAME=VALUE.
    init(_ words: [String], environment: [String]) throws {
        var (upper, lower): (Int32, Int32) = (-1, -1)
        // So wide that no line is broken.
        var size = winsize(ws_row: 50, ws_col: 250, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&upper, &lower, nil, nil, &size) == 0 else {
            throw ConnectionFailure.failed("openpty", errno)
        }
        master = upper
        defer { close(lower) }
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_adddup2(&actions, lower, descriptor) }
        closeOthers(&actions)
        // It becomes the program, as the leader of a session whose terminal this is.
        let words = ["/usr/bin/setsid", "--ctty"] + words
        let arguments = words.map { strdup($0) }
        var variables = environment.map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let result = spawn(&pid, words[0], &actions, arguments, &variables)
        guard result == 0 else {
            close(master)
            throw ConnectionFailure.failed("posix_spawn \(words[0])", result)
        }
        process = pid
    }

    deinit {
        // The whole session: a shell has children.
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
        close(master)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    func type(_ keys: String) throws {
        let bytes = Array(keys.utf8)
        guard write(master, bytes, bytes.count) == bytes.count else {
            throw ConnectionFailure.failed("write to a terminal", errno)
        }
    }

    /// Reads until the screen, from here on, contains the text.
    func wait(for text: String, within seconds: Double = 30) throws {
        let deadline = secondsNow() + seconds
        while !screen.contains(text) {
            var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            let left = deadline - secondsNow()
            guard left > 0, poll(&entry, 1, Int32(left * 1_000) + 1) >= 0 else {
                throw ConnectionFailure.timedOut(
                    "\(text) on the terminal, which shows: \(screen.debugDescription)")
            }
            guard entry.revents != 0 else { continue }
            var piece = [UInt8](repeating: 0, count: 4_096)
            let count = read(master, &piece, piece.count)
            guard count > 0 else {
                throw ConnectionFailure.ended("the terminal, which shows: \(screen.debugDescription)")
            }
            screen += String(decoding: piece[..<count], as: UTF8.self)
        }
    }

    func clear() { screen = "" }
}

// A child that runs seeds and says so line by line. Its standard error is kept, since that is where a trap
// says what it was.

import Glibc

/// This program, started again.
struct ChildProcess {
    let pid: pid_t
    let output: Int32
    private let errors: Int32
    private var buffer: [UInt8] = []

    /// Nil when no process can be made.
    init?(_ arguments: [String]) {
        var out: [Int32] = [0, 0]
        guard pipe(&out) == 0 else { return nil }
        for end in out { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A file without a name that anybody knows: a pipe could fill up while nobody reads it.
        var name = Array(("/tmp/replsim-" + String(repeating: "X", count: 6)).utf8CString)
        errors = mkstemp(&name)
        unlink(name)
        if errors >= 0 { _ = fcntl(errors, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        if errors >= 0 { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
        var words = (["replsim"] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, "/proc/self/exe", &actions, nil, words, environ)
        close(out[1])
        guard status == 0 else {
            close(out[0])
            return nil
        }
        pid = child
        output = out[0]
    }

    /// What it has used of a processor, until it ended.
    var processorSeconds: Double? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Lines that arrived; waits for the next bytes. Nil at the end.
    mutating func lines() -> [String]? {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(output, &piece, piece.count)
        guard count > 0 else { return nil }
        buffer += piece[..<count]
        guard let end = buffer.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let whole = buffer[..<end]
        defer { buffer.removeFirst(end + 1) }
        return whole.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Ends it if it runs, and says how it ended: a trap in its own words on standard error.
    func finish(killing: Bool = false) -> String {
        if killing { kill(pid, SIGKILL) }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        close(output)
        let ending = status & 0x7F == 0 ? "exit code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
        guard errors >= 0 else { return ending }
        defer { close(errors) }
        lseek(errors, 0, SEEK_SET)
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(errors, &piece, piece.count), count > 0, text.count < 1 << 20 {
            text += piece[..<count]
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let fatal = lines.first { $0.contains("Fatal error") || $0.contains("error:") }
        guard let words = fatal ?? lines.first else { return ending }
        return "\(ending): \(words)"
    }
}

// The program that `watch --exec` runs: a change on its standard input, one run at a time. It is started
// without a shell, with the words as they were typed.

import Glibc
import Terminal

/// A command, found and ready to run.
struct Hook {
    /// How a run ended.
    enum End: Equatable {
        case succeeded
        /// In words: `exit code 3`, `signal 9`.
        case failed(String)
    }

    let words: [String]
    private let program: String
    private let console: Console
    /// The environment of a run, `NAME=VALUE`.
    private let environment: [String]
    /// Every run has it as a descriptor of its own (`CursorFile`); nil: there is none.
    private let inherited: CInt?
    private static let inheritedAs: CInt = 3

    /// `socket`: of the daemon, for the replctl that the command may run. A program that is not there is
    /// found out before the first change comes.
    init(
        _ words: [String], socket: String, inheriting descriptor: CInt?, _ console: Console
    ) throws(CommandFailure) {
        guard let first = words.first, !first.isEmpty else {
            throw CommandFailure(
                .badInput, "--exec names no command", hint: "write it last: --exec COMMAND ARGUMENT…")
        }
        guard let program = Self.find(first, in: console.environment("PATH") ?? "/usr/bin:/bin") else {
            let isLine = first.contains(" ") && words.count == 1
            throw CommandFailure(
                .badInput, "there is no program \(first)",
                hint: isLine
                    ? "no shell reads it; for a line of shell: --exec sh -c '\(first)'"
                    : "name it with its path, or one of PATH", name: "no-such-program")
        }
        (self.words, self.program, self.console, inherited) = (words, program, console, descriptor)
        environment = Self.environment(naming: socket)
    }

    /// Runs it on these bytes, and waits for its end. A command that reads nothing, or not all, may succeed.
    func run(on input: [UInt8]) -> End {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { return .failed("no pipe: \(String(cString: strerror(errno)))") }
        // The command's copy of the other end would keep its input from ending.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let started = Result { () throws(ChildStart.Failure) in try start(reading: ends[0]) }
        close(ends[0])
        if case .success = started { _ = Descriptor.write(input, to: ends[1]) }
        close(ends[1])
        let status: CInt
        do throws(ChildStart.Failure) {
            status = try ChildStart.end(of: try started.get())
        } catch {
            if case .failure = started { return .failed("cannot start it: \(error.reason)") }
            return .failed("it was lost: \(error.reason)")
        }
        let (signal, code) = (status & 0x7F, (status >> 8) & 0xFF)
        if signal != 0 { return .failed("signal \(signal)") }
        return code == 0 ? .succeeded : .failed("exit code \(code)")
    }

    private func start(reading input: CInt) throws(ChildStart.Failure) -> pid_t {
        var child = ChildStart(words)
        child.path = program
        child.environment = environment
        child.descriptors = [(STDIN_FILENO, .copy(of: input))]
        if console.output >= 0 { child.descriptors.append((STDOUT_FILENO, .copy(of: console.output))) }
        if console.error >= 0 { child.descriptors.append((STDERR_FILENO, .copy(of: console.error))) }
        if let inherited { child.descriptors.append((Self.inheritedAs, .copy(of: inherited))) }
        return try child.start()
    }

    /// As `execvp` looks.
    private static func find(_ name: String, in path: String) -> String? {
        if name.contains("/") { return isProgram(name) ? name : nil }
        for folder in path.split(separator: ":", omittingEmptySubsequences: false) {
            let candidate = (folder.isEmpty ? "." : String(folder)) + "/" + name
            if isProgram(candidate) { return candidate }
        }
        return nil
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func environment(naming socket: String) -> [String] {
        var found: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !text.hasPrefix("REPL_SOCKET=") { found.append(text) }
            next += 1
        }
        return found + ["REPL_SOCKET=\(socket)"]
    }
}

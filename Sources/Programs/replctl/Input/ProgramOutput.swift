// What another program of the system prints: of those that tell about a unit and its log.

import Glibc
import Terminal

enum ProgramOutput {
    private static let bytesMax = 4 << 20
    private static let milliseconds: Int32 = 20_000

    /// Its standard output, at most 4 MiB of it; nil when it cannot be started, fails, or says nothing
    /// for 20 s.
    static func read(_ words: [String]) -> [UInt8]? {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var child = ChildStart(words)
        child.descriptors = [(STDIN_FILENO, .null), (STDOUT_FILENO, .copy(of: ends[1]))]
        child.descriptors.append((STDERR_FILENO, .null))
        let started = Result { () throws(ChildStart.Failure) in try child.start() }
        close(ends[1])
        do throws(ChildStart.Failure) {
            let process = try started.get()
            let output = drain(ends[0])
            if output == nil { kill(process, SIGKILL) }
            return try ChildStart.end(of: process) == 0 ? output : nil
        } catch {
            return nil
        }
    }

    /// Nil when it was waited for in vain; what is over the limit is read and left out.
    private static func drain(_ descriptor: CInt) -> [UInt8]? {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wait, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output }
            output += piece[..<min(count, bytesMax - output.count)]
        }
    }
}

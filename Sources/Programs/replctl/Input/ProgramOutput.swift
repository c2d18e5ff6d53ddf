// What another program of the system prints: of those that tell about a unit and its log.

import Glibc

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
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, words[0], &files, nil, &arguments, environ)
        close(ends[1])
        guard code == 0 else { return nil }
        let output = drain(ends[0])
        if output == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? output : nil
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

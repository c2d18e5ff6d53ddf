// How another program is started: the one place of our clients that does. A child is started by
// `posix_spawn`, since `fork` in a process with threads leaves locks held that nobody will release.

public import Glibc

/// A program to be started beside this one, and what it gets.
public struct ChildStart {
    /// Why there is no child.
    public struct Failure: Error, Equatable, Sendable {
        let code: CInt

        /// The system's words for the error.
        public var reason: String { String(cString: strerror(code)) }
    }

    /// Where a descriptor of the child comes from.
    public enum Source: Equatable, Sendable {
        /// One of ours, which stays open here.
        case copy(of: CInt)
        case null
    }

    /// The program's name and its arguments; the name is looked for in PATH unless it has a slash.
    private let words: [String]
    /// A program of this path, whatever the first word is: one that the system can run by itself.
    public var path: String?
    /// `NAME=VALUE`; nil: ours.
    public var environment: [String]?
    /// Which descriptors of the child are what; others of ours that are not closed on exec stay as they are.
    public var descriptors: [(CInt, Source)] = []
    /// Signals that do there what they do in a fresh process. We ignore SIGPIPE, and what is ignored stays so
    /// in a child.
    public var defaultSignals: [CInt] = [SIGPIPE]
    /// No signal is blocked there: threads of libdispatch have some blocked.
    public var unblocksSignals = false
    /// It has a session of its own, which Ctrl-C on our terminal does not reach.
    public var hasOwnSession = false

    public init(_ words: [String]) { self.words = words }

    /// Its process. Whoever starts it waits for it with `end(of:)`, or leaves it to run on by itself.
    public func start() throws(Failure) -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for (descriptor, source) in descriptors {
            switch source {
            case .copy(let own): posix_spawn_file_actions_adddup2(&files, own, descriptor)
            case .null: posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = Int16(POSIX_SPAWN_SETSIGDEF)
        var signals = sigset_t()
        sigemptyset(&signals)
        if unblocksSignals {
            posix_spawnattr_setsigmask(&attributes, &signals)
            flags |= Int16(POSIX_SPAWN_SETSIGMASK)
        }
        for signal in defaultSignals { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        if hasOwnSession { flags |= Self.newSession }
        posix_spawnattr_setflags(&attributes, flags)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let code = variables.withUnsafeMutableBufferPointer { own in
            let given = environment == nil ? environ : own.baseAddress
            guard let path else {
                return posix_spawnp(&process, words[0], &files, &attributes, &arguments, given)
            }
            return posix_spawn(&process, path, &files, &attributes, &arguments, given)
        }
        guard code == 0 else { throw Failure(code: code) }
        return process
    }

    /// Waits for the end of a child; its status as `waitpid` gives it.
    public static func end(of process: pid_t) throws(Failure) -> CInt {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(code: errno) }
        }
        return status
    }

    /// POSIX_SPAWN_SETSID of glibc, which Swift does not see without _GNU_SOURCE.
    private static let newSession: Int16 = 0x80
}

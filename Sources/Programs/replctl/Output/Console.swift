// Where the words of a command go. The descriptors and the environment are a value, so that tests run
// commands in their own process and read what they said. Nothing that came from a document or a peer reaches
// a terminal as it is: control characters in it could move the cursor or worse.

import Glibc
import Synchronization

/// Standard input, output and error of a command, and its environment.
struct Console: Sendable {
    let input: CInt
    let output: CInt
    let error: CInt
    let environment: @Sendable (String) -> String?
    /// Who read standard input to its end has left nothing for another.
    private let inputTurn = InputTurn()

    /// The one of the running command.
    @TaskLocal static var current = Console.process

    /// The process's own; `main` makes it before anything else, see `inherited`.
    static let process = {
        let (input, output) = (inherited(STDIN_FILENO), inherited(STDOUT_FILENO))
        return Console(input: input, output: output, error: inherited(STDERR_FILENO)) { name in
            getenv(name).map { String(cString: $0) }
        }
    }()

    /// The descriptor as whoever started us gave it. Where it is closed, the next thing that we open would
    /// get its number, and a command would read its own pipe or write into its own socket: something takes
    /// its place on which every read (of 0) and every write (of 1 and 2) fails at once. What the language's
    /// runtime opened in that place before us is closed on exec; what is inherited never is.
    private static func inherited(_ descriptor: CInt) -> CInt {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { return descriptor }
        return open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }

    init(
        input: CInt, output: CInt, error: CInt, environment: @escaping @Sendable (String) -> String?
    ) {
        self.input = input
        self.output = output
        self.error = error
        self.environment = environment
    }

    var isTerminal: Bool { isatty(output) == 1 }
    /// Progress and colours of messages depend on where those go.
    var isErrorTerminal: Bool { isatty(error) == 1 }

    /// True for the first who asks: standard input can be read once.
    func takeInput() -> Bool { inputTurn.take() }

    // MARK: Writing

    func write(_ bytes: [UInt8]) throws(OutputClosed) {
        guard Descriptor.write(bytes, to: output) else { throw OutputClosed() }
    }

    func write(_ text: String) throws(OutputClosed) { try write(Array(text.utf8)) }

    /// Ends the line if the text does not.
    func writeLine(_ bytes: [UInt8]) throws(OutputClosed) {
        try write(bytes.last == 0x0A ? bytes : bytes + [0x0A])
    }

    func writeLine(_ text: String) throws(OutputClosed) { try write(Array((text + "\n").utf8)) }

    /// To standard error, where nobody may be listening.
    func complain(_ text: String) {
        Descriptor.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: error)
    }

    // MARK: Looks

    enum Paint: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    private var wantsColour: Bool {
        (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    /// In colour where standard output is a terminal.
    func painted(_ text: String, _ paint: Paint) -> String {
        isTerminal && wantsColour ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }

    func paintedError(_ text: String, _ paint: Paint) -> String {
        isErrorTerminal && wantsColour ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// On one line, with what could steer a terminal written as an escape.
    func safe(_ text: some StringProtocol) -> String { Printable.line(text) }
}

/// Whether standard input was given to a reader.
private final class InputTurn: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}

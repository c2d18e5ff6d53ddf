// A terminal whose whole screen a program has: every key comes at once, and other signals than the one that
// nobody can catch give the terminal back as it was. The state that a signal handler needs stands outside of
// any object, because a handler may neither allocate nor wait.

import Glibc

/// The terminal of a program that draws its whole screen. There is one at a time.
public final class FullTerminal {
    private let input: CInt
    private let output: CInt
    private let before: termios
    private var isTaken = false

    /// Nil where no terminal is on both sides.
    public init?(input: CInt, output: CInt) {
        var modes = termios()
        guard isatty(input) == 1, isatty(output) == 1, tcgetattr(input, &modes) == 0 else { return nil }
        (self.input, self.output, before) = (input, output, modes)
    }

    deinit { giveBack() }

    /// Every key as it is pressed, a screen of its own, pasted text as such.
    public func take() {
        guard !isTaken else { return }
        isTaken = true
        (rescuedInput, rescuedOutput, rescuedModes) = (input, output, before)
        isRescueNeeded = true
        var modes = before
        cfmakeraw(&modes)
        tcsetattr(input, TCSAFLUSH, &modes)
        write(Array("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l".utf8))
    }

    /// As it was before `take`. Can be taken again.
    public func giveBack() {
        guard isTaken else { return }
        isTaken = false
        isRescueNeeded = false
        write(farewell)
        var modes = before
        tcsetattr(input, TCSADRAIN, &modes)
    }

    public var size: (rows: Int, columns: Int) {
        var size = winsize()
        let isKnown = ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        return isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
    }

    /// False when the terminal is gone.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool { Descriptor.write(bytes, to: output) }
}

/// Out of raw mode: no pasting as such, the cursor, plain letters, the screen that was there.
private let farewell = Array("\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l".utf8)

// Written before the handlers that read them are set, and by the thread that has the terminal only.
nonisolated(unsafe) private var isRescueNeeded = false
nonisolated(unsafe) private var rescuedInput: CInt = -1
nonisolated(unsafe) private var rescuedOutput: CInt = -1
nonisolated(unsafe) private var rescuedModes = termios()
nonisolated(unsafe) private var rescuedFarewell: UnsafeMutableRawBufferPointer?
nonisolated(unsafe) private var signalPipe: CInt = -1

/// Signals of a program that has the whole screen.
public enum ScreenSignals {
    /// Signals that the handler tells through the pipe: the size changed, stop, go on, and four ways to say
    /// "end".
    public static let told = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    /// A bug of this program: the terminal is given back, then the signal does what it did before.
    private static let fatal = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// Writes the number of each signal as a byte into the pipe, which must not block.
    public static func tell(_ pipe: CInt) {
        signalPipe = pipe
        if rescuedFarewell == nil {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: farewell.count, alignment: 1)
            copy.copyBytes(from: farewell)
            rescuedFarewell = copy
        }
        for number in told { listen(to: number) }
        for number in fatal {
            signal(number) { number in
                rescue()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Lets the signal do what it does to programs that do not listen, and listens again afterwards.
    /// Threads of libdispatch, which the main thread of an async program is too, have all signals blocked.
    public static func pass(_ number: CInt) {
        signal(number, SIG_DFL)
        var (own, before) = (sigset_t(), sigset_t())
        sigemptyset(&own)
        sigaddset(&own, number)
        pthread_sigmask(SIG_UNBLOCK, &own, &before)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        listen(to: number)
    }

    /// The body runs a program on the terminal: Ctrl-Z stops both, as one job.
    public static func leavingSuspension<Value, Failure>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        signal(SIGTSTP, SIG_DFL)
        defer { listen(to: SIGTSTP) }
        return try body()
    }

    private static func listen(to number: CInt) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = Glibc.write(signalPipe, &byte, 1)
            errno = error
        }
        // A call that waits for a file or a child goes on after the handler.
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }
}

/// Only what POSIX allows in a signal handler.
private func rescue() {
    guard isRescueNeeded else { return }
    isRescueNeeded = false
    if let rescuedFarewell {
        _ = Glibc.write(rescuedOutput, rescuedFarewell.baseAddress, rescuedFarewell.count)
    }
    tcsetattr(rescuedInput, TCSANOW, &rescuedModes)
}

// Tells a process that died of a trap from one that was stopped, killed or lost its power: only the first
// says something about the change that was being executed (decision 0064). The marker is a file, written by
// the signal handler itself with calls that are safe there, and taken away by the next start.

import Glibc

/// STATE/crashed.
public enum CrashMarker {
    private static let name = "crashed"
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    /// True when the last process in this directory died of a trap. The marker is gone afterwards.
    public static func take(in directory: String) -> Bool { unlink("\(directory)/\(name)") == 0 }

    /// From now on a trap leaves the marker, then kills the process as it would have done. Once a process.
    public static func arm(in directory: String) {
        guard markerPath == nil, let path = strdup("\(directory)/\(name)") else { return }
        markerPath = path
        var action = sigaction()
        action.__sigaction_handler.sa_handler = leaveMarker
        // On the stack that a thread has for it, or an overflow would leave no marker.
        action.sa_flags =
            Int32(truncatingIfNeeded: SA_RESETHAND) | Int32(truncatingIfNeeded: SA_NODEFER)
            | Int32(truncatingIfNeeded: SA_ONSTACK)
        for signal in signals { sigaction(signal, &action, nil) }
    }
}

/// A C string for the handler, which must not allocate.
// nonisolated(unsafe): written once by `arm`, before the handler that reads it is installed.
nonisolated(unsafe) private var markerPath: UnsafeMutablePointer<CChar>?

private func leaveMarker(_ signal: Int32) {
    if let path = markerPath {
        let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }
    // The default action stands again: this ends the process.
    raise(signal)
}

// A box that idles should not hold what only work needs. The node's own loop knows best when that is: nothing
// came in for a while. It then tells so, once, and again after the next input and another while.

import Causality

/// Something to be called when no input came for a while.
public struct Quiet: Sendable {
    let afterMilliseconds: UInt64
    let tell: @Sendable () -> Void

    /// `tell` is called on the node's thread and must not block for long.
    public init(afterMilliseconds: UInt64, tell: @escaping @Sendable () -> Void) {
        self.afterMilliseconds = afterMilliseconds
        self.tell = tell
    }
}

/// When to tell next. Times are monotonic milliseconds.
struct QuietClock {
    private let quiet: Quiet?
    /// Nil: told already, and nothing came since.
    private(set) var due: UInt64?

    init(_ quiet: Quiet?, at now: Instant) {
        self.quiet = quiet
        due = quiet.map { now.monotonic + $0.afterMilliseconds }
    }

    /// After each wait of the loop; tells if it is time.
    mutating func pass(isBusy: Bool, at now: Instant) {
        guard let quiet else { return }
        if isBusy {
            due = now.monotonic + quiet.afterMilliseconds
        } else if let moment = due, now.monotonic >= moment {
            due = nil
            quiet.tell()
        }
    }
}

// What shows a supervisor that the node's own loop turns. It is beaten by the node's thread between two steps
// of its loop and by nobody else: a thread of its own would go on beating while the node hangs in a commit.

import Causality

/// Something to be called again and again as long as the loop turns, idle or busy.
public struct Pulse: Sendable {
    let everyMilliseconds: UInt64
    let beat: @Sendable () -> Void

    /// `beat` is called on the node's thread and must not block.
    public init(everyMilliseconds: UInt64, beat: @escaping @Sendable () -> Void) {
        precondition(everyMilliseconds > 0, "a pulse without a pause")
        self.everyMilliseconds = everyMilliseconds
        self.beat = beat
    }
}

/// When the next beat is due. Times are monotonic milliseconds.
struct PulseClock {
    private let pulse: Pulse?
    private(set) var due: UInt64?

    init(_ pulse: Pulse?, at now: Instant) {
        self.pulse = pulse
        due = pulse == nil ? nil : now.monotonic
    }

    /// Beats if it is time.
    mutating func pass(at now: Instant) {
        guard let pulse, let due, now.monotonic >= due else { return }
        pulse.beat()
        self.due = now.monotonic + pulse.everyMilliseconds
    }
}

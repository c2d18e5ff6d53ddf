// When the next step of building or dropping indexes is due. Steps follow each other as fast as the node's
// other work lets them: it has its turn between two of them.

import Causality

/// The pace of the work on indexes.
struct IndexPace: StateMachine {
    /// Nil: there is nothing to do.
    private(set) var deadline: UInt64?

    /// There is work.
    mutating func begin(at monotonic: UInt64) { deadline = min(deadline ?? .max, monotonic) }

    /// A step was done.
    mutating func stepped(hasMore: Bool, at monotonic: UInt64) { deadline = hasMore ? monotonic + 1 : nil }

    /// It could not be done, or should not be now.
    mutating func pause(at monotonic: UInt64) { deadline = monotonic + NodeLimits.indexPauseMilliseconds }

    func isDue(at monotonic: UInt64) -> Bool { deadline.map { $0 <= monotonic } ?? false }

    func checkInvariants(whole: Bool) {}
}

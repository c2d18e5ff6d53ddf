// When HAVE goes out on one channel. What must be said (the first HAVE, a full one after a drop) goes at
// once, as everything does where links are few. Else an advance waits a moment for others, then for the
// budget of its space, and is told whatever it costs when it has waited long (decision 0056).

import Causality
import Replication

/// What one channel was told of the advance of its space, and when. Times are monotonic milliseconds.
struct HavePacing: Sendable {
    /// What to do about HAVE on a channel now.
    enum Turn: Equatable, Sendable {
        /// Nothing to say, or it waits for others.
        case rest
        /// Whatever it costs.
        case now
        /// As the budget allows: in the order of `last`, when the last HAVE went.
        case due(last: UInt64, isOverdue: Bool)
    }

    /// The position up to which the peer was told, so that an idle channel costs nothing; nil: tell again.
    private(set) var position: CommitPosition?
    /// Since when something waits to be told; nil: nothing does.
    private(set) var waitsSince: UInt64?
    /// When the last HAVE went.
    private(set) var lastAt: UInt64 = 0

    init() {}

    /// Decides for a space that is advertised up to `advertised`. `mustTell`: the sync cannot wait;
    /// `isPrompt`: links are so few that each advance is told at once.
    mutating func turn(
        _ advertised: CommitPosition, mustTell: Bool, isPrompt: Bool, at now: UInt64
    ) -> Turn {
        let hasNews = position != advertised
        if mustTell || (hasNews && isPrompt) { return .now }
        guard hasNews else { return .rest }
        let since = waitsSince ?? now
        waitsSince = since
        guard now >= since + ReplicationLimits.haveDelayMilliseconds else { return .rest }
        return .due(last: lastAt, isOverdue: now >= since + ReplicationLimits.haveDelayMax)
    }

    /// Everything up to this position is being told.
    mutating func tell(through advertised: CommitPosition) { (position, waitsSince) = (advertised, nil) }

    /// A HAVE went out.
    mutating func recordSent(at now: UInt64) { lastAt = now }

    /// A log was closed: what was told of it is not so any more.
    mutating func tellAgain() { position = nil }

    /// When something that waits may go, under the budget of its space.
    func deadline(_ budget: HaveBudget) -> UInt64? {
        guard let since = waitsSince else { return nil }
        return max(
            since + ReplicationLimits.haveDelayMilliseconds,
            min(budget.opensAt, since + ReplicationLimits.haveDelayMax))
    }
}

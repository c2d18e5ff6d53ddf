// One channel's half of what is said of forks (decision 0062). The hash over closed logs, the list of them
// and the answer to the peer's list go once a channel: what is learned later goes to everybody at once.
// Searches for the place of a fork cost walks over logs, so they are begun seldom and answered so many times
// in a while.

import Causality
import Replication

/// What was said of closed logs on one channel. Times are monotonic milliseconds.
struct ForkExchange: Sendable {
    /// What is said once a channel.
    enum Statement: Sendable {
        /// The hash over the logs closed here.
        case hash
        /// The list of them.
        case list
        /// What the peer's list lacks.
        case answer
    }

    private var said: Set<Statement> = []
    /// When a search for the place of a fork was begun, by log.
    private var begun: [ReplicaID: UInt64] = [:]
    /// The peer's searches that were answered since `since`.
    private var answered: (count: Int, since: UInt64) = (0, 0)
    /// Branches of our own closed logs that the peer is asked for.
    var branches: [ReplicaID: BranchWalk] = [:]

    init() {}

    /// True the first time.
    mutating func says(_ statement: Statement) -> Bool { said.insert(statement).inserted }

    func hasSaid(_ statement: Statement) -> Bool { said.contains(statement) }

    /// True when a search may begin now: none for this log was begun a moment ago.
    mutating func beginsSearch(_ replica: ReplicaID, at now: UInt64) -> Bool {
        if let last = begun[replica], now < last + ReplicationLimits.forkSearchMilliseconds { return false }
        begun[replica] = now
        return true
    }

    /// True when a step of the peer's search is answered: so many in a while, then silence.
    mutating func answersSearch(at now: UInt64) -> Bool {
        if now >= answered.since + ReplicationLimits.forkSearchMilliseconds { answered = (0, now) }
        answered.count += 1
        return answered.count <= ReplicationLimits.forkSearchesMax
    }
}

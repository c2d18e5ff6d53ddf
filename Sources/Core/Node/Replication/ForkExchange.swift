// One channel's half of what is said of forks (decision 0062). The hash over closed logs, the list of them
// and the answer to the peer's list go once a channel: what is learned later goes to everybody at once.
// Searches for the place of a fork cost walks over logs, so they are begun seldom and answered so many times
// in a while.

import Causality
import Replication
import Wire

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
    /// When the place where a log begins here was named in one, by log.
    private var offered: [ReplicaID: UInt64] = [:]
    /// The peer's searches that were answered since `since`.
    private var answered: (count: Int, since: UInt64) = (0, 0)
    /// Branches of our own closed logs that the peer is asked for.
    var branches: [ReplicaID: BranchWalk] = [:]
    /// Closed logs whose proofs the peer is to be sent, in order: their bytes are read when they go out.
    private var outgoing: [ReplicaID] = []
    /// Something that is said once a channel could not be read for want of a key.
    var isUnread = false
    /// What the peer asked for while its connection was busy, the last word for each log.
    private var asked: [ReplicaID: ForkAskFrame] = [:]

    init() {}

    /// True the first time.
    mutating func says(_ statement: Statement) -> Bool { said.insert(statement).inserted }

    func hasSaid(_ statement: Statement) -> Bool { said.contains(statement) }

    /// The peer is to be sent the proof.
    mutating func send(_ replica: ReplicaID) { outgoing.append(replica) }

    var isPouring: Bool { !outgoing.isEmpty || !asked.isEmpty }

    mutating func nextProof() -> ReplicaID? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

    /// Answers the question later; beyond the limit it is dropped, and asked again by the next link.
    mutating func postpone(_ ask: ForkAskFrame) {
        guard asked.count < NodeLimits.forksQueuedMax || asked[ask.replica] != nil else { return }
        asked[ask.replica] = ask
    }

    mutating func nextAsk() -> ForkAskFrame? {
        guard let replica = asked.keys.min() else { return nil }
        return asked.removeValue(forKey: replica)
    }

    /// True when a search may begin now: none for this log was begun a moment ago.
    mutating func beginsSearch(_ replica: ReplicaID, at now: UInt64) -> Bool {
        Self.isFirst(replica, in: &begun, at: now)
    }

    /// True when the place where this node's log begins may be named in a search: it was not a moment ago.
    mutating func offersCut(of replica: ReplicaID, at now: UInt64) -> Bool {
        Self.isFirst(replica, in: &offered, at: now)
    }

    private static func isFirst(
        _ replica: ReplicaID, in times: inout [ReplicaID: UInt64], at now: UInt64
    ) -> Bool {
        if let last = times[replica], now < last + ReplicationLimits.forkSearchMilliseconds { return false }
        times[replica] = now
        return true
    }

    /// True when a step of the peer's search is answered: so many in a while, then silence.
    mutating func answersSearch(at now: UInt64) -> Bool {
        if now >= answered.since + ReplicationLimits.forkSearchMilliseconds { answered = (0, now) }
        answered.count += 1
        return answered.count <= ReplicationLimits.forkSearchesMax
    }
}

// One channel's half of the exchange of rosters: each side says which operations it holds (ROSTER_HAVE), the
// other sends what lacks. A question costs the peer a few bytes and this node a roster, so answers draw from
// an allowance; a question that comes earlier waits, and only the last one is answered.
//
//     ROSTER_HAVE -> question -> allowance open? -> operations that the peer lacks; its heads are known now
//     roster grows here       -> operations beyond the known heads

import Causality
import Mesh
import Replication
import Roster
import Wire

/// What was said of rosters on one channel.
struct RosterExchange: StateMachine {
    /// Heads that the peer showed or was sent; nil before its first ROSTER_HAVE is answered.
    private(set) var peerHeads: [RosterHead]?
    /// The ROSTER_HAVE that is not answered yet.
    private var question: RosterHaveFrame?
    /// What answers cost lately.
    private var answers = RateBucket()

    init() {}

    /// A ROSTER_HAVE came. A later one names more of the roster, so those between are not missed.
    mutating func receive(_ frame: RosterHaveFrame) { question = frame }

    /// Operations that the peer lacks, as it asked; nil: nothing was asked, or it may not be answered yet.
    mutating func answer(from roster: Roster, at now: UInt64) -> [RosterOperation]? {
        let rate = ReplicationLimits.rosterAnswerBytesPerSecond
        guard let asked = question, answers.isOpen(rate: rate, at: now) else { return nil }
        let lacking = roster.operations(missingFrom: asked.heads + asked.summary)
        answers.spend(max(lacking.reduce(0) { $0 + $1.bytes.count }, rate / 4), rate: rate, at: now)
        question = nil
        peerHeads = roster.heads
        return lacking
    }

    /// Operations that the peer is not known to have, after the roster grew here; nil: it was not heard yet,
    /// or has all.
    mutating func advance(to roster: Roster) -> [RosterOperation]? {
        guard let known = peerHeads, known != roster.heads else { return nil }
        peerHeads = roster.heads
        return roster.operations(missingFrom: known)
    }

    /// Heads of a roster that was shown are never none.
    func checkInvariants(whole: Bool) {
        precondition(peerHeads?.isEmpty != true, "a roster without heads was exchanged")
    }

    /// Monotonic milliseconds when a question that waits may be answered.
    var deadline: UInt64? {
        question == nil ? nil : answers.opensAt(rate: ReplicationLimits.rosterAnswerBytesPerSecond)
    }
}

// One channel's half of the exchange of rosters: each side says which operations it holds (ROSTER_HAVE), the
// other sends what lacks. A question costs the peer a few bytes and this node a roster, so answers draw from
// an allowance; a question that comes earlier waits, and only the last one is answered. A roster may be
// large: it goes out piece by piece as the connection takes it, and what comes in is looked at in turn with
// everything else.
//
//     ROSTER_HAVE -> question -> allowance open? -> places to send; its heads are known now
//     roster grows here       -> places beyond the known heads
//     places -> pieces, as fast as the connection takes them
//     ROSTER_OPERATIONS -> incoming -> a few in each turn

import Causality
import Mesh
import Replication
import Roster
import SecureLink
import Wire

/// What was said of rosters on one channel.
struct RosterExchange: StateMachine {
    /// Heads that the peer showed or was sent; nil before its first ROSTER_HAVE is answered.
    private(set) var peerHeads: [RosterHead]?
    /// What its last ROSTER_HAVE that was answered named.
    private var peerNamed: [RosterHead] = []
    /// The ROSTER_HAVE that is not answered yet.
    private var question: RosterHaveFrame?
    /// What answers cost lately.
    private var answers = RateBucket()
    /// What is still to be sent, in order.
    private var outgoing: ArraySlice<RosterPlace> = []
    /// What came and was not looked at, in order.
    private var incoming: ArraySlice<[UInt8]> = []
    private var incomingBytes = 0
    /// The store takes nothing before then, monotonic milliseconds: what came waits, and nobody is asked.
    private var pausedUntil: UInt64 = 0
    /// Frames of a peer that is not listed yet, behind the roster that lists it.
    private var held: [LinkFrame] = []
    /// Something that came waits for what it names, or was dropped: the peer is asked once all is looked at.
    private(set) var isLacking = false
    /// Not before then, monotonic milliseconds, when what is lacking may have been put off.
    private var askedAgain: UInt64 = 0

    init() {}

    // MARK: Out

    /// True while the peer is being sent operations.
    var isPouring: Bool { !outgoing.isEmpty }

    /// A ROSTER_HAVE came. A later one names more of the roster, so those between are not missed.
    mutating func receive(_ frame: RosterHaveFrame) { question = frame }

    /// True when a question is answered now: what the peer lacks is to be sent.
    /// `upTo`: nothing but these operations and what they were made on.
    mutating func answer(from roster: Roster, upTo last: [RosterHead]?, at now: UInt64) -> Bool {
        let rate = ReplicationLimits.rosterAnswerBytesPerSecond
        guard !isPouring, let asked = question, answers.isOpen(rate: rate, at: now) else { return false }
        let lacking = roster.places(missingFrom: asked.heads + asked.summary, upTo: last)
        let cost = lacking.reduce(0) { $0 + roster.byteCount(at: $1) }
        answers.spend(max(cost, rate / 4), rate: rate, at: now)
        question = nil
        peerNamed = asked.heads
        peerHeads = last ?? roster.heads
        outgoing = lacking[...]
        return true
    }

    /// True when the peer was answered, and all that it named is held.
    func isLevel(with roster: Roster) -> Bool {
        peerHeads != nil && !isPouring && peerNamed.allSatisfy { roster.contains($0) }
    }

    /// True when the roster grew beyond what the peer is known to have, and it is to be sent that.
    mutating func advance(to roster: Roster, upTo last: [RosterHead]?) -> Bool {
        let heads = last ?? roster.heads
        guard !isPouring, let known = peerHeads, known != heads else { return false }
        peerHeads = heads
        outgoing = roster.places(missingFrom: known, upTo: last)[...]
        return true
    }

    /// The next operations to send, as many as a frame should hold; none: all are sent.
    mutating func next(from roster: Roster) -> [[UInt8]] {
        let count = roster.pieceLength(of: outgoing)
        defer { outgoing = outgoing.dropFirst(count) }
        return outgoing.prefix(count).map { roster.bytes(at: $0) }
    }

    // MARK: In

    /// Operations came. Those beyond what may wait here are dropped, and asked for again. Not the frame:
    /// one that is larger than the room for it would never be taken.
    mutating func receive(_ operations: [[UInt8]]) {
        for operation in operations {
            guard incomingBytes + operation.count <= ReplicationLimits.rosterIncomingBytesMax else {
                isLacking = true
                return
            }
            incoming.append(operation)
            incomingBytes += operation.count
        }
    }

    var hasIncoming: Bool { !incoming.isEmpty }

    mutating func nextIncoming() -> [UInt8]? {
        guard let first = incoming.popFirst() else { return nil }
        incomingBytes -= first.count
        return first
    }

    /// What came cannot be stored before this moment. It is kept: what stands behind it may be the first
    /// words of somebody whom it lists.
    mutating func pause(until moment: UInt64) { pausedUntil = moment }

    /// The operation that was looked at last waits for others.
    mutating func noteLacking() { isLacking = true }

    /// True when the peer is to be asked now. Where operations were put off, what is lacking may be one of
    /// them, and would come again and again.
    mutating func takeLacking(isSomePutOff: Bool, at now: UInt64) -> Bool {
        guard isLacking, !hasIncoming, now >= pausedUntil, !isSomePutOff || now >= askedAgain else {
            return false
        }
        isLacking = false
        askedAgain = now + ReplicationLimits.rosterAskMilliseconds
        return true
    }

    /// True when something is to be looked at, or the peer to be asked.
    func isDue(at now: UInt64) -> Bool {
        now >= pausedUntil && (hasIncoming || (isLacking && now >= askedAgain))
    }

    /// True while a frame must wait its turn: what came before it may list its sender.
    func holds(isFull: Bool) -> Bool { !held.isEmpty || (hasIncoming && !isFull) }

    /// Keeps a frame until what came before it was looked at; beyond the limits it is dropped.
    mutating func hold(_ frame: LinkFrame) {
        guard held.count < ReplicationLimits.framesHeldMax,
            held.reduce(frame.body.count, { $0 + $1.body.count }) <= MeshLimits.provisionalBytes
        else { return }
        held.append(frame)
    }

    mutating func takeHeld() -> [LinkFrame] {
        defer { held = [] }
        return held
    }

    /// Heads of a roster that was shown are never none.
    func checkInvariants(whole: Bool) {
        precondition(peerHeads?.isEmpty != true, "a roster without heads was exchanged")
        precondition(incomingBytes == incoming.reduce(0) { $0 + $1.count }, "bytes that wait")
    }

    /// Monotonic milliseconds when a question that waits may be answered, or operations looked at.
    var deadline: UInt64? {
        if hasIncoming { return pausedUntil }
        if !held.isEmpty { return 0 }
        let asking = isLacking ? max(askedAgain, pausedUntil) : nil
        if question == nil || isPouring { return asking }
        return min(
            asking ?? .max, answers.opensAt(rate: ReplicationLimits.rosterAnswerBytesPerSecond))
    }
}

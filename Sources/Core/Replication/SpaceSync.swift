// Anti-entropy of one space on one link. Need of what is pushed here (`PushTree`) is computed, never
// remembered: what goes out next follows from the peer's last HAVE and from what was sent on this link since
// its last full one. So a lost or dropped message costs time and never data: the peer names in full what it
// has, and everything beyond goes out again (Demers et al. 1987; the windowed stream is that of ordinary flow
// control).
//
//     my commit order   …  a  b  c  d  e  f          cursor: everything up to here is at the peer or under
//     way
//                               ^cursor
//     d is sent when its last sequence > max(peer's HAVE, sent); its log's range is extended to the next seal
//
// In commit order a context stands before what was made on it, so the peer seldom has to hold a change back.

public import Causality

/// What one side knows and told, and what is under way. Pure; the caller reads the store.
public struct SpaceSync: Sendable {
    /// Why a peer's frame is its fault.
    public enum Fault: Error, Equatable, Sendable {
        /// A delta before the first full HAVE.
        case deltaFirst
        /// It acknowledged more bytes than were sent.
        case acknowledgedTooMuch(total: UInt64, sent: UInt64)
        /// It named more logs, delta by delta, than one HAVE may.
        case tooManyLogs(Int)
        /// It sent more than the window allows without waiting.
        case overWindow(bytes: UInt64)
    }

    // Sending.

    /// What the peer holds durably, as far as it said; nil before its first HAVE.
    public private(set) var peerHave: VersionVector?
    /// The peer was let in again since it said that: it may have left, and hold nothing any more.
    public private(set) var isPeerHaveStale = false
    /// What the peer said of closed logs beyond where they are closed here: it may count later.
    private var beyond: [ReplicaID: SequenceNumber] = [:]
    /// Logs that are gone here and that the peer names, to their ends: it is told those.
    private var goneNamed = VersionVector()
    private var isGoneNews = false
    /// Which logs are pushed here. A hint: what is lacking is computed from the vectors.
    public private(set) var tree = PushTree()
    /// These logs are pushed and no others, whatever the tree says; nil: as the tree says.
    public var only: Set<ReplicaID>? {
        didSet { if only != oldValue { cursor = nil } }
    }
    /// What was sent since the peer's last full HAVE.
    public private(set) var sent = VersionVector()
    /// Commit position up to which everything is at the peer or under way; nil: to be found again (`rewind`).
    public private(set) var cursor: UInt64?
    /// Segment bytes sent on this link, and those that the peer has taken in.
    public private(set) var sentBytes: UInt64 = 0
    public private(set) var acknowledgedBytes: UInt64 = 0

    // Receiving.

    /// What I told the peer that I hold; nil before my first HAVE.
    public private(set) var told: VersionVector?
    /// Segment bytes taken in, and those that the peer was told of.
    public private(set) var receivedBytes: UInt64 = 0
    public private(set) var toldBytes: UInt64 = 0
    /// Something that the peer sent was dropped: name in full what I hold, not before this moment.
    public private(set) var resendAt: UInt64?
    private var lastFull: UInt64?

    public init() {}

    // MARK: Sending

    /// The peer's HAVE. In full it replaces what was said, and everything beyond it is sent again. Deltas may
    /// not name more logs altogether than a full one.
    public mutating func peerHolds(
        _ vector: VersionVector, isFull: Bool, logsMax: Int = ReplicationLimits.haveLogsMax
    ) throws(Fault) {
        if isFull {
            peerHave = vector
            beyond = [:]
            isPeerHaveStale = false
            sent = VersionVector()
            cursor = nil
            return
        }
        guard peerHave != nil else { throw .deltaFirst }
        peerHave?.join(vector)
        if let count = peerHave?.count, count > logsMax { throw .tooManyLogs(count) }
    }

    public mutating func peerWasLetInAgain() { isPeerHaveStale = peerHave != nil }

    /// The peer sent this itself, so it holds it: it is not sent back.
    public mutating func peerShowed(_ replica: ReplicaID, to last: SequenceNumber) {
        peerHave?.advance(replica, to: last)
    }

    /// The peer wants these logs (none named: all) from here, or we from it. What it lacks of them goes out.
    public mutating func graft(_ logs: [ReplicaID]) {
        tree.graft(logs)
        cursor = nil
    }

    /// These logs (none named: all) come from elsewhere.
    public mutating func prune(_ logs: [ReplicaID]) { tree.prune(logs) }

    /// The peer took in this many segment bytes since the link began.
    public mutating func acknowledge(total: UInt64) throws(Fault) {
        guard total <= sentBytes else { throw .acknowledgedTooMuch(total: total, sent: sentBytes) }
        acknowledgedBytes = max(acknowledgedBytes, total)
    }

    /// True when the window is open. It is checked before a segment, so one segment may reach past it.
    public var hasRoom: Bool { sentBytes - acknowledgedBytes < UInt64(ReplicationLimits.windowBytes) }

    /// True when the peer may lack something of what is pushed here, committed up to `position`.
    public func isBehind(_ position: UInt64) -> Bool {
        guard peerHave != nil, only.map({ !$0.isEmpty }) ?? tree.pushesSome else { return false }
        guard let cursor else { return true }
        return cursor < position
    }

    /// Logs that are pushed here and of which the peer lacks something, each with the first sequence it
    /// lacks, ascending by replica.
    public func missing(of held: VersionVector) -> [Dot] {
        guard var known = peerHave else { return [] }
        known.join(sent)
        return held.entries(beyond: known).filter { pushes($0.replica) }
            .map { Dot($0.replica, known[$0.replica] + 1) }
    }

    /// Where sending begins: before the position of the first change that the peer lacks, or at the end.
    public mutating func rewind(to position: UInt64) { cursor = position }

    /// True when a change that ends at this dot is pushed here, and neither at the peer nor under way.
    public func needs(_ replica: ReplicaID, _ last: SequenceNumber) -> Bool {
        guard let peerHave else { return false }
        return last > peerHave[replica] && last > sent[replica] && pushes(replica)
    }

    private func pushes(_ replica: ReplicaID) -> Bool { only?.contains(replica) ?? tree.pushes(replica) }

    /// A segment of this log went out.
    public mutating func recordSent(_ replica: ReplicaID, to last: SequenceNumber, bytes: Int) {
        sent.advance(replica, to: last)
        sentBytes += UInt64(bytes)
    }

    /// Everything up to this position was sent or is not needed.
    public mutating func pass(_ position: UInt64) {
        precondition(cursor.map { $0 <= position } ?? false, "from \(cursor ?? 0) to \(position)")
        cursor = position
    }

    /// A log was closed: whatever either side said of it counts up to `last` at most.
    public mutating func lower(_ replica: ReplicaID, to last: SequenceNumber) {
        if let have = peerHave?[replica], have > last { peerSaid(replica, beyond: have) }
        peerHave?.lower(replica, to: last)
        sent.lower(replica, to: last)
        told?.lower(replica, to: last)
    }

    /// The peer names more of a closed log than counts here.
    public mutating func peerSaid(_ replica: ReplicaID, beyond last: SequenceNumber) {
        beyond[replica] = max(beyond[replica] ?? .none, last)
    }

    /// A log is gone here, and the peer may have named it: then it is told the end. True: it was not yet.
    @discardableResult
    public mutating func peerNamesGone(_ replica: ReplicaID, _ gone: VersionVector) -> Bool {
        guard beyond[replica] != nil, goneNamed[replica] == .none else { return false }
        goneNamed.advance(replica, to: gone[replica])
        isGoneNews = true
        return true
    }

    /// True when the peer said that it holds these logs, which are gone here, to their ends.
    public func holdsGone(_ gone: VersionVector) -> Bool {
        gone.entries.allSatisfy { beyond[$0.replica] ?? .none >= $0.last }
    }

    /// A closed log counts up to `last` from now on, which is more than before. What the peer holds of it
    /// then, as far as it said.
    public mutating func raise(_ replica: ReplicaID, to last: SequenceNumber) -> SequenceNumber {
        cursor = nil
        let have = min(beyond[replica] ?? .none, last)
        if have > .none { peerHave?.advance(replica, to: have) }
        return have
    }

    // MARK: Receiving

    /// A segment came, whatever became of it. A peer that ignores the window is at fault.
    public mutating func recordReceived(bytes: Int) throws(Fault) {
        receivedBytes += UInt64(bytes)
        let untold = receivedBytes - toldBytes
        // Twice the window and a segment: an honest peer is within one window of what it was told.
        if untold > UInt64(4 * ReplicationLimits.windowBytes) + UInt64(bytes) {
            throw .overWindow(bytes: untold)
        }
    }

    /// What to acknowledge now: the total of bytes, when it grew enough to matter to the window.
    public mutating func acknowledgement() -> UInt64? {
        guard receivedBytes - toldBytes >= UInt64(ReplicationLimits.receivedBytesMin) else { return nil }
        toldBytes = receivedBytes
        return receivedBytes
    }

    /// What came was dropped (a gap, a full buffer, an unknown key): the next HAVE is in full, but not at
    /// once.
    public mutating func askAgain(at now: UInt64) {
        let earliest = max(now, (lastFull ?? 0) + ReplicationLimits.resendMilliseconds)
        resendAt = min(resendAt ?? .max, max(earliest, now + ReplicationLimits.resendMilliseconds / 4))
    }

    /// True when the next HAVE may not wait: it is the first, or a full one is due.
    public func mustTell(at now: UInt64) -> Bool { told == nil || resendAt.map { $0 <= now } ?? false }

    /// What to tell of `durable` now: everything at first and after a drop, then what advanced; nil: nothing.
    public mutating func nextHave(_ durable: VersionVector, at now: UInt64)
        -> (entries: [VersionVector.Entry], isFull: Bool)?
    {
        let gone = goneNamed
        if mustTell(at: now) {
            told = durable
            resendAt = nil
            lastFull = now
            isGoneNews = false
            return (Self.joined(durable, gone).entries, true)
        }
        var advanced = durable.entries(beyond: told ?? VersionVector())
        if isGoneNews { advanced = Self.joined(VersionVector(advanced), gone).entries }
        guard !advanced.isEmpty else { return nil }
        isGoneNews = false
        told = durable
        return (advanced, false)
    }

    private static func joined(_ vector: VersionVector, _ other: VersionVector) -> VersionVector {
        if other.isEmpty { return vector }
        var joined = vector
        joined.join(other)
        return joined
    }

    // MARK: Reports

    /// Sequences that the peer has and `held` lacks, and the other way round, as of its last HAVE.
    public func difference(to held: VersionVector) -> (behind: UInt64, ahead: UInt64) {
        guard let peerHave else { return (0, 0) }
        return (Self.excess(of: peerHave, over: held), Self.excess(of: held, over: peerHave))
    }

    /// True when both sides were told everything and hold the same.
    public func isLevel(with durable: VersionVector) -> Bool { peerHave == durable && told == durable }

    private static func excess(of a: VersionVector, over b: VersionVector) -> UInt64 {
        a.entries(beyond: b).reduce(0) { $0 &+ ($1.last.value - b[$1.replica].value) }
    }
}

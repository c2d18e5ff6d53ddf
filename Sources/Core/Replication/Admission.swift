// The arrow `admit` of the road: the one place for duplicates, order and rights. What it decides about a
// change follows from the change, its causal past and the roster, never from a clock, from load, or from what
// else had arrived (THREATS.md, I8):
//
//   already known                                    -> duplicate
//   its log is closed before it                      -> ready, void
//   its view is not known                            -> early (a roster head is lacking)
//   its author may not write it in its view          -> refused: nobody stores it (a reader may acknowledge)
//   not the next of its log, or context not known    -> early (a dot is lacking)
//   late, statically invalid, or the right was lost  -> ready, void
//   operations of a newer version                    -> ready, skipped
//   else                                             -> ready, executed

import Bytes
public import Causality
import Documents
import Identity
public import Roster
public import Wire

/// Decides about verified changes of one space.
public enum Admission {
    /// Why a change is not stored, here or on any honest node.
    public enum Refusal: Error, Equatable, Sendable {
        /// The section of its log names no roster heads: it has no view.
        case noView(Dot)
        /// Its author had no right to write in its view.
        case noRight(Dot, author: DeviceID)
    }

    public enum Decision: Sendable {
        case ready(ReadyChange)
        case early(Lack)
        case duplicate
        case refused(Refusal)
    }

    /// What becomes of a change now. `held` is what is appended so far. `isLate`: a checkpoint stands that
    /// does not hold it, and it was made without what that one lets go. O(context) for one that is not ready,
    /// else O(context + operations).
    public static func admit(
        _ candidate: Candidate, held: VersionVector, closed: ClosedLogs = ClosedLogs(), roster: inout Roster,
        isLate: Bool = false
    ) -> Decision {
        let change = candidate.change
        if change.last <= held[change.replica] || closed.isGone(change.replica) { return .duplicate }
        let lack = lack(of: candidate, held: held, closed: closed, roster: roster)
        if let lack, case .rosterHead = lack { return .early(lack) }
        if closed.isClosed(change.id) {
            return .ready(ReadyChange(candidate, .void))
        }
        // Before anything waits: what may never be stored takes no room.
        if candidate.heads.isEmpty { return .refused(.noView(change.id)) }
        guard let view = roster.view(heads: candidate.heads) else {
            preconditionFailure("a view of \(change.id) with unknown heads")
        }
        guard roster.isStored(by: candidate.author, in: view, needing: change.right) else {
            return .refused(.noRight(change.id, author: candidate.author))
        }
        if let lack { return .early(lack) }
        let range = DotRange(change.replica, change.first, change.last)
        let status: ChangeStatus
        let isUnrestricted = roster.isUnrestricted(
            range, by: candidate.author, in: view, needing: change.right)
        if isLate || !isUnrestricted || !isStaticallyValid(change) {
            status = .void
        } else {
            status = hasUnknownOperations(change) ? .skipped : .executed
        }
        return .ready(ReadyChange(candidate, status))
    }

    /// What the change waits for; nil when it is ready or can be refused.
    public static func lack(
        of candidate: Candidate, held: VersionVector, closed: ClosedLogs = ClosedLogs(), roster: Roster
    ) -> Lack? {
        let change = candidate.change
        // Kept for the seal behind it only, in the order of its log.
        if closed.isClosed(change.id) { return nil }
        // Roster first: a view that never comes is the sender's to explain, whatever else is lacking.
        if let head = candidate.heads.first(where: { !roster.contains($0) }) { return .rosterHead(head) }
        var first: Dot?
        var distance: UInt64 = 0
        if change.first > held[change.replica] + 1 {
            first = Dot(change.replica, change.first.previous)
            distance = change.first.previous.value - held[change.replica].value
        }
        let context = isPlanted("context-check-skipped") ? VersionVector() : change.context
        for entry in context.entries(beyond: held) {
            let (needed, known) = (closed.needed(entry), held[entry.replica])
            if needed <= known { continue }
            if first == nil { first = Dot(entry.replica, needed) }
            distance = distance &+ (needed.value - known.value)
        }
        return first.map { .dot($0, distance: distance) }
    }

    /// True when every operation of the change may be executed.
    public static func isStaticallyValid(_ change: Change) -> Bool {
        var next = Dot(change.replica, change.first)
        let context = change.context
        for operation in change.operations {
            let stamp = OperationStamp(dot: next, timestamp: change.timestamp, context: context)
            guard operation.isStaticallyValid(stamp) else { return false }
            next = next.advanced(by: operation.sequenceCount)
        }
        return true
    }

    /// True when this version cannot execute it.
    public static func hasUnknownOperations(_ change: Change) -> Bool {
        change.operations.contains { operation in
            if case .unknown = operation.body { true } else { false }
        }
    }
}

extension ReadyChange {
    fileprivate init(_ candidate: Candidate, _ status: ChangeStatus) {
        self.init(
            verified: candidate.verified, status: status, seal: candidate.seal, heads: candidate.heads)
    }
}

// Whether leaving a space would lose something (decision 0148). What is on no other disk is gone with this
// one, so the question is what others are known to hold:
//
//     a member that said what it holds, in this run of the node   that
//     any other                                                   what it wrote, and what that was made on,
//                                                                 since it was let in last
//     a relay                                                     nothing: it gets no changes
//
// All of it is evidence from the past. A member may hold more than it is known to; then leaving is refused
// until it says so, or forced.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

/// Why leaving a space is refused, and what it would lose.
public struct LeaveRefusal: Hashable, Sendable {
    /// The first that applies.
    public enum Reason: Hashable, Sendable {
        /// No other member holds documents.
        case lastCopy
        /// The only admin, while others are active.
        case lastAdmin
        /// Changes that no other member is known to hold.
        case othersBehind
    }

    public let reason: Reason
    /// Documents that are lost; of `othersBehind` and `lastAdmin` those that lose changes.
    public let documents: Int
    /// Changes that no other member is known to hold.
    public let changes: UInt64
    /// Active members but this one that hold documents and lack something that is held here.
    public let members: Int

    public init(reason: Reason, documents: Int, changes: UInt64, members: Int) {
        (self.reason, self.documents, self.changes, self.members) = (reason, documents, changes, members)
    }
}

extension Space {
    /// Why a device may not leave without losing something; nil: nothing is known to be lost. `told`: what
    /// members said that they hold. Everything of the open batch is in the store. Decodes up to
    /// `NodeLimits.leavingChangesMax` changes.
    func refusalToLeave(
        of device: DeviceID, told: [DeviceID: VersionVector], in store: some StoreReading
    ) throws(StoreFailure) -> LeaveRefusal? {
        let role = roster.role(of: device)
        let others = roster.members().filter { $0.state == .active && $0.device != device }
        let holders = others.filter { $0.role > .relay }
        if role != nil, holders.isEmpty {
            return LeaveRefusal(
                reason: .lastCopy, documents: documents.count,
                changes: try changes(beyond: VersionVector(), in: store), members: 0)
        }
        var reader = LogReader(space: id)
        // With one that was removed only what it wrote and did not hand over is lost.
        let own = Set(logs.written(by: device))
        let concerned = roster.isRemoved(device) ? held.restricted(to: own) : held
        var known = VersionVector(held.entries.filter { concerned[$0.replica] == .none })
        var behind = 0
        for member in holders {
            let vector: VersionVector
            if let said = told[member.device] {
                vector = said
            } else {
                vector = try evidence(of: member.device, with: &reader, in: store)
            }
            if !concerned.entries(beyond: vector).isEmpty { behind += 1 }
            known.join(vector)
        }
        let changes = try changes(beyond: known, in: store)
        let isLastAdmin = role == .admin && !others.contains { $0.role == .admin }
        guard isLastAdmin || changes > 0 else { return nil }
        return LeaveRefusal(
            reason: isLastAdmin ? .lastAdmin : .othersBehind,
            documents: try documents(of: changes, beyond: known, with: &reader, in: store), changes: changes,
            members: behind)
    }

    /// What a member that said nothing yet must have held: its logs, and what the last change of each was
    /// made on. A closed log shows nothing: a copy of the member may have written it. Neither does one from
    /// before it was let in last: it may have left, and its disk is empty then.
    private func evidence(
        of member: DeviceID, with reader: inout LogReader, in store: some StoreReading
    ) throws(StoreFailure) -> VersionVector {
        var vector = VersionVector()
        // Views that were asked for stay with the copy.
        var roster = roster
        for replica in logs.written(by: member) where closings[replica] == nil {
            let last = Dot(replica, held[replica])
            guard last.sequence > .none, let found = try reader.find(last, from: store) else { continue }
            if roster.wasLetInAgain(member) {
                let heads = try reader.rosterHeads(of: found.change, from: store)
                guard let view = roster.view(heads: heads), roster.knowsAdmissions(of: member, view) else {
                    continue
                }
            }
            vector.advance(to: last)
            vector.join(found.change.context)
        }
        return vector
    }

    /// Logs with the sequence after which nobody else is known to hold them: what is held beyond a vector,
    /// and branches of our own that are not issued again yet.
    private func lost(beyond known: VersionVector) -> [(replica: ReplicaID, after: SequenceNumber)] {
        let logs = held.entries(beyond: known).map { (replica: $0.replica, after: known[$0.replica]) }
        let branches = findings.reissues.pending.keys.sorted().compactMap { replica in
            forks.closed[replica].map { (replica: replica, after: $0.trunkLast) }
        }
        return logs + branches.filter { branch in !logs.contains { $0.replica == branch.replica } }
    }

    private func changes(beyond known: VersionVector, in store: some StoreReading) throws(StoreFailure)
        -> UInt64
    {
        var count: UInt64 = 0
        for log in lost(beyond: known) {
            count += UInt64(try store.changes(of: id, log.replica, after: log.after))
        }
        return count
    }

    /// The documents that so many changes touched; where they are too many to be read, all that are visible.
    private func documents(
        of changes: UInt64, beyond known: VersionVector, with reader: inout LogReader,
        in store: some StoreReading
    ) throws(StoreFailure) -> Int {
        if changes > UInt64(NodeLimits.leavingChangesMax) { return documents.count }
        var touched: Set<Key> = []
        for log in lost(beyond: known) {
            for record in try logs.committed(of: log.replica, from: log.after + 1, in: store) {
                touched.formUnion(try reader.change(record, from: store).touched)
            }
        }
        return touched.count
    }
}

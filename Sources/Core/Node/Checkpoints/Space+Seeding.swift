// A newcomer to a space with a checkpoint, until it was level with a member once; and who comes back after
// one that did not wait for it.

import Bytes
import Causality
import Replication
import Roster
import Wire

extension Space {
    mutating func setSeeding(_ isSeeding: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try transaction.beginWriting()
        checkpoints.isSeeding = isSeeding
        try transaction.store.setMeta(NodeMeta.seeding(id), isSeeding ? [1] : nil)
    }

    var isSeeding: Bool { checkpoints.isSeeding }

    /// A node that was put back to an older state may have proposed and acknowledged checkpoints since then,
    /// and others count on it that it does not do otherwise now.
    mutating func setRestored(_ isRestored: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if isRestored == checkpoints.isRestored { return }
        try transaction.beginWriting()
        checkpoints.isRestored = isRestored
        try transaction.store.setMeta(NodeMeta.restored(id), isRestored ? [1] : nil)
    }

    /// True when a change, or the base that has it, is on the disk here. Nobody has more of a closed log.
    func holds(_ change: Dot) -> Bool {
        durable.contains(change) || forks.closed.isClosed(change)
            || documents.bases.standing?.covered.contains(change) == true
    }

    /// Notes that changes of this device are late, because a checkpoint did not wait for it: the node makes
    /// them again.
    mutating func setOwnLate(_ isLate: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if isLate == checkpoints.hasOwnLate { return }
        try transaction.beginWriting()
        checkpoints.hasOwnLate = isLate
        try transaction.store.setMeta(NodeMeta.ownLate(id), isLate ? [1] : nil)
    }

    /// True when it can be made again now: all of it is judged, nothing is known to stand for which what is
    /// written now would be late too, and this device writes.
    var mayAdoptOwnLate: Bool {
        let isBehind =
            documents.bases.standing?.id != checkpoints.agreement.newest && checkpoints.differing.isEmpty
        return checkpoints.hasOwnLate && !isSeeding && checkpoints.taken == nil
            && documents.bases.applying == nil && exceptions.rejudging.isEmpty && !isBehind
            && roster.role(of: membership.device) ?? .relay >= .writer
    }
}

extension NodeMeta {
    static func seeding(_ space: SpaceID) -> String { "seeding/\(space)" }
    static func restored(_ space: SpaceID) -> String { "restored/\(space)" }
    static func ownLate(_ space: SpaceID) -> String { "own-late/\(space)" }
}

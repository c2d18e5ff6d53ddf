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
        try set(\.isSeeding, to: isSeeding, as: NodeMeta.seeding(id), in: &transaction)
    }

    var isSeeding: Bool { checkpoints.isSeeding }

    /// A node that was put back to an older state may have proposed and acknowledged checkpoints since then,
    /// and others count on it that it does not do otherwise now.
    mutating func setRestored(_ isRestored: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try set(\.isRestored, to: isRestored, as: NodeMeta.restored(id), in: &transaction)
    }

    /// True when a change, or the base that has it, is on the disk here. Nobody has more of a closed log.
    func holds(_ change: Dot) -> Bool {
        durable.contains(change) || closings.isClosed(change)
            || documents.bases.standing?.covered.contains(change) == true
    }

    /// Notes that changes of this device are late, because a checkpoint did not wait for it: the node makes
    /// them again.
    mutating func setOwnLate(_ isLate: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try set(\.hasOwnLate, to: isLate, as: NodeMeta.ownLate(id), in: &transaction)
    }

    /// Something that outlives a restart, in memory and on the disk.
    private mutating func set(
        _ flag: WritableKeyPath<SpaceCheckpoints, Bool>, to isSet: Bool, as name: String,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        if checkpoints[keyPath: flag] == isSet { return }
        try transaction.beginWriting()
        checkpoints[keyPath: flag] = isSet
        try transaction.store.setMeta(name, isSet ? [1] : nil)
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

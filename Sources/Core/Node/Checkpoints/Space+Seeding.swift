// A newcomer to a space with a checkpoint, until it was level with a member once.

import Bytes
import Causality

extension Space {
    mutating func setSeeding(_ isSeeding: Bool, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try transaction.beginWriting()
        checkpoints.isSeeding = isSeeding
        try transaction.store.setMeta(NodeMeta.seeding(id), isSeeding ? [1] : nil)
    }

    var isSeeding: Bool { checkpoints.isSeeding }
}

extension NodeMeta {
    static func seeding(_ space: SpaceID) -> String { "seeding/\(space)" }
}

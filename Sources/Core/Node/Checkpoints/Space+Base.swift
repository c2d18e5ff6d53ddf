// What the base that documents are made on says of logs.

import Causality
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// The table of the checkpoint that documents are made on.
    var baseTable: CheckpointTable? {
        documents.bases.newest.flatMap { checkpoints.agreement.table(of: $0.id) }
    }

    /// How far logs are held in the base only, of which nobody asks for the rest.
    var elsewhere: VersionVector { forks.elsewhere { logs[$0]?.last ?? .none } }

    func isElsewhere(_ replica: ReplicaID) -> Bool {
        forks.elsewhere(replica, head: logs[replica]?.last ?? .none) != nil
    }
}

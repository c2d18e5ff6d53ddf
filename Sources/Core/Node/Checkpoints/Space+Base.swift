// The base that documents are made on says how far each log is final. This node may hold that in its own log,
// or in the base only.

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

    /// Logs of which this node has a part in its base only, to the ends of those parts.
    var elsewhere: VersionVector { forks.elsewhere { logs[$0]?.last ?? .none } }

    func isElsewhere(_ replica: ReplicaID) -> Bool {
        forks.elsewhere(replica, head: logs[replica]?.last ?? .none) != nil
    }
}
